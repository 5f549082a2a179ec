#include "tests/fuzz/target_list.h"

namespace parallax::fuzz {

const std::vector<Target>& Targets() {
  static const std::vector<Target> targets = {kPfm,
                                              kDisparityPng,
                                              kImage,
                                              kPly,
                                              kPcd,
                                              kNpy,
                                              kTextMatrix,
                                              kKittiCalibration,
                                              kKittiTimes,
                                              kMiddleburyCalibration,
                                              kRigFile,
                                              kRigFilePair,
                                              kParametersYaml,
                                              kAssignment,
                                              kSyntheticSpec,
                                              kJpeg,
                                              kTiff,
                                              kOtherImage,
                                              kTruthImage,
                                              kVideo,
                                              kMcap,
                                              kRosMessage,
                                              kDataSet,
                                              kEstimates,
                                              kJournal,
                                              kRecord,
                                              kScoredRun,
                                              kMatcher};
  return targets;
}

}  // namespace parallax::fuzz
