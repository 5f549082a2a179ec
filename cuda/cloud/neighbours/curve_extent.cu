// Where a cloud lies, by a sample of its points: the cube of the curve, and where that would leave many
// points in one cell, how the curve's cells are dealt out instead.
#include "cuda/cloud/neighbours/curve_cells.cuh"
#include "cuda/cloud/neighbours/neighbour_build.h"
#include "cuda/cloud/neighbours/warp_list.cuh"
#include "cuda/device/check.h"

namespace parallax::cuda {
namespace {

constexpr int kSampleSize = kCurveSamples;
constexpr int kSlots = 2 * kSampleSize;  // of the table of cells
// Points that share the cell of a point, on average, above which cells are dealt out by the sample: some 16
// leaves more for each warp of queries.
constexpr double kMostInCell = 128;

struct Workplace {
  union {
    unsigned long long exchanged[3][kSampleSize];
    float exchanged_floats[1][kSampleSize];
    struct {
      unsigned long long cells[kSlots];
      unsigned counts[kSlots];
    } table;
    float4 points[kSampleSize];
  };
  float spacing[kSampleSize];
  float sums[3][32];
  float low[3], high[3];
  unsigned num_pairs;
};

__device__ float LeastOfTwo(float a, float b) { return fminf(a, b); }
__device__ float LargestOfTwo(float a, float b) { return fmaxf(a, b); }
__device__ unsigned long long LeastOfTwo(unsigned long long a, unsigned long long b) { return min(a, b); }
__device__ unsigned long long LargestOfTwo(unsigned long long a, unsigned long long b) { return max(a, b); }

// Batcher's bitonic sort, ascending over the threads of the block, of kCount values a thread at once.
template <int kCount, typename T>
__device__ void SortOverThreads(T (&value)[kCount], T (&exchanged)[kCount][kSampleSize]) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int size = 2; size <= kSampleSize; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      const bool takes_least = ((thread & size) == 0) == ((thread & step) == 0);
      if (step >= 32) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kCount; ++i) exchanged[i][thread] = value[i];
        __syncthreads();
      }
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        const T other = step >= 32 ? exchanged[i][thread ^ step] : __shfl_xor_sync(kFullWarp, value[i], step);
        value[i] = takes_least ? LeastOfTwo(value[i], other) : LargestOfTwo(value[i], other);
      }
    }
  }
  __syncthreads();
}

// How many pairs of the block's points share a cell of the curve.
__device__ unsigned CountPairsInCells(const Point3f& p, bool finite, const EvenCells& even, Workplace& work) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kSlots; i += kSampleSize) {
    work.table.cells[i] = 0;
    work.table.counts[i] = 0;
  }
  if (thread == 0) work.num_pairs = 0;
  __syncthreads();
  unsigned before = 0;  // points of the same cell that came earlier
  if (finite) {
    const unsigned long long cell = 1 + (static_cast<unsigned long long>(CellOf(even.Part(0, p.x))) |
                                         static_cast<unsigned long long>(CellOf(even.Part(1, p.y))) << 20 |
                                         static_cast<unsigned long long>(CellOf(even.Part(2, p.z))) << 40);
    unsigned slot = static_cast<unsigned>((cell * 0x9E3779B97F4A7C15ull) >> 32) % kSlots;
    while (true) {
      const unsigned long long there = atomicCAS(&work.table.cells[slot], 0ull, cell);
      if (there == 0 || there == cell) break;
      slot = (slot + 1) % kSlots;
    }
    before = atomicAdd(&work.table.counts[slot], 1u);
  }
  for (int i = 16; i > 0; i /= 2) before += __shfl_xor_sync(kFullWarp, before, i);
  if (thread % 32 == 0) atomicAdd(&work.num_pairs, before);
  __syncthreads();
  return work.num_pairs;
}

// The distance (the largest of the axes' differences) to the nearest other place of the sample.
__device__ float SpacingAt(const Point3f& p, bool finite, Workplace& work) {
  const float none = __int_as_float(0x7F800000);
  work.points[threadIdx.x] = finite ? make_float4(p.x, p.y, p.z, 0) : make_float4(none, none, none, 0);
  __syncthreads();
  float spacing = none;
#pragma unroll 8
  for (int i = 0; i < kSampleSize; ++i) {
    const float4 q = work.points[i];
    const float apart = fmaxf(fmaxf(fabsf(p.x - q.x), fabsf(p.y - q.y)), fabsf(p.z - q.z));
    if (apart > 0) spacing = fminf(spacing, apart);
  }
  __syncthreads();
  return spacing;
}

// Deals out each axis in steps between neighbouring values of the sample: a step is as wide as the sample's
// spacing there makes it, at most 1. So dense parts get cells, empty stretches hardly any, and cells stay
// about as long in every direction, a sheet's too.
__device__ void DealOutSteps(const Point3f& p, bool finite, int count, Workplace& work, CloudExtent* extent) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  work.spacing[thread] = SpacingAt(p, finite, work);
  const auto index = static_cast<std::uint32_t>(thread);
  const float none = __int_as_float(0x7F800000);
  unsigned long long value[3] = {MakeOrderedKey(finite ? p.x : none, index),
                                 MakeOrderedKey(finite ? p.y : none, index),
                                 MakeOrderedKey(finite ? p.z : none, index)};
  SortOverThreads(value, work.exchanged);
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) work.exchanged[axis][thread] = value[axis];
  __syncthreads();
  float sum[3];
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    sum[axis] = 0;
    const float at = FromOrderedBits(static_cast<std::uint32_t>(value[axis] >> 32));
    if (thread > 0 && thread < count) {
      const unsigned long long last = work.exchanged[axis][thread - 1];
      const float apart = at - FromOrderedBits(static_cast<std::uint32_t>(last >> 32));
      const float spacing =
          fminf(work.spacing[value[axis] & (kSampleSize - 1)], work.spacing[last & (kSampleSize - 1)]);
      if (apart > 0) sum[axis] = fminf(apart / spacing, 1.0f);
    }
    if (thread < count) extent->samples[axis][thread] = at;
    for (int i = 1; i < 32; i *= 2) {
      const float before = __shfl_up_sync(kFullWarp, sum[axis], i);
      if (lane >= i) sum[axis] += before;
    }
    if (lane == 31) work.sums[axis][warp] = sum[axis];
  }
  __syncthreads();
  float most = 0;
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    float before = 0, all = 0;
    for (int i = 0; i < 32; ++i) {
      if (i == warp) before = all;
      all += work.sums[axis][i];
    }
    sum[axis] += before;
    most = fmaxf(most, all);
  }
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    if (thread < count) extent->places[axis][thread] = kFirstPart + kMiddleParts * (sum[axis] / most);
  }
  if (thread == 0) extent->num_steps = most > 0 ? count : 0;
}

// A block an axis: the coordinates of a sample, sorted; the cube of the curve is made of what remains without
// the outermost hundredth on either side, so that points far away do not take the cells from the others. The
// last block to come so far looks whether cells are crowded.
__global__ void __launch_bounds__(kSampleSize)
    SampleExtent(const Point3f* points, std::int64_t num_points, CloudExtent* extent) {
  __shared__ Workplace work;
  __shared__ bool is_last;
  const int thread = static_cast<int>(threadIdx.x), axis = static_cast<int>(blockIdx.x);
  // Not at equal steps: a multiple of an image's width would see one column only.
  const double golden = thread * 0.6180339887498949;
  const double at = (thread + (golden - floor(golden))) * static_cast<double>(num_points) / kSampleSize;
  const Point3f p = points[min(static_cast<std::int64_t>(at), num_points - 1)];
  const bool finite = isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
  const int count = __syncthreads_count(finite);
  float value[1] = {!finite ? __int_as_float(0x7F800000) : axis == 0 ? p.x : axis == 1 ? p.y : p.z};
  SortOverThreads(value, work.exchanged_floats);
  if (thread == count / 100) work.low[0] = count > 0 ? value[0] : 0.0f;
  if (thread == max(count - 1 - count / 100, 0)) work.high[0] = count > 0 ? value[0] : 0.0f;
  __syncthreads();
  if (thread == 0) {
    const float margin = 0.02f * (work.high[0] - work.low[0]);
    extent->low[axis] = work.low[0] - margin;
    extent->high[axis] = work.high[0] + margin;
    if (axis == 0) extent->num_finite = extent->num_steps = 0;
    __threadfence();
    is_last = atomicInc(&extent->blocks_done, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  if (thread < 3) {
    work.low[thread] = __ldcg(&extent->low[thread]);
    work.high[thread] = __ldcg(&extent->high[thread]);
  }
  __syncthreads();
  const unsigned num_pairs = CountPairsInCells(p, finite, EvenCells(work.low, work.high), work);
  // The share of the sample's pairs that sit in one cell, times the points: how many share a point's cell.
  if (2.0 * num_pairs * static_cast<double>(num_points) <=
      kMostInCell * static_cast<double>(count) * static_cast<double>(count))
    return;
  DealOutSteps(p, finite, count, work, extent);
}

}  // namespace

void EnqueueExtent(const Point3f* points, std::int64_t num_points, CloudExtent* extent, cudaStream_t stream) {
  SampleExtent<<<3, kSampleSize, 0, stream>>>(points, num_points, extent);
  CheckLaunch("SampleExtent");
}

}  // namespace parallax::cuda
