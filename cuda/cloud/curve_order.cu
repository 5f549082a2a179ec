// Points in the order of a Hilbert curve: a cube around most of the cloud, places on the curve, radix sort.
#include <cub/device/device_radix_sort.cuh>

#include "cuda/check.h"
#include "cuda/cloud/hilbert.h"
#include "cuda/cloud/neighbour_build.h"

namespace parallax::cuda {
namespace {

constexpr float kInfinityValue = __builtin_huge_valf();
__device__ const HilbertPairTable kHilbert = MakeHilbertPairTable();

__device__ bool IsFinite(const Point3f& p) { return isfinite(p.x) && isfinite(p.y) && isfinite(p.z); }

constexpr int kSampleSize = 1024;

// A block an axis: the coordinates of a sample, sorted; the cube of the curve is made of what remains without
// the outermost hundredth on either side, so that points far away do not take the cells from the others.
__global__ void __launch_bounds__(kSampleSize)
    SampleExtent(const Point3f* points, std::int64_t num_points, CloudExtent* extent) {
  __shared__ float sorted[kSampleSize];
  const int thread = static_cast<int>(threadIdx.x), axis = static_cast<int>(blockIdx.x);
  // Not at equal steps: a multiple of an image's width would see one column only.
  const double at =
      (thread + fmod(thread * 0.6180339887498949, 1.0)) * static_cast<double>(num_points) / kSampleSize;
  const Point3f p = points[min(static_cast<std::int64_t>(at), num_points - 1)];
  const bool finite = IsFinite(p);
  sorted[thread] = finite ? (axis == 0 ? p.x : axis == 1 ? p.y : p.z) : kInfinityValue;
  const int count = __syncthreads_count(finite);
  for (int size = 2; size <= kSampleSize; size *= 2) {  // Batcher's bitonic sort
    for (int step = size / 2; step > 0; step /= 2) {
      const int other = thread ^ step;
      if (other > thread) {
        const float first = sorted[thread], second = sorted[other];
        if ((first > second) == ((thread & size) == 0)) {
          sorted[thread] = second;
          sorted[other] = first;
        }
      }
      __syncthreads();
    }
  }
  if (thread != 0) return;
  const float low = count > 0 ? sorted[count / 100] : 0.0f,
              high = count > 0 ? sorted[count - 1 - count / 100] : 0.0f;
  const float margin = 0.02f * (high - low);
  extent->low[axis] = low - margin;
  extent->high[axis] = high + margin;
  if (axis == 0) extent->num_finite = 0;
}

// Cells are cubes, so that what is near in space is near on the curve in every direction. The middle three
// quarters of the grid are the cube of the extent; what lies outside, up to infinity, shares the rest.
template <typename Key>
__global__ void __launch_bounds__(256)
    PlaceOnCurve(const Point3f* points, std::int64_t num_points, const CloudExtent* extent,
                 std::uint32_t* num_finite, int bits, Key* keys, std::uint32_t* order) {
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
  Key key = static_cast<Key>((std::uint64_t{1} << (3 * bits)) - 1);
  if (finite) {
    const CloudExtent e = *extent;
    const float size = fmaxf(fmaxf(e.high[0] - e.low[0], e.high[1] - e.low[1]), e.high[2] - e.low[2]);
    const float scale = size > 0 ? 1.0f / size : 1.0f;
    const auto cell = [&](float offset) {
      const float at = offset * scale;
      const float part = at < 0 ? 0.125f / (1.0f - at) : at > 1 ? 1.0f - 0.125f / at : 0.125f + 0.75f * at;
      return min(__float2uint_rd(part * static_cast<float>(1 << bits)), (1u << bits) - 1);  // NaN goes to 0
    };
    key = static_cast<Key>(
        HilbertPlace(cell(p.x - e.low[0]), cell(p.y - e.low[1]), cell(p.z - e.low[2]), bits, next));
  }
  keys[i] = key;
  order[i] = static_cast<std::uint32_t>(i);
}

// Where each warp of queries begins: the place of its middle query's key, rounded down to whole warps.
template <typename Key>
__global__ void __launch_bounds__(256)
    FindPlaces(const Key* query_keys, std::int64_t num_queries, const Key* keys, std::int64_t num_points,
               std::int32_t* places) {
  const std::int64_t warp = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (warp * 32 >= num_queries) return;
  const Key key = query_keys[min(warp * 32 + 16, num_queries - 1)];
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

template <typename Key>
std::size_t SortTemporaryBytes(std::int64_t size, int end_bit) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<Key> keys(nullptr, nullptr);
  cub::DoubleBuffer<std::uint32_t> values(nullptr, nullptr);
  Check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, size, 0, end_bit),
        "cub::DeviceRadixSort::SortPairs");
  return bytes;
}

}  // namespace

void EnqueueExtent(const Point3f* points, std::int64_t num_points, CloudExtent* extent, cudaStream_t stream) {
  SampleExtent<<<3, kSampleSize, 0, stream>>>(points, num_points, extent);
  CheckLaunch("SampleExtent");
}

CurveOrder::CurveOrder(std::int64_t size, int bits) : bits_(bits), size_(size) {
  const auto count = static_cast<std::size_t>(size);
  const std::size_t words = bits <= 10 ? 1 : 2;
  for (int i = 0; i < 2; ++i) {
    keys_[i] = DeviceBuffer<std::uint32_t>(count * words);
    order_[i] = DeviceBuffer<std::uint32_t>(count);
  }
  temporary_ = DeviceBuffer<std::byte>(bits <= 10 ? SortTemporaryBytes<std::uint32_t>(size, 3 * bits)
                                                  : SortTemporaryBytes<std::uint64_t>(size, 3 * bits));
}

std::size_t CurveOrder::MemoryBytes() const {
  return 2 * (keys_[0].size_bytes() + order_[0].size_bytes()) + temporary_.size_bytes();
}

template <typename Key>
void CurveOrder::EnqueueKeys(const Point3f* points, std::int64_t num_points, const CloudExtent* extent,
                             std::uint32_t* num_finite, cudaStream_t stream) {
  PlaceOnCurve<<<Blocks(num_points, 256), 256, 0, stream>>>(points, num_points, extent, num_finite, bits_,
                                                            reinterpret_cast<Key*>(keys_[0].data()),
                                                            order_[0].data());
  CheckLaunch("PlaceOnCurve");
}

template <typename Key>
void CurveOrder::EnqueueSort(std::int64_t num_points, cudaStream_t stream) {
  cub::DoubleBuffer<Key> keys(reinterpret_cast<Key*>(keys_[0].data()),
                              reinterpret_cast<Key*>(keys_[1].data()));
  cub::DoubleBuffer<std::uint32_t> order(order_[0].data(), order_[1].data());
  std::size_t bytes = temporary_.size_bytes();
  Check(cub::DeviceRadixSort::SortPairs(temporary_.data(), bytes, keys, order, num_points, 0, 3 * bits_,
                                        stream),
        "cub::DeviceRadixSort::SortPairs");
  current_ = keys.Current() == reinterpret_cast<Key*>(keys_[0].data()) ? 0 : 1;
}

void CurveOrder::Enqueue(const Point3f* points, std::int64_t num_points, const CloudExtent* extent,
                         std::uint32_t* num_finite, cudaStream_t stream,
                         const std::function<void(const char*)>& observer) {
  if (bits_ <= 10) {
    EnqueueKeys<std::uint32_t>(points, num_points, extent, num_finite, stream);
  } else {
    EnqueueKeys<std::uint64_t>(points, num_points, extent, num_finite, stream);
  }
  if (observer) observer("keys");
  if (bits_ <= 10) {
    EnqueueSort<std::uint32_t>(num_points, stream);
  } else {
    EnqueueSort<std::uint64_t>(num_points, stream);
  }
  if (observer) observer("sort");
}

void EnqueuePlaces(const CurveOrder& of_queries, std::int64_t num_queries, const CurveOrder& of_points,
                   std::int64_t num_points, std::int32_t* places, cudaStream_t stream) {
  const unsigned blocks = Blocks((num_queries + 31) / 32, 256);
  if (of_points.bits() <= 10) {
    FindPlaces<<<blocks, 256, 0, stream>>>(of_queries.keys(), num_queries, of_points.keys(), num_points,
                                           places);
  } else {
    FindPlaces<<<blocks, 256, 0, stream>>>(
        reinterpret_cast<const std::uint64_t*>(of_queries.keys()), num_queries,
        reinterpret_cast<const std::uint64_t*>(of_points.keys()), num_points, places);
  }
  CheckLaunch("FindPlaces");
}

}  // namespace parallax::cuda
