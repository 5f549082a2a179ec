// refinement, trees. Two kernels: sums and extremes of windows along rows; then, a thread for two pixels, the
// same down the columns, the features, and the verdicts. A thread holds its features in shared memory, those
// of both pixels in one word, so that a question is asked of both at once.
#include "cuda/filters/cuda_judgement.h"

#include "cuda/device/dependent_launch.cuh"
#include "cuda/device/warp.cuh"
#include "cuda/filters/tree_questions.cuh"
#include "pipeline/trees/driving_trees.h"
#include "pipeline/trees/general_trees.h"
#include "pipeline/trees/pixel_trees.h"

namespace parallax::cuda {
namespace {

constexpr int kRowThreads = 256;  // pixels of a block of the first kernel
constexpr int kWarps = 8;         // of the second one's
constexpr int kPixelsPerThread = 2, kBlockWidth = kPixelsPerThread * kWarpSize;
constexpr int kNumKeptSums = 5, kNumIndexSums = 2, kNumEdgeSums = 3, kNumExtremes = 6;

// Twice the index, and 1 where the pixel is kept.
constexpr int kOutsideCode = 0xFFFE;  // its index is above all others
constexpr std::uint16_t kNoneKept = 0xFFFF;

// Of each TreeSet but kNone. Kernels are made for each of them: questions at addresses that the compiler knows are
// asked 9 % faster.
__constant__ constexpr Questions<kNumTrees> kQuestions[] = {QuestionsOf(kDrivingTrees.trees),
                                                            QuestionsOf(kGeneralTrees.trees)};
__device__ constexpr Leaves<kNumTrees> kLeaves[] = {LeavesOf(kDrivingTrees.trees),
                                                    LeavesOf(kGeneralTrees.trees)};

struct Arguments {
  DeviceDisparityMap map;
  DeviceImageView<const std::uint8_t> guide;
  JudgementMemory memory;
  std::size_t num_pixels;
  int min_disparity;
  const DisparityPlane* planes;
  int tile, tiles_x, tiles_y;
};

__device__ __forceinline__ int CodeOf(const Arguments& a, int x, int y) {
  if (x < 0 || x >= a.guide.width) return kOutsideCode;
  const float selected =
      a.memory.selected[static_cast<std::size_t>(y) * static_cast<std::size_t>(a.guide.width) + x];
  const int index = isnan(selected) ? 0 : RoundedIndex(floorf(selected + 0.5F), a.min_disparity);
  return 2 * index + ((a.map.validity(x, y) & kRejected) == 0 ? 1 : 0);
}

__global__ void __launch_bounds__(kRowThreads) GatherRowsKernel(const Arguments a) {
  constexpr int kReach = kLargestFeatureRadius;
  __shared__ std::uint16_t codes[kRowThreads + 2 * kReach];
  __shared__ std::uint8_t column_edges[kRowThreads + 2 * kEdgeRadius],
      row_edges[kRowThreads + 2 * kEdgeRadius];
  WaitForKernelBefore();
  LetNextKernelBegin();
  const int thread = static_cast<int>(threadIdx.x), x_begin = static_cast<int>(blockIdx.x) * kRowThreads;
  const int y = static_cast<int>(blockIdx.y), width = a.guide.width;
  for (int i = thread; i < kRowThreads + 2 * kReach; i += kRowThreads)
    codes[i] = static_cast<std::uint16_t>(CodeOf(a, x_begin + i - kReach, y));
  for (int i = thread; i < kRowThreads + 2 * kEdgeRadius; i += kRowThreads) {
    const int x = x_begin + i - kEdgeRadius;
    const bool is_inside = x >= 0 && x < width;
    column_edges[i] = row_edges[i] = 0;
    if (!is_inside) continue;
    column_edges[i] =
        static_cast<std::uint8_t>(abs(a.guide(min(x + 1, width - 1), y) - a.guide(max(x - 1, 0), y)));
    row_edges[i] = static_cast<std::uint8_t>(
        abs(a.guide(x, min(y + 1, a.guide.height - 1)) - a.guide(x, max(y - 1, 0))));
  }
  __syncthreads();
  const int x = x_begin + thread;
  if (x >= width) return;
  const std::size_t pixel = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + x;
  const std::uint16_t* const center = codes + thread + kReach;
  a.memory.codes[pixel] = center[0];

  int kept = 0, sum = 0, lowest = center[0] >> 1, kept_lowest = kNoneKept, kept_highest = -1;
  const auto store = [&](auto* images, int image, int value) {
    images[static_cast<std::size_t>(image) * a.num_pixels + pixel] =
        static_cast<std::remove_reference_t<decltype(*images)>>(value);
  };
  const auto add = [&](int code, bool for_extremes) {
    const int index = code >> 1, is_kept = code & 1;
    kept += is_kept;
    sum += is_kept != 0 ? index : 0;
    if (!for_extremes) return;
    lowest = min(lowest, index);
    if (is_kept != 0) kept_lowest = min(kept_lowest, index), kept_highest = max(kept_highest, index);
  };
  add(center[0], true);
#pragma unroll
  for (int k = 1; k <= kReach; ++k) {
    const bool for_extremes = k <= WindowRadius(1);
    add(center[-k], for_extremes);
    add(center[k], for_extremes);
    if (k == 4) store(a.memory.kept_sums, 0, kept);
    if (k == 8) store(a.memory.kept_sums, 1, kept), store(a.memory.index_sums, 0, sum);
    if (k == 16) store(a.memory.kept_sums, 2, kept);
    if (k == 32) store(a.memory.kept_sums, 3, kept);
    if (k == 20) store(a.memory.kept_sums, 4, kept), store(a.memory.index_sums, 1, sum);
    if (k == WindowRadius(0) || k == WindowRadius(1)) {
      const int first = k == WindowRadius(0) ? 0 : 3;
      store(a.memory.extremes, first, lowest);
      store(a.memory.extremes, first + 1, kept_lowest);
      store(a.memory.extremes, first + 2, kept_highest);  // kNoneKept where there is none, too
    }
  }
  static_assert(KeptRadius(0) == 4 && KeptRadius(1) == 8 && KeptRadius(2) == 16 && KeptRadius(3) == 32 &&
                MeanRadius(0) == 8 && MeanRadius(1) == 20);

  const std::uint8_t *const column_edge = column_edges + thread + kEdgeRadius, *const row_edge = row_edges +
                                                                                                 thread +
                                                                                                 kEdgeRadius;
  int columns = column_edge[0], rows = row_edge[0];
#pragma unroll
  for (int k = 1; k <= kEdgeRadius; ++k) {
    columns += column_edge[-k] + column_edge[k];
    rows += row_edge[-k] + row_edge[k];
    if (k == kSmallEdgeRadius) store(a.memory.edge_sums, 0, columns);
  }
  store(a.memory.edge_sums, 1, columns);
  store(a.memory.edge_sums, 2, rows);
}

struct PixelWindows {
  const Arguments& a;
  int x, y;
  std::size_t pixel;

  __device__ int Top(int radius) const { return max(0, y - radius); }
  __device__ int Bottom(int radius) const { return min(a.guide.height, y + radius + 1); }
  __device__ int Count(int radius) const {
    return (min(a.guide.width, x + radius + 1) - max(0, x - radius)) * (Bottom(radius) - Top(radius));
  }
  // Calls take(value) for the rows of the window.
  template <typename T, typename Take>
  __device__ __forceinline__ void ForRows(const T* images, int image, int radius, const Take& take) const {
    const auto width = static_cast<std::size_t>(a.guide.width);
    const T* at = images + static_cast<std::size_t>(image) * a.num_pixels +
                  static_cast<std::size_t>(Top(radius)) * width + x;
    for (int v = Top(radius); v < Bottom(radius); ++v, at += width) take(static_cast<int>(*at));
  }
  template <typename T>
  __device__ __forceinline__ int Sum(const T* images, int image, int radius) const {
    int sum = 0;
    ForRows(images, image, radius, [&](int value) { sum += value; });
    return sum;
  }
};

__device__ __forceinline__ void MakeFeatures(const PixelWindows& w, const auto& set) {
  const Arguments& a = w.a;
  const int x = w.x, y = w.y;
  const int code = a.memory.codes[w.pixel], index = code >> 1, disparity = index + a.min_disparity;
  set(PixelFeature::kStatus, 0, StatusOf(a.map.validity(x, y)));
  set(PixelFeature::kDisparity, 0, disparity);
  set(PixelFeature::kRow, 0, 255 * y / a.guide.height);
  set(PixelFeature::kGray, 0, a.guide(x, y));
  set(PixelFeature::kRightColumn, 0, x - disparity + 64);

  int kept8 = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int kept = w.Sum(a.memory.kept_sums, i, KeptRadius(i));
    if (i == 1) kept8 = kept;
    set(PixelFeature::kKept4, i, 255 * kept / w.Count(KeptRadius(i)));
  }
  set(PixelFeature::kMean8, 0, MeanFeature(w.Sum(a.memory.index_sums, 0, MeanRadius(0)), kept8, index));
  set(PixelFeature::kMean20, 0,
      MeanFeature(w.Sum(a.memory.index_sums, 1, MeanRadius(1)), w.Sum(a.memory.kept_sums, 4, MeanRadius(1)),
                  index));

#pragma unroll
  for (int i = 0; i < 4; ++i) {
    int agreement = 0;
#pragma unroll
    for (int k = 0; k < kRingPixels; ++k) {
      const RingOffset at = ScaledTo(RingOf(i).radius, RingOffsetOf(k));
      const int u = x + at.x, v = y + at.y;
      if (!a.guide.Contains(u, v)) continue;
      const int other =
          a.memory.codes[static_cast<std::size_t>(v) * static_cast<std::size_t>(a.guide.width) + u];
      if (abs((other >> 1) - index) <= RingOf(i).difference) agreement += 1 + (other & 1);
    }
    set(PixelFeature::kAgree2, i, agreement);
  }

#pragma unroll
  for (int i = 0; i < 2; ++i) {
    int lowest = kNoneKept, kept_lowest = kNoneKept, kept_highest = -1;
    w.ForRows(a.memory.extremes, 3 * i, WindowRadius(i), [&](int value) { lowest = min(lowest, value); });
    w.ForRows(a.memory.extremes, 3 * i + 1, WindowRadius(i),
              [&](int value) { kept_lowest = min(kept_lowest, value); });
    w.ForRows(a.memory.extremes, 3 * i + 2, WindowRadius(i),
              [&](int value) { kept_highest = max(kept_highest, value == kNoneKept ? -1 : value); });
    set(PixelFeature::kLowest5, i, index - lowest);
    const bool is_any_kept = kept_highest >= 0;
    set(PixelFeature::kKeptLowest5, 2 * i, KeptExtremeFeature(is_any_kept, index - kept_lowest));
    set(PixelFeature::kKeptHighest5, 2 * i, KeptExtremeFeature(is_any_kept, kept_highest - index));
  }

  set(PixelFeature::kColumnEdges3, 0,
      4 * w.Sum(a.memory.edge_sums, 0, kSmallEdgeRadius) / w.Count(kSmallEdgeRadius));
  set(PixelFeature::kColumnEdges8, 0, 4 * w.Sum(a.memory.edge_sums, 1, kEdgeRadius) / w.Count(kEdgeRadius));
  set(PixelFeature::kRowEdges8, 0, 4 * w.Sum(a.memory.edge_sums, 2, kEdgeRadius) / w.Count(kEdgeRadius));

  const float selected = a.memory.selected[w.pixel];
  const float value = isnan(selected) ? static_cast<float>(a.min_disparity) : selected;
  int own = 255, nearest = 255, num_near = 0;
#pragma unroll
  for (int i = 0; i < 9; ++i) {
    const int column = x / a.tile + i % 3 - 1, row = y / a.tile + i / 3 - 1;
    if (column < 0 || column >= a.tiles_x || row < 0 || row >= a.tiles_y) continue;
    const DisparityPlane plane = a.planes[row * a.tiles_x + column];
    if (plane.value == kNoValue) continue;
    const int distance = PlaneDistance(plane, static_cast<float>(x - (column * a.tile + a.tile / 2)),
                                       static_cast<float>(y - (row * a.tile + a.tile / 2)), value);
    if (i == 4) own = distance;
    nearest = min(nearest, distance);
    num_near += distance < kNearPlane ? 1 : 0;
  }
  set(PixelFeature::kOwnPlane, 0, own);
  set(PixelFeature::kNearestPlane, 0, nearest);
  set(PixelFeature::kNumPlanes, 0, num_near);
}

template <TreeSet kSet>
__global__ void __launch_bounds__(kWarps* kWarpSize) JudgeKernel(const Arguments a, int bias) {
  __shared__ std::uint32_t features[kNumPixelFeatures][kWarps * kWarpSize];
  WaitForKernelBefore();
  LetNextKernelBegin();
  const int thread = static_cast<int>(threadIdx.y) * kWarpSize + static_cast<int>(threadIdx.x);
  const int x_begin = static_cast<int>(blockIdx.x) * kBlockWidth + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * kWarps + static_cast<int>(threadIdx.y);
  if (x_begin >= a.guide.width || y >= a.guide.height) return;
  // A thread reads only what it has written itself.
  for (int half = 0; half < kPixelsPerThread; ++half) {
    // Beyond the border: any pixel, whose verdict is not used.
    const int x = min(x_begin + half * kWarpSize, a.guide.width - 1);
    const std::size_t pixel = static_cast<std::size_t>(y) * static_cast<std::size_t>(a.guide.width) + x;
    MakeFeatures({a, x, y, pixel}, [&](PixelFeature first, int i, int value) {
      std::uint32_t& word = features[static_cast<int>(first) + i][thread];
      const std::uint32_t byte = ClampToByte(value);
      word = half == 0 ? byte : word | byte << 16;
    });
  }
  int sums[kPixelsPerThread] = {bias, bias};
  AddLeaves(
      kQuestions[static_cast<int>(kSet) - 1], kLeaves[static_cast<int>(kSet) - 1],
      [&](std::uint32_t feature) { return features[feature][thread]; }, sums);
  for (int half = 0; half < kPixelsPerThread; ++half) {
    const int x = x_begin + half * kWarpSize;
    if (x >= a.guide.width) break;
    std::uint8_t& validity = a.map.validity(x, y);
    const float selected =
        a.memory.selected[static_cast<std::size_t>(y) * static_cast<std::size_t>(a.guide.width) + x];
    if (!Changes(validity, sums[half], !isnan(selected))) continue;
    const bool was_kept = (validity & kRejected) == 0;
    validity = was_kept ? kMismatched : kValid;
    a.map.disparity(x, y) = was_kept ? __int_as_float(0x7FC00000) : selected;
  }
}

__global__ void __launch_bounds__(kRowThreads)
    KeepSelectedKernel(const float* disparity, float* selected, std::size_t count) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kRowThreads + threadIdx.x;
  if (i < count) selected[i] = disparity[i];
}

unsigned Blocks(std::size_t count, std::size_t per_block) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}

}  // namespace

JudgementMemory JudgementMemory::Take(Arena& arena, std::size_t num_pixels) {
  JudgementMemory memory;
  memory.selected = arena.Take<float>(num_pixels);
  memory.codes = arena.Take<std::uint16_t>(num_pixels);
  memory.kept_sums = arena.Take<std::uint8_t>(kNumKeptSums * num_pixels);
  memory.index_sums = arena.Take<std::uint16_t>(kNumIndexSums * num_pixels);
  memory.edge_sums = arena.Take<std::uint16_t>(kNumEdgeSums * num_pixels);
  memory.extremes = arena.Take<std::uint16_t>(kNumExtremes * num_pixels);
  return memory;
}

void KeepSelected(DeviceImageView<const float> disparity, float* selected, cudaStream_t stream) {
  const std::size_t count =
      static_cast<std::size_t>(disparity.width) * static_cast<std::size_t>(disparity.height);
  LaunchDependent("KeepSelectedKernel", KeepSelectedKernel, dim3(Blocks(count, kRowThreads)),
                  dim3(kRowThreads), 0, stream, disparity.data, selected, count);
}

void JudgePixels(const Parameters& parameters, DeviceImageView<const std::uint8_t> guide,
                 const JudgementMemory& memory, const DisparityPlane* planes, const DeviceDisparityMap& map,
                 cudaStream_t stream) {
  const int tile = parameters.refinement.plane_tile;
  const auto width = static_cast<std::size_t>(guide.width), height = static_cast<std::size_t>(guide.height);
  const Arguments arguments{.map = map,
                            .guide = guide,
                            .memory = memory,
                            .num_pixels = width * height,
                            .min_disparity = parameters.matching_cost.min_disparity,
                            .planes = planes,
                            .tile = tile,
                            .tiles_x = (guide.width + tile - 1) / tile,
                            .tiles_y = (guide.height + tile - 1) / tile};
  LaunchDependent("GatherRowsKernel", GatherRowsKernel,
                  dim3(Blocks(width, kRowThreads), static_cast<unsigned>(height)), dim3(kRowThreads), 0,
                  stream, arguments);
  const TreeSet set = parameters.refinement.trees;
  LaunchDependent("JudgeKernel",
                  set == TreeSet::kDriving ? JudgeKernel<TreeSet::kDriving> : JudgeKernel<TreeSet::kGeneral>,
                  dim3(Blocks(width, kBlockWidth), Blocks(height, kWarps)), dim3(kWarpSize, kWarps), 0,
                  stream, arguments, TreesOf(set).bias);
}

}  // namespace parallax::cuda
