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
  // In every one of 24 frames the truth of far surfaces lies half a pixel off what the images show, that of
  // near ones as much to the other side (docs/uncertainty.md).
  constexpr float kRigOfKitti2015_px = 0.5F;
  UncertaintyParameters uncertainty = chosen.uncertainty;
  if (kind == SourceKind::kKitti2015 && !chosen.IsChosen("uncertainty.rig_px")) {
    uncertainty.rig_px = kRigOfKitti2015_px;
  }
  return uncertainty;
}

}  // namespace parallax
