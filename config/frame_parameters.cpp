#include "config/frame_parameters.h"

#include <algorithm>

namespace parallax {

Parameters ParametersOfFrame(const StereoFrame& frame, const ChosenParameters& chosen) {
  Parameters parameters = chosen.parameters;
  if (frame.num_disparities_hint && !chosen.IsChosen(kNumDisparitiesKey)) {
    constexpr int kMaxNumDisparities = 1024;  // as in the table of parameters
    MatchingCostParameters& cost = parameters.matching_cost;
    cost.num_disparities =
        std::clamp(*frame.num_disparities_hint - cost.min_disparity, 1, kMaxNumDisparities);
  }
  return parameters;
}

UncertaintyParameters UncertaintyOf(SourceKind kind, const ChosenParameters& chosen) {
  // Truth that lies off what the images show (docs/uncertainty.md): KITTI 2015's in every one of 24 frames by half
  // a pixel far away, and as much to the other side nearby; ETH3D's in its one frame at hand by 0.2 px.
  constexpr float kRigOfKitti2015_px = 0.5F, kRigOfEth3d_px = 0.2F;
  UncertaintyParameters uncertainty = chosen.uncertainty;
  if (chosen.IsChosen("uncertainty.rig_px")) return uncertainty;
  if (kind == SourceKind::kKitti2015) uncertainty.rig_px = kRigOfKitti2015_px;
  if (kind == SourceKind::kEth3d) uncertainty.rig_px = kRigOfEth3d_px;
  return uncertainty;
}

}  // namespace parallax
