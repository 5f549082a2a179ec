// The steps that build the tree of a NeighbourSearch.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "cuda/cloud/neighbour_tree.h"
#include "cuda/device_buffer.h"
#include "pipeline/cloud.h"

namespace parallax::cuda {

// Where the points lie, by a sample of them; num_finite becomes 0.
void EnqueueExtent(const Point3f* points, std::int64_t num_points, CloudExtent* extent, cudaStream_t stream);

// Points in the order of a Hilbert curve through a cube around the cloud, 2^bits cells an axis.
class CurveOrder {
 public:
  CurveOrder() = default;
  CurveOrder(std::int64_t size, int bits);
  std::int64_t size() const { return size_; }
  std::size_t MemoryBytes() const;

  // extent: of the cube. num_finite: null, or where finite points are to be counted.
  void Enqueue(const Point3f* points, std::int64_t num_points, const CloudExtent* extent,
               std::uint32_t* num_finite, cudaStream_t stream,
               const std::function<void(const char*)>& observer);

  // Of the last Enqueue: indices into points, and their keys, 32 bits each up to 10 bits an axis, else 64.
  const std::uint32_t* order() const { return order_[current_].data(); }
  const std::uint32_t* keys() const { return keys_[current_].data(); }
  int bits() const { return bits_; }
  void UseBits(int bits) { bits_ = bits; }  // of the same word, no more than at first

 private:
  template <typename Key>
  void EnqueueKeys(const Point3f* points, std::int64_t num_points, const CloudExtent* extent,
                   std::uint32_t* num_finite, cudaStream_t stream);
  template <typename Key>
  void EnqueueSort(std::int64_t num_points, cudaStream_t stream);

  int bits_ = 0;
  std::int64_t size_ = 0;
  int current_ = 0;
  DeviceBuffer<std::uint32_t> keys_[2], order_[2];
  DeviceBuffer<std::byte> temporary_;
};

std::int64_t NumTreeNodes(std::int64_t num_points);
// sorted: num_points rounded up to kTreeBlockPoints; boxes: 2 * NumTreeNodes. Fills tree.
void EnqueueTree(const Point3f* points, std::int64_t num_points, const std::uint32_t* order,
                 NeighbourTree& tree, TreePoint* sorted, float4* boxes, cudaStream_t stream);

// Another cloud's points in its order, and where among the tree's points each of its warps begins.
void EnqueueQueryPoints(const Point3f* queries, std::int64_t num_queries, const std::uint32_t* order,
                        TreePoint* sorted, cudaStream_t stream);
void EnqueuePlaces(const CurveOrder& of_queries, std::int64_t num_queries, const CurveOrder& of_points,
                   std::int64_t num_points, std::int32_t* places, cudaStream_t stream);

}  // namespace parallax::cuda
