// The targets; each is in targets/.
#pragma once

#include "tests/fuzz/targets.h"

namespace parallax::fuzz {

extern const Target kPfm, kDisparityPng, kImage;                             // targets/images.cpp
extern const Target kPly, kPcd;                                              // targets/clouds.cpp
extern const Target kNpy, kTextMatrix;                                       // targets/matrices.cpp
extern const Target kKittiCalibration, kKittiTimes, kMiddleburyCalibration;  // targets/calibration.cpp
extern const Target kParametersYaml, kSyntheticSpec;                         // targets/text.cpp

}  // namespace parallax::fuzz
