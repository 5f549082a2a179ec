// The scale of a picture: the values that its colours stand for, and the numbers next to them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/pictures/robust_range.h"
#include "parallax/image.h"

namespace parallax::app {

// Linear or logarithmic, low < high, both > 0 where logarithmic.
struct ValueScale {
  std::string label;  // "density, points / m^2"
  double low = 0, high = 1;
  bool logarithmic = false;

  // 0 at low and below, 1 at high and above, infinite too; NaN for NaN.
  float Position(double value) const;
};

// A number at its place on the scale.
struct ScaleTick {
  float position = 0;  // 0 .. 1
  std::string text;
};

struct Spread {
  double p5 = 0, median = 0, p95 = 0;
};
Spread SpreadOf(std::span<const float> values);

// The 1st to the 99th percentile of the finite values (above 0 if logarithmic), so that a few extreme
// values do not flatten the rest.
ValueScale RobustScale(std::span<const float> values, std::string label, bool logarithmic = false);

// The smallest of 1, 2 or 5 times a power of ten that is at least `value` (> 0, up to rounding).
double RoundStep(double value);

// Three to eight round numbers within the scale.
std::vector<ScaleTick> TicksOf(const ValueScale& scale);

// The colour of NaN.
inline constexpr Rgb8 kNoValueColor{105, 105, 112};

// The colours of ColorOf (colormap.h): low dark, high light.
std::vector<Rgb8> ColorValues(std::span<const float> values, const ValueScale& scale);

}  // namespace parallax::app
