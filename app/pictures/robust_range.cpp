#include "app/pictures/robust_range.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <vector>

namespace parallax::app {
namespace {

constexpr std::size_t kMaxRangeSamples = 1 << 16;  // enough for percentiles of a picture

template <typename T>
ValueRange Measure(HostImageView<const T> image) {
  const std::size_t num_pixels =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  // Steps that share no factor with usual widths, so that no column is preferred.
  const std::size_t step = num_pixels <= kMaxRangeSamples ? 1 : (num_pixels / kMaxRangeSamples) | 1;
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

double QuantileOf(std::span<const float> values, double q) {
  std::vector<float> known;
  known.reserve(values.size());
  std::copy_if(values.begin(), values.end(), std::back_inserter(known),
               [](float v) { return !std::isnan(v); });
  if (known.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto nth = known.begin() + std::lround(q * static_cast<double>(known.size() - 1));
  std::nth_element(known.begin(), nth, known.end());
  return *nth;
}

ValueRange RobustRange(HostImageView<const float> image) { return Measure(image); }
ValueRange RobustRange(HostImageView<const std::uint16_t> image) { return Measure(image); }

}  // namespace parallax::app
