#include "cuda/ad_census/cuda_ad_census_views.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "cuda/ad_census/color.cuh"
#include "cuda/device/check.h"
#include "cuda/device/warp.cuh"
#include "pipeline/rules/ad_census_tables.h"

namespace parallax::cuda::ad_census {
namespace {

constexpr dim3 kBlock(32, 8);
constexpr unsigned kThreads = 256;

dim3 GridFor(int width, int height, unsigned depth) {
  return {static_cast<unsigned>((width + 31) / 32), static_cast<unsigned>((height + 7) / 8), depth};
}
unsigned BlocksFor(std::size_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

// --- colours, and what ends an arm between two neighbours ----------------------------------------------
// Colours whose channels stand 10 bits apart, each with kGuards above its 8 bits: subtractions of such words
// keep a channel's guard where its result is 0 or more, and do not reach into the next one.
constexpr std::uint32_t kOnes = 1U | 1U << 10 | 1U << 20, kGuards = 256 * kOnes;
constexpr std::uint32_t kUnlikeAll = 512 * kOnes;  // to all centres
// Flags in unused bits: an arm that grows in this direction ends before the pixel.
constexpr std::uint32_t kEndsToRight = 1U << 9, kEndsToLeft = 1U << 19, kEndsDown = 1U << 30,
                        kEndsUp = 1U << 31, kEnds = kEndsToRight | kEndsToLeft | kEndsDown | kEndsUp;

__host__ __device__ __forceinline__ std::uint32_t GuardedColor(std::uint32_t color) {
  return ((color & 0xFFU) | (color & 0xFF00U) << 2 | (color & 0xFF0000U) << 4) + kGuards;
}

// The colours that are like a centre's, whose channels differ by less than a threshold, 0 .. 256.
struct Likeness {
  std::uint32_t lowest, highest;  // of each channel; above highest one more guard
  __device__ __forceinline__ Likeness(std::uint32_t center, int threshold) : lowest(0), highest(2 * kGuards) {
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const int channel = static_cast<int>(center >> (8 * i) & 0xFFU);
      lowest += static_cast<std::uint32_t>(max(channel - threshold + 1, 0)) << (10 * i);
      highest += static_cast<std::uint32_t>(min(max(channel + threshold - 1, 0), 255)) << (10 * i);
    }
  }
  // The guards of `like` whose channel of the colour, a guarded one, is like the centre's, too.
  __device__ __forceinline__ std::uint32_t And(std::uint32_t like, std::uint32_t guarded) const {
    return like & (guarded - lowest) & (highest - guarded);
  }
};

template <typename T>
__global__ void ColorKernel(const DeviceImageView<const T> of_left, const DeviceImageView<const T> of_right,
                            const View left, const View right, int threshold) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (!of_left.Contains(x, y)) return;
  const bool is_left = blockIdx.z == 0;
  const DeviceImageView<const T> image{is_left ? of_left.data : of_right.data, of_left.width, of_left.height};
  const std::uint32_t color = PackColor(image(x, y));
  std::uint32_t marked = GuardedColor(color);
  const auto mark = [&](int neighbor_x, int neighbor_y, std::uint32_t direction) {
    if (image.Contains(neighbor_x, neighbor_y) &&
        ColorDistance(color, PackColor(image(neighbor_x, neighbor_y))) >= threshold)
      marked |= direction;
  };
  mark(x - 1, y, kEndsToRight);
  mark(x + 1, y, kEndsToLeft);
  mark(x, y - 1, kEndsDown);
  mark(x, y + 1, kEndsUp);
  const std::ptrdiff_t pixel = static_cast<std::ptrdiff_t>(y) * image.width + x;
  (is_left ? left.color : right.color)[pixel] = color;
  (is_left ? left.marked_color : right.marked_color)[pixel] = marked;
}

// --- arms ------------------------------------------------------------------------------------------
struct ArmRules {
  int length, length_strict, threshold, threshold_strict;
};

constexpr int kTileWidth = kWarpSize, kTileHeight = 16, kReach = kMaxArmSpan_px / 2;
constexpr int kTileThreads = kTileWidth * kTileHeight;
using RowTile = std::uint32_t[kTileHeight][kTileWidth + 2 * kReach];
using ColumnTile = std::uint32_t[kTileHeight + 2 * kReach][kTileWidth];

// Along guarded colours kStep apart in shared memory, from behind the one `at` points to. All of a warp call
// it.
template <int kStep>
__device__ __forceinline__ int ArmLength(const std::uint32_t* at, const ArmRules& rules,
                                         const Likeness& likeness, const Likeness& strict) {
  constexpr int kAtOnce = 8;
  std::uint32_t like = kGuards;
  std::uint32_t lengths = 0;  // kOnes times that of the arm, if it were for one channel
  int steps = 0;
  const auto grow = [&](int end, const Likeness& by) {
#pragma unroll 1
    for (; steps + kAtOnce <= end && __any_sync(kFullWarp, like == kGuards);
         steps += kAtOnce, at += kAtOnce * kStep) {
#pragma unroll
      for (int i = 1; i <= kAtOnce; i += 2) {
        const std::uint32_t first = by.And(like, at[i * kStep]);
        like = by.And(first, at[(i + 1) * kStep]);
        lengths += (first + like) / 256;
      }
    }
#pragma unroll 1
    for (; steps < end && __any_sync(kFullWarp, like == kGuards); ++steps, at += kStep) {
      like = by.And(like, at[kStep]);
      lengths += like / 256;
    }
  };
  grow(min(rules.length - 1, rules.length_strict), likeness);
  grow(rules.length - 1, strict);
  constexpr std::uint32_t kOfChannel = 0x3FF;
  return static_cast<int>(min(min(lengths & kOfChannel, lengths >> 10 & kOfChannel), lengths >> 20));
}

// A block computes a tile of an image. The third grid dimension is the image.
__global__ void __launch_bounds__(kTileThreads)
    ArmKernel(const View left, const View right, int width, int height, const ArmRules rules) {
  // Once for each direction: what ends an arm is unlike all centres.
  __shared__ RowTile to_left_tile, to_right_tile;
  __shared__ ColumnTile up_tile, down_tile;
  __shared__ std::uint16_t arms_by_column[kTileWidth][kTileHeight + 2];
  const int column = static_cast<int>(threadIdx.x), row = static_cast<int>(threadIdx.y);
  const int left_x = static_cast<int>(blockIdx.x) * kTileWidth,
            top_y = static_cast<int>(blockIdx.y) * kTileHeight;
  const bool is_left = blockIdx.z == 0;
  const std::uint32_t* const colors = is_left ? left.marked_color : right.marked_color;
  const auto color_at = [&](int x, int y) {
    const bool is_inside = static_cast<unsigned>(x) < static_cast<unsigned>(width) &&
                           static_cast<unsigned>(y) < static_cast<unsigned>(height);
    return is_inside ? colors[static_cast<std::ptrdiff_t>(y) * width + x] : kUnlikeAll | kEnds;
  };
  const auto towards = [](std::uint32_t color, std::uint32_t direction) {
    return (color & direction) != 0 ? kUnlikeAll : color & ~kEnds;
  };
  for (int i = column; i < kTileWidth + 2 * kReach; i += kTileWidth) {
    const std::uint32_t color = color_at(left_x + i - kReach, top_y + row);
    to_left_tile[row][i] = towards(color, kEndsToLeft);
    to_right_tile[row][i] = towards(color, kEndsToRight);
  }
  for (int i = row; i < kTileHeight + 2 * kReach; i += kTileHeight) {
    const std::uint32_t color = color_at(left_x + column, top_y + i - kReach);
    up_tile[i][column] = towards(color, kEndsUp);
    down_tile[i][column] = towards(color, kEndsDown);
  }
  const int x = left_x + column, y = top_y + row;
  const std::ptrdiff_t pixel = static_cast<std::ptrdiff_t>(y) * width + x;
  const std::uint32_t center = x < width && y < height ? (is_left ? left.color : right.color)[pixel] : 0;
  __syncthreads();
  const Likeness likeness(center, rules.threshold), strict(center, rules.threshold_strict);
  const int in_row = column + kReach, in_column = row + kReach;
  const int to_left = ArmLength<-1>(&to_left_tile[row][in_row], rules, likeness, strict),
            to_right = ArmLength<1>(&to_right_tile[row][in_row], rules, likeness, strict),
            up = ArmLength<-kTileWidth>(&up_tile[in_column][column], rules, likeness, strict),
            down = ArmLength<kTileWidth>(&down_tile[in_column][column], rules, likeness, strict);
  const auto row_arms = static_cast<std::uint16_t>(to_left | to_right << 8);
  if (is_left) {
    arms_by_column[column][row] = row_arms;
    __syncthreads();
    const int i = row * kTileWidth + column, of_x = i / kTileHeight, of_y = i % kTileHeight;
    if (left_x + of_x < width && top_y + of_y < height)
      left.row_arms_by_column[static_cast<std::ptrdiff_t>(left_x + of_x) * height + top_y + of_y] =
          arms_by_column[of_x][of_y];
  }
  if (x >= width || y >= height) return;
  const auto column_arms = static_cast<std::uint16_t>(up | down << 8);
  (is_left ? left.row_arms : right.row_arms)[pixel] = row_arms;
  (is_left ? left.column_arms : right.column_arms)[pixel] = column_arms;
  if (is_left) return;
  const auto pair_up = [&](std::uint16_t* pairs, std::uint16_t arms) {
    std::uint16_t* const first = pairs + static_cast<std::ptrdiff_t>(y) * PairedRow(width);
    std::uint16_t* const second = first + static_cast<std::ptrdiff_t>(height) * PairedRow(width);
    first[x + 2] = second[x + 1] = arms;
    if (x == 0) first[0] = first[1] = second[0] = kNoArms;
    if (x == width - 1) first[width + 2] = second[width + 1] = kNoArms;
  };
  pair_up(right.row_arm_pairs, row_arms);
  pair_up(right.column_arm_pairs, column_arms);
}

// --- steps: a warp makes one word of a row, a thread one byte of a column --------------------------------
__global__ void RowStepKernel(const View left, const View right, int width, int height, int threshold) {
  const int x = static_cast<int>(blockIdx.x * kWarpSize + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (y >= height) return;
  const bool is_left = blockIdx.z == 0;
  const std::uint32_t* const at =
      (is_left ? left.color : right.color) + static_cast<std::ptrdiff_t>(y) * width + x;
  const bool has_before = x > 0 && x < width;
  const unsigned steps = __ballot_sync(kFullWarp, has_before && ColorDistance(at[0], at[-1]) >= threshold);
  if (threadIdx.x != 0) return;
  (is_left ? left.row_steps
           : right.row_steps)[static_cast<std::ptrdiff_t>(y) * StepWords(width) + blockIdx.x] = steps;
}

__global__ void ColumnStepKernel(const View left, const View right, int width, int height, int threshold) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), band = static_cast<int>(blockIdx.y);
  if (x >= StepBytes(width)) return;
  const bool is_left = blockIdx.z == 0;
  unsigned steps = 0;  // bit i: between the rows 8 band + i - 1 and 8 band + i
  if (x < width) {
    const std::uint32_t* const color = (is_left ? left.color : right.color) + x;
    const int first = band * kStepBand;
#pragma unroll
    for (int i = 0; i <= kStepBand; ++i) {
      const int y = first + i;
      if (y == 0 || y >= height) continue;
      const std::uint32_t* const at = color + static_cast<std::ptrdiff_t>(y) * width;
      if (ColorDistance(at[0], at[-width]) >= threshold) steps |= 1U << i;
    }
  }
  const std::ptrdiff_t byte = static_cast<std::ptrdiff_t>(band) * StepBytes(width) + x;
  reinterpret_cast<std::uint8_t*>(is_left ? left.down_steps : right.down_steps)[byte] =
      static_cast<std::uint8_t>(steps);
  reinterpret_cast<std::uint8_t*>(is_left ? left.up_steps : right.up_steps)[byte] =
      static_cast<std::uint8_t>(steps >> 1);
}

template <typename T>
__global__ void MirrorKernel(DeviceImageView<const T> from, DeviceImageView<T> to) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (to.Contains(x, y)) to(x, y) = from(from.width - 1 - x, y);
}

View TakeView(Arena& arena, bool is_left, int width, int height) {
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const auto words = [&](int of_row, int rows) {
    return arena.Take<std::uint32_t>(static_cast<std::size_t>(of_row) * static_cast<std::size_t>(rows));
  };
  View view;
  view.color = arena.Take<std::uint32_t>(pixels);
  view.marked_color = arena.Take<std::uint32_t>(pixels);
  view.row_arms = arena.Take<std::uint16_t>(pixels);
  view.column_arms = arena.Take<std::uint16_t>(pixels);
  if (is_left) {
    view.row_arms_by_column = arena.Take<std::uint16_t>(pixels);
  } else {
    const std::size_t pairs =
        2 * static_cast<std::size_t>(PairedRow(width)) * static_cast<std::size_t>(height);
    view.row_arm_pairs = arena.Take<std::uint16_t>(pairs);
    view.column_arm_pairs = arena.Take<std::uint16_t>(pairs);
  }
  view.row_steps = words(StepWords(width), height);
  view.down_steps = words(StepBytes(width) / 4, NumStepBands(height));
  view.up_steps = words(StepBytes(width) / 4, NumStepBands(height));
  return view;
}

}  // namespace

ViewMemory ViewMemory::Take(Arena& arena, const Parameters& parameters, int width, int height) {
  ViewMemory memory;
  memory.left = TakeView(arena, true, width, height);
  memory.right = TakeView(arena, false, width, height);
  memory.census = CensusMemory::Take(arena, parameters.census_transform.window,
                                     static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  return memory;
}

Views MakeViews(const DeviceCameraImage& left, const DeviceCameraImage& right, const Parameters& parameters,
                const ViewMemory& memory, cudaStream_t stream) {
  const auto [width, height] =
      std::visit([](const auto& image) { return std::pair(image.width, image.height); }, left);
  const AdCensusParameters& p = parameters.ad_census;
  const PairCensus census =
      MakePairCensus(left, right, parameters.census_transform.window, memory.census, false, stream);
  const Views views{memory.left, memory.right, census.codes, census.gray_left};
  std::visit(
      [&](const auto& of_left) {
        using T = std::remove_const_t<std::remove_pointer_t<decltype(of_left.data)>>;
        ColorKernel<T><<<GridFor(of_left.width, of_left.height, 2), kBlock, 0, stream>>>(
            of_left, std::get<DeviceImageView<const T>>(right), views.left, views.right, p.arm_threshold);
        CheckLaunch("ColorKernel");
      },
      left);
  const dim3 tiles(static_cast<unsigned>((width + kTileWidth - 1) / kTileWidth),
                   static_cast<unsigned>((height + kTileHeight - 1) / kTileHeight), 2);
  ArmKernel<<<tiles, dim3(kTileWidth, kTileHeight), 0, stream>>>(
      views.left, views.right, width, height,
      ArmRules{p.arm_length, p.arm_length_strict, p.arm_threshold, p.arm_threshold_strict});
  CheckLaunch("ArmKernel");
  return views;
}

void FindSteps(const Views& views, int width, int height, int threshold, cudaStream_t stream) {
  RowStepKernel<<<GridFor(width, height, 2), kBlock, 0, stream>>>(views.left, views.right, width, height,
                                                                  threshold);
  CheckLaunch("RowStepKernel");
  const dim3 bands(BlocksFor(static_cast<std::size_t>(StepBytes(width))),
                   static_cast<unsigned>(NumStepBands(height)), 2);
  ColumnStepKernel<<<bands, kThreads, 0, stream>>>(views.left, views.right, width, height, threshold);
  CheckLaunch("ColumnStepKernel");
}

DeviceCameraImage MirrorImage(const DeviceCameraImage& image, std::uint8_t* memory, cudaStream_t stream) {
  return std::visit(
      [&](const auto& from) -> DeviceCameraImage {
        using T = std::remove_const_t<std::remove_pointer_t<decltype(from.data)>>;
        const DeviceImageView<T> to{reinterpret_cast<T*>(memory), from.width, from.height};
        MirrorKernel<T><<<GridFor(from.width, from.height, 1), kBlock, 0, stream>>>(from, to);
        CheckLaunch("MirrorKernel");
        return AsConst(to);
      },
      image);
}

}  // namespace parallax::cuda::ad_census
