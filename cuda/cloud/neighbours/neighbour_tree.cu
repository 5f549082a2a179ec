// The tree over points in the order of the curve (neighbour_tree.h): boxes of leaves and nodes.
#include <algorithm>

#include "cuda/cloud/neighbours/neighbour_build.h"
#include "cuda/device/check.h"

namespace parallax::cuda {
namespace {

constexpr float kInfinityValue = __builtin_huge_valf();
__device__ bool IsFinite(const Point3f& p) { return isfinite(p.x) && isfinite(p.y) && isfinite(p.z); }

struct Box {
  float low[3], high[3];
  std::uint32_t least_index;
};
__device__ Box EmptyBox() {
  return {{kInfinityValue, kInfinityValue, kInfinityValue},
          {-kInfinityValue, -kInfinityValue, -kInfinityValue},
          kNoPoint};
}
// Unites the boxes of the lanes whose numbers differ only in the bits from `first` to below `width`.
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

// The seven numbers of a box: 0 .. 2 low, 3 .. 5 high, 6 the least index; as integers in their order.
__device__ std::uint32_t LeastOf(int number, std::uint32_t a, std::uint32_t b) {
  return number >= 3 && number < 6 ? max(a, b) : min(a, b);
}
__device__ std::uint32_t NumberOfEmptyBox(int number) {
  return number < 3 ? OrderedBits(kInfinityValue) : number < 6 ? OrderedBits(-kInfinityValue) : kNoPoint;
}
// Where a number stands among the eight words of a box.
__device__ int WordOfNumber(int number) { return number < 3 ? number : number < 6 ? number + 1 : 3; }

// The points into curve order. boxes: null, or the boxes of leaves and of their parents (from first_parent
// on).
__global__ void __launch_bounds__(kTreeBlockPoints)
    SetPoints(const Point3f* points, std::int64_t num_points, const std::uint32_t* order, TreePoint* sorted,
              float4* boxes, std::int64_t first_parent) {
  __shared__ std::uint32_t numbers[4][kTreeBlockPoints + kTreeBlockPoints / 8];  // x, y, z, index
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t place = static_cast<std::int64_t>(blockIdx.x) * kTreeBlockPoints + thread;
  TreePoint set{kInfinityValue, kInfinityValue, kNoPoint, kInfinityValue};
  if (place < num_points) {
    const std::uint32_t index = order[place];
    const Point3f p = points[index];
    if (IsFinite(p)) set = {p.x, p.y, index, p.z};
  }
  sorted[place] = set;
  if (boxes == nullptr) return;
  const int column = thread + thread / 8;  // without bank conflicts when leaves are read
  numbers[0][column] = OrderedBits(set.x);
  numbers[1][column] = OrderedBits(set.y);
  numbers[2][column] = OrderedBits(set.z);
  numbers[3][column] = set.index;
  __syncthreads();
  // One warp for each number, one lane for each leaf.
  const int number = thread / 32, leaf = thread % 32;
  if (number >= 7) return;
  std::uint32_t least = NumberOfEmptyBox(number);
#pragma unroll
  for (int i = 0; i < kLeafPoints; ++i) {
    const std::uint32_t value = numbers[number == 6 ? 3 : number % 3][leaf * 9 + i];
    const bool finite = numbers[3][leaf * 9 + i] != kNoPoint;
    if (finite) least = LeastOf(number, least, value);
  }
  const auto store = [&](std::int64_t node) {
    const std::uint32_t word = number == 6 ? least : __float_as_uint(FromOrderedBits(least));
    reinterpret_cast<std::uint32_t*>(boxes + 2 * node)[WordOfNumber(number)] = word;
  };
  store(static_cast<std::int64_t>(blockIdx.x) * kNodeChildren + leaf);
#pragma unroll
  for (int i = 16; i > 0; i /= 2) least = LeastOf(number, least, __shfl_xor_sync(0xFFFFFFFFu, least, i));
  if (leaf == 0) store(first_parent + blockIdx.x);
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

unsigned Blocks(std::int64_t threads, int block) {
  return static_cast<unsigned>((threads + block - 1) / block);
}

}  // namespace

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

std::int64_t NumTreeNodes(std::int64_t num_points) {
  std::int64_t count = (num_points + kTreeBlockPoints - 1) / kTreeBlockPoints * kNodeChildren, nodes = 0;
  while (count > 1) {
    nodes += (count + 31) / 32 * 32;
    count = (count + 31) / 32;
  }
  return nodes + 1;
}

}  // namespace parallax::cuda
