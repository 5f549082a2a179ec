// Builds the tree of neighbour_tree.h: extent of the cloud, places on the curve, radix sort, boxes.
#include "cuda/cloud/neighbour_build.h"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>

#include "cuda/check.h"
#include "cuda/cloud/hilbert.h"

namespace parallax::cuda {
namespace {

constexpr float kInfinityValue = __builtin_huge_valf();
__constant__ HilbertTable kHilbert = MakeHilbertTable();

__device__ bool IsFinite(const Point3f& p) { return isfinite(p.x) && isfinite(p.y) && isfinite(p.z); }

__device__ std::uint32_t BlockMin(std::uint32_t value, std::uint32_t* shared) {
  for (int i = 16; i > 0; i /= 2) value = min(value, __shfl_xor_sync(0xFFFFFFFFu, value, i));
  __syncthreads();
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  for (unsigned i = 0; i < blockDim.x / 32; ++i) value = min(value, shared[i]);
  return value;
}

__global__ void __launch_bounds__(256)
    MeasureExtent(const Point3f* points, std::int64_t num_points, CloudExtent* extent) {
  float low[3] = {kInfinityValue, kInfinityValue, kInfinityValue};
  float high[3] = {-kInfinityValue, -kInfinityValue, -kInfinityValue};
  std::uint32_t count = 0;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < num_points;
       i += step) {
    const Point3f p = points[i];
    if (!IsFinite(p)) continue;
    ++count;
    low[0] = fminf(low[0], p.x), low[1] = fminf(low[1], p.y), low[2] = fminf(low[2], p.z);
    high[0] = fmaxf(high[0], p.x), high[1] = fmaxf(high[1], p.y), high[2] = fmaxf(high[2], p.z);
  }
  __shared__ std::uint32_t shared[8];
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    const std::uint32_t least = BlockMin(OrderedBits(low[axis]), shared);
    const std::uint32_t greatest = BlockMin(~OrderedBits(high[axis]), shared);
    if (threadIdx.x == 0) {
      atomicMin(&extent->low[axis], least);
      atomicMin(&extent->high[axis], greatest);
    }
  }
  for (int i = 16; i > 0; i /= 2) count += __shfl_xor_sync(0xFFFFFFFFu, count, i);
  if (threadIdx.x % 32 == 0) atomicAdd(&extent->num_finite, count);
}

// Cells are cubes, so that what is near in space is near on the curve in every direction.
template <typename Key>
__global__ void __launch_bounds__(256)
    PlaceOnCurve(const Point3f* points, std::int64_t num_points, const CloudExtent* extent, int bits,
                 Key* keys, std::uint32_t* order) {
  __shared__ std::uint8_t next[kHilbertStates * 8];
  for (int i = static_cast<int>(threadIdx.x); i < kHilbertStates * 8; i += static_cast<int>(blockDim.x))
    next[i] = kHilbert.next[i];
  __syncthreads();
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= num_points) return;
  const Point3f p = points[i];
  Key key = static_cast<Key>((std::uint64_t{1} << (3 * bits)) - 1);
  if (IsFinite(p)) {
    const float low_x = FromOrderedBits(extent->low[0]), low_y = FromOrderedBits(extent->low[1]);
    const float low_z = FromOrderedBits(extent->low[2]);
    const float size =
        fmaxf(fmaxf(FromOrderedBits(~extent->high[0]) - low_x, FromOrderedBits(~extent->high[1]) - low_y),
              FromOrderedBits(~extent->high[2]) - low_z);
    const auto cells = static_cast<float>(1 << bits);
    const float scale = size > 0 ? cells / size : 0.0f;
    // Conversion saturates at 0 and sends NaN there; queries may lie outside.
    const auto cell = [&](float offset) { return min(__float2uint_rd(offset * scale), (1u << bits) - 1); };
    key = static_cast<Key>(HilbertPlace(cell(p.x - low_x), cell(p.y - low_y), cell(p.z - low_z), bits, next));
  }
  keys[i] = key;
  order[i] = static_cast<std::uint32_t>(i);
}

struct Box {
  float low[3], high[3];
  std::uint32_t least_index;
};
__device__ Box EmptyBox() {
  return {{kInfinityValue, kInfinityValue, kInfinityValue},
          {-kInfinityValue, -kInfinityValue, -kInfinityValue},
          kNoPoint};
}
// Of the lanes whose numbers differ in the bits below width.
__device__ void UniteLanes(Box& box, int first, int width) {
  for (int i = first; i < width; i *= 2) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      box.low[axis] = fminf(box.low[axis], __shfl_xor_sync(0xFFFFFFFFu, box.low[axis], i));
      box.high[axis] = fmaxf(box.high[axis], __shfl_xor_sync(0xFFFFFFFFu, box.high[axis], i));
    }
    box.least_index = min(box.least_index, __shfl_xor_sync(0xFFFFFFFFu, box.least_index, i));
  }
}
__device__ void StoreBox(float4* boxes, std::int64_t node, const Box& box) {
  boxes[2 * node] = make_float4(box.low[0], box.low[1], box.low[2], __uint_as_float(box.least_index));
  boxes[2 * node + 1] = make_float4(box.high[0], box.high[1], box.high[2], 0.0f);
}
__device__ Box LoadBox(const float4* boxes, std::int64_t node) {
  const float4 low = boxes[2 * node], high = boxes[2 * node + 1];
  return {{low.x, low.y, low.z}, {high.x, high.y, high.z}, __float_as_uint(low.w)};
}

// The points into curve order. boxes: null, or the boxes of leaves and of their parents (from first_parent
// on).
__global__ void __launch_bounds__(kTreeBlockPoints)
    SetPoints(const Point3f* points, std::int64_t num_points, const std::uint32_t* order, TreePoint* sorted,
              float4* boxes, std::int64_t first_parent) {
  const std::int64_t place = static_cast<std::int64_t>(blockIdx.x) * kTreeBlockPoints + threadIdx.x;
  Box box = EmptyBox();
  TreePoint set{kInfinityValue, kInfinityValue, kNoPoint, kInfinityValue};
  if (place < num_points) {
    const std::uint32_t index = order[place];
    const Point3f p = points[index];
    if (IsFinite(p)) {
      set = {p.x, p.y, index, p.z};
      box = {{p.x, p.y, p.z}, {p.x, p.y, p.z}, index};
    }
  }
  sorted[place] = set;
  if (boxes == nullptr) return;
  UniteLanes(box, 1, kLeafPoints);
  if (threadIdx.x % kLeafPoints == 0) StoreBox(boxes, place / kLeafPoints, box);
  UniteLanes(box, kLeafPoints, 32);
  __shared__ Box of_warps[kTreeBlockPoints / 32];
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = box;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  box = of_warps[threadIdx.x % (kTreeBlockPoints / 32)];
  UniteLanes(box, 1, kTreeBlockPoints / 32);
  if (threadIdx.x == 0) StoreBox(boxes, first_parent + blockIdx.x, box);
}

struct Levels {
  std::int64_t first[kMostTreeLevels], count[kMostTreeLevels];
  int top;
};

// The levels above the leaves' parents; one block.
__global__ void __launch_bounds__(1024) SetUpperLevels(Levels levels, float4* boxes) {
  const auto padded = [](std::int64_t count) { return (count + 31) / 32 * 32; };
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (levels.top > 1) {
    for (std::int64_t i = levels.count[1] + threadIdx.x; i < padded(levels.count[1]); i += blockDim.x)
      StoreBox(boxes, levels.first[1] + i, EmptyBox());
  }
  for (int level = 2; level <= levels.top; ++level) {
    __syncthreads();
    const std::int64_t end = level == levels.top ? 1 : padded(levels.count[level]);
    for (std::int64_t node = threadIdx.x / 32; node < end; node += blockDim.x / 32) {
      Box box = EmptyBox();
      if (node < levels.count[level]) {
        box = LoadBox(boxes, levels.first[level - 1] + node * 32 + lane);
        UniteLanes(box, 1, 32);
      }
      if (lane == 0) StoreBox(boxes, levels.first[level] + node, box);
    }
  }
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
  Check(cudaMemsetAsync(extent, 0xFF, sizeof(CloudExtent), stream), "cudaMemsetAsync");
  const unsigned blocks = std::min(Blocks(num_points, 256), 1056u);
  MeasureExtent<<<blocks, 256, 0, stream>>>(points, num_points, extent);
  CheckLaunch("MeasureExtent");
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
                             cudaStream_t stream) {
  PlaceOnCurve<<<Blocks(num_points, 256), 256, 0, stream>>>(
      points, num_points, extent, bits_, reinterpret_cast<Key*>(keys_[0].data()), order_[0].data());
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
                         cudaStream_t stream, const std::function<void(const char*)>& observer) {
  if (bits_ <= 10) {
    EnqueueKeys<std::uint32_t>(points, num_points, extent, stream);
  } else {
    EnqueueKeys<std::uint64_t>(points, num_points, extent, stream);
  }
  if (observer) observer("keys");
  if (bits_ <= 10) {
    EnqueueSort<std::uint32_t>(num_points, stream);
  } else {
    EnqueueSort<std::uint64_t>(num_points, stream);
  }
  if (observer) observer("sort");
}

void EnqueueTree(const Point3f* points, std::int64_t num_points, const std::uint32_t* order,
                 NeighbourTree& tree, TreePoint* sorted, float4* boxes, cudaStream_t stream) {
  Levels levels{};
  std::int64_t count = (num_points + kTreeBlockPoints - 1) / kTreeBlockPoints * kNodeChildren, next = 0;
  for (int level = 0;; ++level) {
    levels.first[level] = next;
    levels.count[level] = count;
    levels.top = level;
    if (level > 0 && count == 1) break;
    next += (count + 31) / 32 * 32;
    count = (count + 31) / 32;
  }
  SetPoints<<<Blocks(num_points, kTreeBlockPoints), kTreeBlockPoints, 0, stream>>>(
      points, num_points, order, sorted, boxes, levels.first[1]);
  CheckLaunch("SetPoints");
  if (levels.top > 1) {
    SetUpperLevels<<<1, 1024, 0, stream>>>(levels, boxes);
    CheckLaunch("SetUpperLevels");
  }
  std::copy(std::begin(levels.first), std::end(levels.first), std::begin(tree.first_node));
  tree.top = levels.top;
  tree.points = sorted;
  tree.boxes = boxes;
  tree.num_points = static_cast<int>(num_points);
}

void EnqueueQueryPoints(const Point3f* queries, std::int64_t num_queries, const std::uint32_t* order,
                        TreePoint* sorted, cudaStream_t stream) {
  SetPoints<<<Blocks(num_queries, kTreeBlockPoints), kTreeBlockPoints, 0, stream>>>(
      queries, num_queries, order, sorted, nullptr, 0);
  CheckLaunch("SetPoints");
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

std::int64_t NumTreeNodes(std::int64_t num_points) {
  std::int64_t count = (num_points + kTreeBlockPoints - 1) / kTreeBlockPoints * kNodeChildren, nodes = 0;
  while (count > 1) {
    nodes += (count + 31) / 32 * 32;
    count = (count + 31) / 32;
  }
  return nodes + 1;
}

}  // namespace parallax::cuda
