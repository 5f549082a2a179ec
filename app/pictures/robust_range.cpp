#include "app/pictures/robust_range.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include "app/pictures/value_scale.h"

namespace parallax::app {
namespace {

constexpr std::size_t kMaxSamples = 1 << 16;  // enough for percentiles of a picture

template <typename T>
ValueRange Measure(HostImageView<const T> image) {
  const std::size_t num_pixels =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  // Steps that share no factor with usual widths, so that no column is preferred.
  const std::size_t step = num_pixels <= kMaxSamples ? 1 : (num_pixels / kMaxSamples) | 1;
  std::vector<float> values;
  for (std::size_t i = 0; i < num_pixels; i += step) {
    const auto width = static_cast<std::size_t>(image.width);
    const auto value = static_cast<float>(image(static_cast<int>(i % width), static_cast<int>(i / width)));
    if (std::isfinite(value)) values.push_back(value);
  }
  if (values.empty()) return {0.0f, 1.0f};
  return {static_cast<float>(QuantileOf(values, 0.01)), static_cast<float>(QuantileOf(values, 0.99))};
}

}  // namespace

ValueRange RobustRange(HostImageView<const float> image) { return Measure(image); }
ValueRange RobustRange(HostImageView<const std::uint16_t> image) { return Measure(image); }

}  // namespace parallax::app
