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

UncertaintyParameters UncertaintyOf(float rig_px, const ChosenParameters& chosen) {
  UncertaintyParameters uncertainty = chosen.uncertainty;
  if (rig_px > 0 && !chosen.IsChosen("uncertainty.rig_px")) uncertainty.rig_px = rig_px;
  return uncertainty;
}

}  // namespace parallax
