// Row kernels of the smoothing.
#pragma once

#include "pipeline/rules/refinement_math.h"

namespace parallax::cpu {

// Neighbours of a row's pixels, at kSmoothingOffsets_px.
void ReplaceNans(const float* row, int width, float* to);

// Neighbours of a row's pixels, at kSmoothingOffsets_px.
struct NeighborRows {
  const float *before[kSmoothingTaps], *after[kSmoothingTaps];
};
// Smoothed values of a row; `none` if there is no value. reach: 4 range^2. Rows may be read and written a
// vector past the width.
void SmoothRow(const float* center, const NeighborRows& neighbors, int width, float reach, float none,
               float* smoothed);

}  // namespace parallax::cpu
