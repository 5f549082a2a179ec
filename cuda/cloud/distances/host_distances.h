// Distances of sets in host memory: DistanceRows in blocks that need not all exist at the same time.
#pragma once

#include <functional>
#include <optional>

#include "cuda/cloud/distances/distance_consumers.h"
#include "cuda/cloud/distances/distance_rows.h"
#include "cuda/device/stream.h"
#include "pipeline/cloud/distances/distances.h"
#include "pipeline/cloud/neighbours/neighbours.h"

namespace parallax::cuda {

// A call frees its memory at its end.
class HostDistances {
 public:
  void Blocks(const MatrixView& a, const MatrixView& b, const DistanceOptions& options,
              const DistanceConsumer& consumer);
  Neighbours Smallest(const MatrixView& a, const MatrixView& b, int k, const DistanceOptions& options);
  DistanceHistogram Histogram(const MatrixView& a, const MatrixView& b, float largest, int num_bins,
                              const DistanceOptions& options);

 private:
  // Calls use(first row, block) for each block in order, all on stream_ and in the same memory.
  void OnDevice(const MatrixView& a, const MatrixView& b, const DistanceOptions& options,
                const std::function<void(std::int64_t, const DeviceDistanceBlock&)>& use);

  Stream stream_, copy_stream_;
};

}  // namespace parallax::cuda
