// Row kernels of the smoothing.
#pragma once

#include "pipeline/rules/refinement_math.h"

namespace parallax::cpu {

// Copies a row with kNoValue for NaNs. Rows may be read and written a vector past the width.
void ReplaceNans(const float* row, int width, float* to);

// Neighbours of a row's pixels, at kSmoothingOffsets_px.
struct NeighborRows {
  const float *before[kSmoothingTaps], *after[kSmoothingTaps];
};
// Smoothed values of a row; `none` where there is no value. reach: 4 range^2. Rows may be read and written a
// vector past the width.
void SmoothRow(const float* center, const NeighborRows& neighbors, int width, float reach, float none,
               float* smoothed);

}  // namespace parallax::cpu
