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
struct ArmRules {
  int length, length_strict, threshold, threshold_strict;
};

// Along pixels `step` apart, of which the image has `room`.
__device__ __forceinline__ int ArmLength(const std::uint32_t* at, std::ptrdiff_t step, int room,
                                         const ArmRules& rules) {
  const std::uint32_t center = *at;
  std::uint32_t before = center;
  const int longest = min(rules.length - 1, room);
  int length = 0;
  while (length < longest) {
    at += step;
    const std::uint32_t color = *at;
    const int threshold = length + 1 > rules.length_strict ? rules.threshold_strict : rules.threshold;
    if (ColorDistance(color, center) >= threshold || ColorDistance(color, before) >= rules.threshold) break;
    before = color;
    ++length;
  }
  return length;
}

// The third grid dimension: left image's rows, columns, right image's rows, columns.
__global__ void __launch_bounds__(256)
    ArmKernel(const View left, const View right, int width, int height, const ArmRules rules) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  const View& view = blockIdx.z < 2 ? left : right;
  const std::size_t pixel = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + x;
  const std::uint32_t* const at = view.color + pixel;
  const bool is_row = blockIdx.z % 2 == 0;
  const std::ptrdiff_t step = is_row ? 1 : width;
  const int back = ArmLength(at, -step, is_row ? x : y, rules);
  const int ahead = ArmLength(at, step, is_row ? width - 1 - x : height - 1 - y, rules);
  (is_row ? view.row_arms : view.column_arms)[pixel] = static_cast<std::uint16_t>(back | ahead << 8);
}

// --- steps: a warp makes a word of both kinds ---------------------------------------------------------
__global__ void StepKernel(const View left, const View right, int width, int height, int threshold) {
  const int x = static_cast<int>(blockIdx.x * kWarpSize + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (y >= height) return;
  const View& view = blockIdx.z == 0 ? left : right;
  const std::uint32_t* const at = view.color + static_cast<std::ptrdiff_t>(y) * width + x;
  const bool has_before = x > 0 && x<width, has_above = y> 0 && x < width;
  const unsigned along_row =
      __ballot_sync(kFullWarp, has_before && ColorDistance(at[0], at[-1]) >= threshold);
  const unsigned along_column =
      __ballot_sync(kFullWarp, has_above && ColorDistance(at[0], at[-width]) >= threshold);
  if (threadIdx.x != 0) return;
  const std::ptrdiff_t word = static_cast<std::ptrdiff_t>(y) * StepWords(width) + blockIdx.x;
  view.row_steps[word] = along_row;
  view.column_steps[word] = along_column;
}

template <typename T>
__global__ void MirrorKernel(DeviceImageView<const T> from, DeviceImageView<T> to) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (to.Contains(x, y)) to(x, y) = from(from.width - 1 - x, y);
}

View TakeView(Arena& arena, std::size_t pixels, std::size_t step_words) {
  View view;
  view.color = arena.Take<std::uint32_t>(pixels);
  view.row_arms = arena.Take<std::uint16_t>(pixels);
  view.column_arms = arena.Take<std::uint16_t>(pixels);
  view.row_steps = arena.Take<std::uint32_t>(step_words);
  view.column_steps = arena.Take<std::uint32_t>(step_words);
  return view;
}

}  // namespace

ViewMemory ViewMemory::Take(Arena& arena, const Parameters& parameters, int width, int height) {
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const std::size_t step_words =
      static_cast<std::size_t>(StepWords(width)) * static_cast<std::size_t>(height);
  ViewMemory memory;
  memory.left = TakeView(arena, pixels, step_words);
  memory.right = TakeView(arena, pixels, step_words);
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
      {p.arm_length, p.arm_length_strict, p.arm_threshold, p.arm_threshold_strict});
  CheckLaunch("ArmKernel");
  StepKernel<<<GridFor(width, height, 2), kBlock, 0, stream>>>(views.left, views.right, width, height,
                                                               p.step_threshold);
  CheckLaunch("StepKernel");
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
