// Checks before distances are computed.
#pragma once

#include "parallax/cloud_measures.h"

namespace parallax {

// Throws InvalidArgument if the dimensions differ, a stride is too small, a matrix is empty or has more than
// 2^31 - 1 rows, or the number of rows in a block is negative.
void CheckDistanceInput(const MatrixView& a, const MatrixView& b, const DistanceOptions& options);
// Throws InvalidArgument unless largest and num_bins / largest are positive and finite and num_bins is 1 to
// 2^20.
void CheckHistogram(float largest, int num_bins);

}  // namespace parallax
