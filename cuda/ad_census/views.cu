#include "cuda/ad_census/views.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "cuda/ad_census/color.cuh"
#include "cuda/device/check.h"
#include "cuda/device/warp.cuh"

namespace parallax::cuda::ad_census {
namespace {

constexpr dim3 kBlock(32, 8);
constexpr unsigned kThreads = 256;

dim3 GridFor(int width, int height, unsigned depth) {
  return {static_cast<unsigned>((width + 31) / 32), static_cast<unsigned>((height + 7) / 8), depth};
}
unsigned BlocksFor(std::size_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

// --- colours; the second grid dimension tells the left image from the right -------------------
template <typename T>
__global__ void ColorKernel(const T* left, const T* right, std::size_t count, std::uint32_t* color_left,
                            std::uint32_t* color_right) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  (blockIdx.y == 0 ? color_left : color_right)[i] = PackColor((blockIdx.y == 0 ? left : right)[i]);
}

// --- arms ------------------------------------------------------------------------------------------
// Whether no channel of two colours differs by a threshold, 0 .. 256, or more. A byte b reaches 1 .. 128
// where b or (b mod 128) + 128 - threshold has its highest bit, 129 .. 256 where b and (b mod 128) + 256 -
// threshold have.
struct Likeness {
  std::uint32_t added;
  bool is_high, is_none;
  explicit Likeness(int threshold)
      : added(static_cast<std::uint32_t>((threshold > 128 ? 256 : 128) - threshold) * 0x010101U),
        is_high(threshold > 128),
        is_none(threshold <= 0) {}
  __device__ __forceinline__ bool operator()(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t d = __vabsdiffu4(a, b), sum = (d & 0x7F7F7FU) + added;
    return ((is_high ? sum & d : sum | d) & 0x808080U) == 0 && !is_none;
  }
};
struct ArmRules {
  int length, length_strict;
  Likeness alike, alike_strict;
};

// Lengthens an arm up to `longest`, pixel by pixel `step` apart. at: its last pixel, whose colour is
// `before`. Ends where a colour is not like the centre's, or not like the one before it.
struct Arm {
  const std::uint32_t* at;
  std::uint32_t center, before;
  int length;

  __device__ __forceinline__ bool Grow(int longest, std::ptrdiff_t step, const Likeness& like_center,
                                       const Likeness& like_before) {
    constexpr int kAtOnce = 4;  // pixels that are loaded together
    const auto take = [&](std::uint32_t color) {
      if (!like_center(color, center) || !like_before(color, before)) return false;
      before = color;
      ++length;
      return true;
    };
    while (length + kAtOnce <= longest) {
      std::uint32_t colors[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) colors[i] = *(at += step);
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        if (!take(colors[i])) return false;
      }
    }
    while (length < longest) {
      if (!take(*(at += step))) return false;
    }
    return true;
  }
};

// Along pixels `step` apart, of which the image has `room`.
__device__ __forceinline__ int ArmLength(const std::uint32_t* at, std::ptrdiff_t step, int room,
                                         const ArmRules& rules) {
  Arm arm{at, *at, *at, 0};
  const int longest = min(rules.length - 1, room);
  if (arm.Grow(min(longest, rules.length_strict), step, rules.alike, rules.alike))
    arm.Grow(longest, step, rules.alike_strict, rules.alike);
  return arm.length;
}

// The third grid dimension: left image's rows, columns, right image's rows, columns.
__global__ void __launch_bounds__(256)
    ArmKernel(const View left, const View right, int width, int height, const ArmRules rules) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  const bool is_left = blockIdx.z < 2;
  const std::size_t pixel = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + x;
  const std::uint32_t* const at = (is_left ? left.color : right.color) + pixel;
  const bool is_row = blockIdx.z % 2 == 0;
  const std::ptrdiff_t step = is_row ? 1 : width;
  const int back = ArmLength(at, -step, is_row ? x : y, rules);
  const int ahead = ArmLength(at, step, is_row ? width - 1 - x : height - 1 - y, rules);
  std::uint16_t* const of_left = is_row ? left.row_arms : left.column_arms;
  std::uint16_t* const of_right = is_row ? right.row_arms : right.column_arms;
  (is_left ? of_left : of_right)[pixel] = static_cast<std::uint16_t>(back | ahead << 8);
  std::uint32_t* const reach_of_left = is_row ? left.row_reach : left.column_reach;
  std::uint32_t* const reach_of_right = is_row ? right.row_reach : right.column_reach;
  const auto reach = static_cast<std::uint32_t>((back | ahead << 16) * kArmStep);
  (is_left ? reach_of_left : reach_of_right)[pixel] = reach;
  if (is_left) return;
  const auto pair_up = [&](auto* pairs, auto value, auto none) {
    auto* const first = pairs + static_cast<std::ptrdiff_t>(y) * PairedRow(width);
    auto* const second = first + static_cast<std::ptrdiff_t>(height) * PairedRow(width);
    first[x + 2] = second[x + 1] = value;
    if (x == 0) first[0] = first[1] = second[0] = none;
    if (x == width - 1) first[width + 2] = second[width + 1] = none;
  };
  if (is_row) {
    pair_up(right.row_arm_pairs, static_cast<std::uint16_t>(back | ahead << 8),
            static_cast<std::uint16_t>(kNoReach));
  } else {
    pair_up(right.column_reach_pairs, reach, kNoReach);
  }
}

// --- steps: of rows a warp makes a word, of columns a thread a byte each ---------------------------------
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
  view.row_arms = arena.Take<std::uint16_t>(pixels);
  view.column_arms = arena.Take<std::uint16_t>(pixels);
  view.row_reach = arena.Take<std::uint32_t>(pixels);
  view.column_reach = arena.Take<std::uint32_t>(pixels);
  if (!is_left) {
    view.column_reach_pairs = words(2 * PairedRow(width), height);
    view.row_arm_pairs = arena.Take<std::uint16_t>(2 * static_cast<std::size_t>(PairedRow(width)) *
                                                   static_cast<std::size_t>(height));
  }
  view.row_steps = words(StepWords(width), height);
  view.down_steps = words(StepBytes(width) / 4, NumStepBands(height));
  view.up_steps = words(StepBytes(width) / 4, NumStepBands(height));
  return view;
}

}  // namespace

ViewMemory ViewMemory::Take(Arena& arena, const Parameters& parameters, int width, int height) {
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const std::size_t step_words =
      static_cast<std::size_t>(StepWords(width)) * static_cast<std::size_t>(height);
  ViewMemory memory;
  memory.left = TakeView(arena, true, width, height);
  memory.right = TakeView(arena, false, width, height);
  memory.gray_left = arena.Take<std::uint8_t>(pixels);
  memory.gray_right = arena.Take<std::uint8_t>(pixels);
  if (HasCode32(parameters.census_transform.window)) {
    memory.census_left32 = arena.Take<std::uint32_t>(pixels);
    memory.census_right32 = arena.Take<std::uint32_t>(pixels);
  } else {
    memory.census_left64 = arena.Take<std::uint64_t>(pixels);
    memory.census_right64 = arena.Take<std::uint64_t>(pixels);
  }
  return memory;
}

Views MakeViews(const DeviceCameraImage& left, const DeviceCameraImage& right, const Parameters& parameters,
                const ViewMemory& memory, cudaStream_t stream) {
  const auto [width, height] =
      std::visit([](const auto& image) { return std::pair(image.width, image.height); }, left);
  const auto image = [w = width, h = height]<typename T>(T* data) { return DeviceImageView<T>{data, w, h}; };
  const CensusWindow window = parameters.census_transform.window;
  Views views{memory.left,
              memory.right,
              {image(memory.census_left32), image(memory.census_right32), image(memory.census_left64),
               image(memory.census_right64)},
              AsConst(image(memory.gray_left))};
  std::visit(
      [&](const auto& of_left) {
        using T = std::remove_const_t<std::remove_pointer_t<decltype(of_left.data)>>;
        const auto& of_right = std::get<DeviceImageView<const T>>(right);
        const std::size_t pixels =
            static_cast<std::size_t>(of_left.width) * static_cast<std::size_t>(of_left.height);
        ColorKernel<T><<<dim3(BlocksFor(pixels), 2), kThreads, 0, stream>>>(
            of_left.data, of_right.data, pixels, views.left.color, views.right.color);
        CheckLaunch("ColorKernel");
        if constexpr (std::is_same_v<T, std::uint8_t>) {
          views.gray_left = of_left;
          CensusTransform(of_left, of_right, window, views.census, stream);
        } else if constexpr (std::is_same_v<T, std::uint16_t>) {
          GuideFromGray16(of_left, image(memory.gray_left), stream);
          CensusTransform(of_left, of_right, window, views.census, stream);
        } else {
          GrayFromColor(of_left, image(memory.gray_left), stream);
          GrayFromColor(of_right, image(memory.gray_right), stream);
          CensusTransform(AsConst(image(memory.gray_left)), AsConst(image(memory.gray_right)), window,
                          views.census, stream);
        }
      },
      left);
  const AdCensusParameters& p = parameters.ad_census;
  ArmKernel<<<GridFor(width, height, 4), kBlock, 0, stream>>>(
      views.left, views.right, width, height,
      ArmRules{p.arm_length, p.arm_length_strict, Likeness(p.arm_threshold),
               Likeness(p.arm_threshold_strict)});
  CheckLaunch("ArmKernel");
  RowStepKernel<<<GridFor(width, height, 2), kBlock, 0, stream>>>(views.left, views.right, width, height,
                                                                  p.step_threshold);
  CheckLaunch("RowStepKernel");
  const dim3 bands(BlocksFor(static_cast<std::size_t>(StepBytes(width))),
                   static_cast<unsigned>(NumStepBands(height)), 2);
  ColumnStepKernel<<<bands, kThreads, 0, stream>>>(views.left, views.right, width, height, p.step_threshold);
  CheckLaunch("ColumnStepKernel");
  return views;
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
