// Rows of the reprojection, a vector at a time.
#pragma once

#include "pipeline/types/parameter_info.h"

namespace parallax::cpu {

// Writes the depths of a row of disparities; see DepthFromDisparity. fb: focal length times baseline, px m.
void DepthRow(const float* disparity, int width, float fb, float doffs_px,
              const ReprojectionParameters& limits, float* depth);

// Number of pixels that have a depth.
int CountDepths(const float* depth, int width);

// Writes X and Y of every pixel of a row, NaN if it has no depth. row: y - cy, px.
void CloudRow(const float* depth, int width, float fx_px, float cx_px, float row, float* x, float* y);

}  // namespace parallax::cpu
