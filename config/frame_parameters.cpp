#include "config/frame_parameters.h"

#include <algorithm>

namespace parallax {
namespace {

constexpr int kMaxNumDisparities = 1024;  // as in the table of parameters

}  // namespace

Parameters ParametersOfFrame(const StereoFrame& frame, const ChosenParameters& chosen) {
  Parameters parameters = chosen.parameters;
  if (frame.num_disparities_hint && !chosen.IsChosen(kNumDisparitiesKey)) {
    MatchingCostParameters& cost = parameters.matching_cost;
    cost.num_disparities =
        std::clamp(*frame.num_disparities_hint - cost.min_disparity, 1, kMaxNumDisparities);
  }
  return parameters;
}

void SetAutoRange(int min_disparity, int num_disparities, ChosenParameters& chosen) {
  constexpr const char* kMinDisparityKey = "matching_cost.min_disparity";
  MatchingCostParameters& cost = chosen.parameters.matching_cost;
  const int end = min_disparity + num_disparities;
  if (!chosen.IsChosen(kMinDisparityKey)) cost.min_disparity = min_disparity;
  cost.num_disparities = std::clamp(end - cost.min_disparity, 1, kMaxNumDisparities);
  chosen.chosen_keys.insert({kMinDisparityKey, kNumDisparitiesKey});
  chosen.is_range_auto = false;
}

UncertaintyParameters UncertaintyOf(float rig_px, const ChosenParameters& chosen) {
  UncertaintyParameters uncertainty = chosen.uncertainty;
  if (rig_px > 0 && !chosen.IsChosen("uncertainty.rig_px")) uncertainty.rig_px = rig_px;
  return uncertainty;
}

}  // namespace parallax
