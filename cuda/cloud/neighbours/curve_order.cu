// Points in the order of a Hilbert curve: places on the curve, radix sort.
#include <cub/device/device_radix_sort.cuh>

#include "cuda/cloud/neighbours/cuda_hilbert.h"
#include "cuda/cloud/neighbours/curve_cells.cuh"
#include "cuda/cloud/neighbours/neighbour_build.h"
#include "cuda/device/check.h"

namespace parallax::cuda {
namespace {

constexpr int kKeyBits = 3 * kCurveBits;
constexpr float kInfinityValue = __builtin_huge_valf();
__device__ const HilbertPairTable kHilbert = MakeHilbertPairTable();

__device__ bool IsFinite(const Point3f& p) { return isfinite(p.x) && isfinite(p.y) && isfinite(p.z); }

__global__ void __launch_bounds__(256)
    PlaceOnCurve(const Point3f* points, std::int64_t num_points, const CloudExtent* extent,
                 std::uint32_t* num_finite, std::uint64_t* keys, std::uint32_t* order) {
  __shared__ __align__(16) std::uint16_t next[kHilbertStates * 64];
  static_assert(sizeof(next) / 16 <= 256);
  if (threadIdx.x < sizeof(next) / 16)
    reinterpret_cast<uint4*>(next)[threadIdx.x] = reinterpret_cast<const uint4*>(kHilbert.next)[threadIdx.x];
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Point3f p = i < num_points ? points[i] : Point3f{kInfinityValue, 0.0f, 0.0f};
  const bool finite = IsFinite(p);
  const int count = __syncthreads_count(finite);
  if (num_finite != nullptr && threadIdx.x == 0) atomicAdd(num_finite, static_cast<std::uint32_t>(count));
  if (i >= num_points) return;
  std::uint64_t key = (std::uint64_t{1} << kKeyBits) - 1;
  if (finite) {
    const EvenCells even(extent->low, extent->high);
    std::uint32_t x, y, z;
    if (extent->num_steps == 0) {
      x = CellOf(even.Part(0, p.x)), y = CellOf(even.Part(1, p.y)), z = CellOf(even.Part(2, p.z));
    } else {
      x = CellOf(PartBySteps(*extent, even.scale, 0, p.x));
      y = CellOf(PartBySteps(*extent, even.scale, 1, p.y));
      z = CellOf(PartBySteps(*extent, even.scale, 2, p.z));
    }
    key = HilbertPlace(x, y, z, kCurveBits, next);
  }
  keys[i] = key;
  order[i] = static_cast<std::uint32_t>(i);
}

// Where each warp of queries begins: the place of its middle query's key, rounded down to whole warps.
__global__ void __launch_bounds__(256)
    FindPlaces(const std::uint64_t* query_keys, std::int64_t num_queries, const std::uint64_t* keys,
               std::int64_t num_points, std::int32_t* places) {
  const std::int64_t warp = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (warp * 32 >= num_queries) return;
  const std::uint64_t key = query_keys[min(warp * 32 + 16, num_queries - 1)];
  std::int64_t low = 0, high = num_points - 1;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (keys[middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  places[warp] = static_cast<std::int32_t>(low / 32 * 32);
}

unsigned Blocks(std::int64_t threads, int block) {
  return static_cast<unsigned>((threads + block - 1) / block);
}

std::size_t SortTemporaryBytes(std::int64_t size) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<std::uint64_t> keys(nullptr, nullptr);
  cub::DoubleBuffer<std::uint32_t> values(nullptr, nullptr);
  Check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, size, 0, kKeyBits),
        "cub::DeviceRadixSort::SortPairs");
  return bytes;
}

}  // namespace

CurveOrder::CurveOrder(std::int64_t size) {
  const auto count = static_cast<std::size_t>(size);
  for (int i = 0; i < 2; ++i) {
    keys_[i] = DeviceBuffer<std::uint64_t>(count);
    order_[i] = DeviceBuffer<std::uint32_t>(count);
  }
  temporary_ = DeviceBuffer<std::byte>(SortTemporaryBytes(size));
}

std::size_t CurveOrder::MemoryBytes() const {
  return 2 * (keys_[0].size_bytes() + order_[0].size_bytes()) + temporary_.size_bytes();
}

void CurveOrder::Enqueue(const Point3f* points, std::int64_t num_points, const CloudExtent* extent,
                         std::uint32_t* num_finite, cudaStream_t stream) {
  PlaceOnCurve<<<Blocks(num_points, 256), 256, 0, stream>>>(points, num_points, extent, num_finite,
                                                            keys_[0].data(), order_[0].data());
  CheckLaunch("PlaceOnCurve");
  cub::DoubleBuffer<std::uint64_t> keys(keys_[0].data(), keys_[1].data());
  cub::DoubleBuffer<std::uint32_t> order(order_[0].data(), order_[1].data());
  std::size_t bytes = temporary_.size_bytes();
  Check(
      cub::DeviceRadixSort::SortPairs(temporary_.data(), bytes, keys, order, num_points, 0, kKeyBits, stream),
      "cub::DeviceRadixSort::SortPairs");
  current_ = keys.Current() == keys_[0].data() ? 0 : 1;
}

void EnqueuePlaces(const CurveOrder& of_queries, std::int64_t num_queries, const CurveOrder& of_points,
                   std::int64_t num_points, std::int32_t* places, cudaStream_t stream) {
  FindPlaces<<<Blocks((num_queries + 31) / 32, 256), 256, 0, stream>>>(of_queries.keys(), num_queries,
                                                                       of_points.keys(), num_points, places);
  CheckLaunch("FindPlaces");
}

}  // namespace parallax::cuda
