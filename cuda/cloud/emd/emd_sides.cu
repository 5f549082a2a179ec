#include "cuda/cloud/emd/emd_sides.h"

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "cuda/cloud/neighbours/warp_list.cuh"
#include "cuda/device/check.h"
#include "pipeline/cloud/emd/emd_problem.h"
#include "pipeline/cloud/hilbert_index.h"

namespace parallax::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kKeyBits = 3 * emd::kCurveBits;  // below the number of the side

// The last side that begins at or before place.
template <typename FirstOf>
__device__ int SideOf(int num_sides, std::int64_t place, FirstOf first_of) {
  int low = 0, high = num_sides;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (first_of(middle) <= place) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

__device__ float Coordinate(const Point3f& p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

// axis 0 .. 2: keys are the coordinates, of 32 bits; 3: the side and the place on the curve. order null: as
// they come, and new_order is written.
__global__ void __launch_bounds__(kThreads)
    SetKeys(const EmdSideOnDevice* sides, int num_sides, const Point3f* points, std::int64_t num_points,
            int axis, const std::uint32_t* order, std::uint32_t* new_order, std::uint64_t* keys) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= num_points) return;
  const std::uint32_t index = order != nullptr ? order[i] : static_cast<std::uint32_t>(i);
  if (order == nullptr) new_order[i] = index;
  const Point3f p = points[index];
  if (axis < 3) {
    // -0 becomes 0: they are equal.
    reinterpret_cast<std::uint32_t*>(keys)[i] = OrderedBits(__fadd_rn(Coordinate(p, axis), 0.0f));
    return;
  }
  const int number = SideOf(num_sides, index, [&](int s) { return sides[s].first_point; });
  const EmdSideOnDevice& side = sides[number];
  std::uint32_t cell[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    cell[k] = static_cast<std::uint32_t>(
        __dmul_rn(__dsub_rn(static_cast<double>(Coordinate(p, k)), side.low_m[k]), side.cells_per_m));
  }
  keys[i] = static_cast<std::uint64_t>(number) << kKeyBits |
            HilbertIndex<emd::kCurveBits>(cell[0], cell[1], cell[2]);
}

// One block for each parent, one warp for each box. The last point is repeated until its box is full.
__global__ void __launch_bounds__(kEmdBox * 32) FillSides(const EmdSideOnDevice* sides, int num_sides,
                                                          const Point3f* points, const std::uint32_t* order) {
  __shared__ float corners[6][kEmdBox];  // low, then high
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int number = SideOf(num_sides, blockIdx.x, [&](int s) { return sides[s].first_parent; });
  const EmdSideOnDevice& side = sides[number];
  const auto parent = static_cast<int>(blockIdx.x - side.first_parent);
  const int box = parent * kEmdBox + warp;
  float low[3], high[3];
  const bool exists = box < side.num_boxes;
  if (exists) {
    const int i = box * kEmdBox + lane;
    const Point3f p = points[order[side.first_point + min(i, side.size - 1)]];
    float unit[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      unit[k] = static_cast<float>(__dmul_rn(static_cast<double>(Coordinate(p, k)), side.units_per_m));
      low[k] = WarpMin(unit[k]);
      high[k] = WarpMax(unit[k]);
    }
    side.points[i] = make_float4(unit[0], unit[1], unit[2], 0);
    if (lane == 0) {
      side.boxes[2 * box] = make_float4(low[0], low[1], low[2], 0);
      side.boxes[2 * box + 1] = make_float4(high[0], high[1], high[2], 0);
    }
  }
  if (lane == 0) {
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      corners[k][warp] = exists ? low[k] : __int_as_float(0x7F800000);
      corners[3 + k][warp] = exists ? high[k] : -__int_as_float(0x7F800000);
    }
  }
  __syncthreads();
  if (warp != 0) return;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    low[k] = WarpMin(corners[k][lane]);
    high[k] = WarpMax(corners[3 + k][lane]);
  }
  if (lane == 0) {
    side.parents[2 * parent] = make_float4(low[0], low[1], low[2], 0);
    side.parents[2 * parent + 1] = make_float4(high[0], high[1], high[2], 0);
  }
}

__global__ void __launch_bounds__(kThreads) StartSums(EmdPhaseSums* sums, int count) {
  const int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  if (i < count) sums[i] = {.least_price = 1 << 30, .unused = 0, .bound = 0, .distance = 0};
}

unsigned Blocks(std::int64_t threads) { return static_cast<unsigned>((threads + kThreads - 1) / kThreads); }

template <typename Key>
Key* As(std::uint64_t* keys) {
  return reinterpret_cast<Key*>(keys);
}

template <typename Key>
std::size_t SortBytes(std::int64_t num_points, int end_bit) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<Key> keys(nullptr, nullptr);
  cub::DoubleBuffer<std::uint32_t> order(nullptr, nullptr);
  Check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, order, num_points, 0, end_bit),
        "cub::DeviceRadixSort::SortPairs");
  return bytes;
}

// Returns which order is the new one; the keys are no longer needed.
template <typename Key>
int Sort(const EmdSortBuffers& buffers, int current, std::int64_t num_points, int end_bit,
         cudaStream_t stream) {
  cub::DoubleBuffer<Key> keys(As<Key>(buffers.keys[0]), As<Key>(buffers.keys[1]));
  cub::DoubleBuffer<std::uint32_t> order(buffers.order[current], buffers.order[1 - current]);
  std::size_t bytes = buffers.temporary_bytes;
  Check(
      cub::DeviceRadixSort::SortPairs(buffers.temporary, bytes, keys, order, num_points, 0, end_bit, stream),
      "cub::DeviceRadixSort::SortPairs");
  return order.Current() == buffers.order[0] ? 0 : 1;
}

}  // namespace

std::size_t EmdSortBytes(std::int64_t num_points) {
  return std::max(SortBytes<std::uint32_t>(num_points, 32), SortBytes<std::uint64_t>(num_points, 64));
}

int SortEmdSides(const EmdSideOnDevice* sides, int num_sides, const Point3f* points, std::int64_t num_points,
                 const EmdSortBuffers& buffers, cudaStream_t stream) {
  // Sorts by z, y, x, then by the curve. Each sort is stable.
  int current = 0;
  for (const int axis : {2, 1, 0, 3}) {
    SetKeys<<<Blocks(num_points), kThreads, 0, stream>>>(sides, num_sides, points, num_points, axis,
                                                         axis == 2 ? nullptr : buffers.order[current],
                                                         buffers.order[current], buffers.keys[0]);
    CheckLaunch("SetKeys");
    const int side_bits = std::bit_width(static_cast<unsigned>(num_sides - 1));
    current = axis < 3 ? Sort<std::uint32_t>(buffers, current, num_points, 32, stream)
                       : Sort<std::uint64_t>(buffers, current, num_points, kKeyBits + side_bits, stream);
  }
  return current;
}

void FillEmdSides(const EmdSideOnDevice* sides, int num_sides, std::int64_t num_parents,
                  const Point3f* points, const std::uint32_t* order, cudaStream_t stream) {
  FillSides<<<static_cast<unsigned>(num_parents), kEmdBox * 32, 0, stream>>>(sides, num_sides, points, order);
  CheckLaunch("FillSides");
}

void StartEmdSums(EmdPhaseSums* sums, int num_pairs, cudaStream_t stream) {
  const int count = num_pairs * kMostEmdPhases;
  StartSums<<<Blocks(count), kThreads, 0, stream>>>(sums, count);
  CheckLaunch("StartSums");
}

}  // namespace parallax::cuda
