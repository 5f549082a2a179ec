// The 16-bit PNG form of a disparity in KITTI's results and truth: value / 256, 0 = none.
#pragma once

#include <cstdint>

#include "parallax/image.h"

namespace parallax {

// d: px, NaN = no value. 256 d, truncated, at least 1 (a disparity of 0 stays a value) and at most 65535; 0
// for NaN and for negative disparities, which are invalid for KITTI.
std::uint16_t KittiPngValue(float d);

// The disparity in px of a PNG value; NaN for 0.
float DisparityOfKittiPngValue(std::uint16_t value);

// The result of writing and reading: every disparity through KittiPngValue and back.
HostImage<float> QuantizeAsKittiPng(HostImageView<const float> disparity);

}  // namespace parallax
