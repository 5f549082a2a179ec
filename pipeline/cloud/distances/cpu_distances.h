// Distances between all rows of two matrices on the CPU; parallax/cloud_measures.h defines them.
//
// kDirect sums squared differences in the order of the dimensions, each operation rounded: the same bits on
// every machine. kProduct sums norms the same way, and products in the order of the dimensions, fused with
// the addition if the machine can, so last digits differ between machines. kProductTf32 first rounds the
// factors of the products to 10-bit mantissas: no faster here, but as inexact as on a GPU. Nothing depends on
// the number of threads or on the blocks.
#pragma once

#include "pipeline/cloud/distances/distances.h"
#include "pipeline/cloud/neighbours/neighbours.h"
#include "pipeline/threads/parallel.h"

namespace parallax {

void StreamDistances(const MatrixView& a, const MatrixView& b, const DistanceOptions& options,
                     const DistanceConsumer& consumer, ThreadPool& pool);
NearestRows NearestOfRows(const MatrixView& a, const MatrixView& b, const DistanceOptions& options,
                          ThreadPool& pool);
Neighbours SmallestOfRows(const MatrixView& a, const MatrixView& b, int k, const DistanceOptions& options,
                          ThreadPool& pool);
DistanceHistogram CountDistances(const MatrixView& a, const MatrixView& b, float largest, int num_bins,
                                 const DistanceOptions& options, ThreadPool& pool);

}  // namespace parallax
