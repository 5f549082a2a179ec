#include "app/pictures/value_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "app/pictures/colormap.h"

namespace parallax::app {
namespace {

std::vector<double> LinearTicks(double low, double high) {
  constexpr double kMostIntervals = 6;
  const double step = RoundStep((high - low) / kMostIntervals);
  std::vector<double> ticks;
  for (double i = std::ceil(low / step - 1e-9) + 0.0; i * step <= high + 1e-9 * step; ++i)
    ticks.push_back(i * step);
  return ticks;
}

// Powers of ten, with their doubles and fivefolds where there are few of them.
std::vector<double> LogarithmicTicks(double low, double high) {
  for (const std::vector<double>& factors : {std::vector<double>{1}, {1, 3}, {1, 2, 5}}) {
    std::vector<double> ticks;
    for (double power = std::floor(std::log10(low)); power <= std::ceil(std::log10(high)); ++power) {
      for (const double factor : factors) {
        const double tick = factor * std::pow(10.0, power);
        if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
      }
    }
    if (ticks.size() > 8) {  // too close to be read: every second, third, ...
      const std::size_t stride = (ticks.size() + 7) / 8;
      std::vector<double> fewer;
      for (std::size_t i = 0; i < ticks.size(); i += stride) fewer.push_back(ticks[i]);
      return fewer;
    }
    if (ticks.size() >= 4) return ticks;
  }
  return LinearTicks(low, high);
}

}  // namespace

double RoundStep(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

float ValueScale::Position(double value) const {
  if (std::isnan(value)) return std::numeric_limits<float>::quiet_NaN();
  if (std::isinf(value)) return value > 0 ? 1 : 0;
  const double t = logarithmic ? std::log(std::max(value, low) / low) / std::log(high / low)
                               : (value - low) / (high - low);
  return static_cast<float>(std::clamp(t, 0.0, 1.0));
}

Spread SpreadOf(std::span<const float> values) {
  return {QuantileOf(values, 0.05), QuantileOf(values, 0.5), QuantileOf(values, 0.95)};
}

ValueScale RobustScale(std::span<const float> values, std::string label, bool logarithmic) {
  std::vector<float> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](float v) { return std::isfinite(v); });
  ValueScale scale{std::move(label), QuantileOf(finite, 0.01), QuantileOf(finite, 0.99), logarithmic};
  if (std::isnan(scale.low)) return {std::move(scale.label), logarithmic ? 0.1 : 0, 1, logarithmic};
  if (logarithmic) {
    if (!(scale.high > 0)) scale.high = 1;
    if (!(scale.low > 0)) scale.low = 1e-3 * scale.high;
  }
  if (!(scale.high - scale.low > 1e-6 * std::abs(scale.high))) {  // all alike
    const double half = scale.high == 0 ? 0.5 : 0.05 * std::abs(scale.high);
    scale.low = scale.high - half;
    scale.high += half;
  }
  return scale;
}

std::vector<ScaleTick> TicksOf(const ValueScale& scale) {
  std::vector<ScaleTick> ticks;
  for (const double value :
       scale.logarithmic ? LogarithmicTicks(scale.low, scale.high) : LinearTicks(scale.low, scale.high)) {
    const bool is_large = std::abs(value) >= 1e6;
    ticks.push_back(
        {scale.Position(value), is_large ? fmt::format("{:.3g}", value) : fmt::format("{:.6g}", value)});
  }
  return ticks;
}

std::vector<Rgb8> ColorValues(std::span<const float> values, const ValueScale& scale) {
  std::vector<Rgb8> colors(values.size());
  std::transform(values.begin(), values.end(), colors.begin(), [&](float value) {
    const float position = scale.Position(value);
    return std::isnan(position) ? kNoValueColor : ColorOf(position);
  });
  return colors;
}

}  // namespace parallax::app
