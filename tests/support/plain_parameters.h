// A set of parameters that switches off every optional stage.
#pragma once

#include "pipeline/types/parameter_info.h"

namespace parallax::test {

// Census costs of 31 pairs, constant penalties, holes filled row by row, nothing refined: the parameters of
// docs/presets/default-0.1.yaml. Tests of a stage start from them and switch on what they test.
inline Parameters PlainParameters() {
  Parameters plain;
  plain.census_transform.window = CensusWindow::kCenterSymmetric9x7;
  plain.matching_cost.gradient_weight = 0;
  plain.matching_cost.gradient_cap = 15;
  plain.matching_cost.even_percent = 100;
  plain.aggregation = {
      .p1 = 6, .p2 = 64, .p2_min = 0, .p2_slope = 0, .p1_ground_percent = 100, .p2_vertical_percent = 100};
  plain.filter.speckle_size = 100;
  plain.filter.speckle_range = 1;
  plain.refinement = {.planes = false, .plane_tile = 16, .smoothing_passes = 0, .smoothing_range = 4};
  return plain;
}

}  // namespace parallax::test
