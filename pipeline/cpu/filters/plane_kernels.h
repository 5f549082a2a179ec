// Kernels that fill holes from planes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/rules/refinement_math.h"

namespace parallax::cpu {

// Samples around a tile's centre: kPlaneSamples rows, of which kPlaneColumns pixels are read.
struct PlaneSampleGrid {
  const float *values, *weights;  // of the first column and row; a value is kNoValue if its weight is 0
  std::ptrdiff_t stride;
};
// The planes of every tile of a map.
struct PlaneFit {
  float lowest, highest;  // the start is between them; whole numbers
  float inverse_reach[kPlaneRounds];
  float step_px;
};
DisparityPlane FitPlane(const PlaneFit& fit, const PlaneSampleGrid& samples);

// For each pixel of a row, its tile's plane. Pixels beyond the tiles have none.
struct PlaneColumns {
  const float *value, *slope_x, *slope_y, *center_x;
};
// One of three rows, kSupportStep_px apart. kSupportStep_px pixels before and after it are read too.
struct PixelRow {
  const float* disparity;
  const std::uint8_t *validity, *guide;
};
struct PlaneChoice {
  PlaneColumns tiles[3];  // above, here, below
  float from_center[3];   // the row's y minus that of their centres
  int tile_px;
  PixelRow rows[3];  // above, here, below
  float reach, lowest, highest;
};
// Gives rejected pixels of a row the value of the plane with the most support, and marks them as filled; all
// others are copied. Rows may be read and written a vector past the width.
void ChoosePlanes(const PlaneChoice& choice, int width, float* filled, std::uint8_t* validity);

}  // namespace parallax::cpu
