// Row kernels of the smoothing.
#pragma once

#include "pipeline/rules/refinement_math.h"

namespace parallax::cpu {

// Copies a row with kNoValue in place of NaN.
void ReplaceNans(const float* row, int width, float* to);

// Neighbours of a row's pixels, at kSmoothingOffsets_px.
struct NeighborRows {
  const float *before[kSmoothingTaps], *after[kSmoothingTaps];
};
// Smooths a row; pixels without a value get `none`. reach: 4 range^2. Rows may be read and written a vector
// past the width.
void SmoothRow(const float* center, const NeighborRows& neighbors, int width, float reach, float none,
               float* smoothed);

}  // namespace parallax::cpu
