// The steps that build the tree of a NeighbourSearch.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/cloud/neighbours/neighbour_tree.h"
#include "cuda/device/device_buffer.h"
#include "parallax/cloud.h"

namespace parallax::cuda {

// Finds the extent of the points and the cells of the curve from a sample; sets num_finite to 0.
void EnqueueExtent(const Point3f* points, std::int64_t num_points, CloudExtent* extent, cudaStream_t stream);

// Points in the order of a Hilbert curve through the cells of an extent.
class CurveOrder {
 public:
  CurveOrder() = default;
  explicit CurveOrder(std::int64_t size);
  std::size_t MemoryBytes() const;

  // Sorts the points along the curve, on stream. num_finite: null, or a counter to which the number of finite
  // points is added.
  void Enqueue(const Point3f* points, std::int64_t num_points, const CloudExtent* extent,
               std::uint32_t* num_finite, cudaStream_t stream);

  // The order after the last Enqueue: indices into points, and their keys.
  const std::uint32_t* order() const { return order_[current_].data(); }
  const std::uint64_t* keys() const { return keys_[current_].data(); }

 private:
  int current_ = 0;
  DeviceBuffer<std::uint64_t> keys_[2];
  DeviceBuffer<std::uint32_t> order_[2];
  DeviceBuffer<std::byte> temporary_;
};

std::int64_t NumTreeNodes(std::int64_t num_points);
// Fills tree, whose points go to sorted and whose boxes go to boxes. sorted: num_points rounded up to
// kTreeBlockPoints; boxes: 2 * NumTreeNodes.
void EnqueueTree(const Point3f* points, std::int64_t num_points, const std::uint32_t* order,
                 NeighbourTree& tree, TreePoint* sorted, float4* boxes, cudaStream_t stream);

// Write another cloud's points in its order, and for each of its warps the place among the tree's points
// where the search begins.
void EnqueueQueryPoints(const Point3f* queries, std::int64_t num_queries, const std::uint32_t* order,
                        TreePoint* sorted, cudaStream_t stream);
void EnqueuePlaces(const CurveOrder& of_queries, std::int64_t num_queries, const CurveOrder& of_points,
                   std::int64_t num_points, std::int32_t* places, cudaStream_t stream);

}  // namespace parallax::cuda
