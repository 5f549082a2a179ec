// The range of values that colours span, without the outliers at both ends.
#pragma once

#include <cstdint>
#include <span>

#include "parallax/image.h"

namespace parallax::app {

// The q-quantile (0 .. 1) of the values, the nearest value, without NaN; NaN where there are no others.
double QuantileOf(std::span<const float> values, double q);

struct ValueRange {
  float low = 0, high = 0;
};

// The 1st and 99th percentile of the finite values of an image, from at most 65,536 of its pixels; {0, 1}
// where there is none.
ValueRange RobustRange(HostImageView<const float> image);
ValueRange RobustRange(HostImageView<const std::uint16_t> image);

}  // namespace parallax::app
