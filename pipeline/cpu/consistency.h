#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/parameters.h"

namespace parallax::cpu {

// Left-right check of one row of W pixels (Hirschmueller 2008, sec. 2.6); see docs/matching.md. winner_right:
// 0xFFFF = none. Changes disparity and validity. scratch: kept between rows to spare allocations.
void CheckRow(const std::uint16_t* winner_left, const std::uint16_t* winner_right, int width,
              int min_disparity, int num_disparities, const ConsistencyParameters& parameters,
              float* disparity, std::uint8_t* validity, std::vector<std::int16_t>& scratch);

}  // namespace parallax::cpu
