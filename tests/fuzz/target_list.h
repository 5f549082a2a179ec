// The targets; each is in targets/.
#pragma once

#include "tests/fuzz/targets.h"

namespace parallax::fuzz {

extern const Target kPfm, kDisparityPng, kImage;                             // targets/images.cpp
extern const Target kPly, kPcd;                                              // targets/clouds.cpp
extern const Target kNpy, kTextMatrix;                                       // targets/matrices.cpp
extern const Target kKittiCalibration, kKittiTimes, kMiddleburyCalibration;  // targets/calibration.cpp
extern const Target kRigFile, kRigFilePair;                                  // targets/calibration.cpp
extern const Target kParametersYaml, kAssignment, kSyntheticSpec;            // targets/text.cpp
extern const Target kJpeg, kTiff, kOtherImage, kTruthImage, kVideo;          // targets/codecs.cpp
extern const Target kMcap, kRosMessage;                                      // targets/recordings.cpp
extern const Target kDataSet, kEstimates, kJournal;                          // targets/folders.cpp
extern const Target kRecord, kScoredRun;                                     // targets/results.cpp
extern const Target kMatcher;                                                // targets/matcher.cpp

}  // namespace parallax::fuzz
