#include "pipeline/live/decimation.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"

namespace parallax {
namespace {

constexpr int kLargestFactor = 8;
constexpr int kLargestMedian = 3;

template <typename T>
T Representative(std::array<T, kLargestFactor * kLargestFactor>& values, int factor) {
  const int count = factor * factor;
  if (factor <= kLargestMedian) {
    const auto middle = values.begin() + (count - 1) / 2;
    std::nth_element(values.begin(), middle, values.begin() + count);
    return *middle;
  }
  std::uint32_t sum = 0;
  for (int i = 0; i < count; ++i) sum += values[static_cast<std::size_t>(i)];
  return static_cast<T>((sum + static_cast<std::uint32_t>(count) / 2) / static_cast<std::uint32_t>(count));
}

// at(u, v): a channel of the large image.
template <typename T, typename At>
T Block(int x, int y, int factor, const At& at) {
  std::array<T, kLargestFactor * kLargestFactor> values;
  std::size_t i = 0;
  for (int v = y * factor; v < (y + 1) * factor; ++v) {
    for (int u = x * factor; u < (x + 1) * factor; ++u) values[i++] = at(u, v);
  }
  return Representative(values, factor);
}

template <typename T>
T Pixel(const HostImage<T>& image, int x, int y, int factor) {
  return Block<T>(x, y, factor, [&](int u, int v) { return image(u, v); });
}
Rgb8 Pixel(const HostImage<Rgb8>& image, int x, int y, int factor) {
  const auto channel = [&](std::uint8_t Rgb8::*c) {
    return Block<std::uint8_t>(x, y, factor, [&](int u, int v) { return image(u, v).*c; });
  };
  return {channel(&Rgb8::r), channel(&Rgb8::g), channel(&Rgb8::b)};
}

CameraImage Smaller(const CameraImage& image, int factor) {
  return std::visit(
      [&](const auto& large) -> CameraImage {
        using Image = std::decay_t<decltype(large)>;
        Image small(large.width() / factor, large.height() / factor);
        for (int y = 0; y < small.height(); ++y) {
          for (int x = 0; x < small.width(); ++x) small(x, y) = Pixel(large, x, y, factor);
        }
        return small;
      },
      image);
}

HostImage<std::uint8_t> SmallerMask(const HostImage<std::uint8_t>& mask, int factor) {
  HostImage<std::uint8_t> small(mask.width() / factor, mask.height() / factor, std::uint8_t{255});
  for (int y = 0; y < small.height() * factor; ++y) {
    for (int x = 0; x < small.width() * factor; ++x) {
      small(x / factor, y / factor) = std::min(small(x / factor, y / factor), mask(x, y));
    }
  }
  return small;
}

}  // namespace

std::shared_ptr<const SeenPixelsOfPair> ReducedMasks::Of(const std::shared_ptr<const SeenPixelsOfPair>& seen,
                                                         int factor) {
  const std::scoped_lock lock(mutex_);
  if (large_ == seen) return small_;
  auto small = std::make_shared<SeenPixelsOfPair>();
  small->turn_urad = seen->turn_urad;
  small->left = SmallerMask(seen->left, factor);
  small->right = SmallerMask(seen->right, factor);
  large_ = seen;
  return small_ = std::move(small);
}

void Decimate(int factor, StereoFrame& frame, ReducedMasks& masks) {
  if (factor < 1 || factor > kLargestFactor) {
    throw InvalidArgument("images are reduced by a factor of 1 to 8, not " + std::to_string(factor));
  }
  if (factor == 1) return;
  const int width = WidthOf(ViewOf(frame.left)), height = HeightOf(ViewOf(frame.left));
  if (width < factor || height < factor) {
    throw Error("an image of " + std::to_string(width) + "x" + std::to_string(height) +
                " cannot be reduced by live.decimation " + std::to_string(factor));
  }
  frame.left = Smaller(frame.left, factor);
  frame.right = Smaller(frame.right, factor);
  if (frame.seen && !frame.seen->all) frame.seen = masks.Of(frame.seen, factor);
  if (frame.rig) {
    // Pixel x covers the pixels factor * x to factor * x + factor - 1 of the large image.
    const auto place = [&](double large_px) { return (large_px + 0.5) / factor - 0.5; };
    frame.rig->fx_px /= factor;
    frame.rig->cx_px = place(frame.rig->cx_px);
    frame.rig->cy_px = place(frame.rig->cy_px);
    frame.rig->doffs_px /= factor;
  }
  if (frame.num_disparities_hint)
    frame.num_disparities_hint = (*frame.num_disparities_hint + factor - 1) / factor;
  if (frame.truth) {
    frame.truth.reset();
    frame.truth_note = "the images were reduced (live.decimation), but not the truth";
  }
}

}  // namespace parallax
