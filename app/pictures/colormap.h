// The colours of disparity and depth pictures: one perceptually even map, and black where there is no value.
#pragma once

#include "parallax/image.h"

namespace parallax::app {

// The colour of a pixel without a value. No colour of the map is near it: the darkest one has a lightness of
// 0.38.
inline constexpr Rgb8 kInvalidColor{0, 0, 0};

// t in [0, 1] (clamped) to a colour: dark blue violet (0, far) over blue, green to light yellow (1, near).
// Equal steps of t are equal distances in the colour space OKLab (Ottosson 2020), so equal differences of
// disparity look equally large everywhere; lightness grows all the way, so the picture also reads in gray.
// NaN gives kInvalidColor.
Rgb8 ColorOf(float t);

// The colour of a pixel that was filled, not measured: paler.
Rgb8 Paler(Rgb8 color);

// Draws disparities (px, NaN = no value) in colours: min_px and below get the darkest, max_px and above the
// lightest. min_px >= max_px gives every valid pixel the darkest. validity: ValidityBits; its filled pixels
// are paler; empty = none is.
HostImage<Rgb8> ColorDisparity(HostImageView<const float> disparity, float min_px, float max_px,
                               HostImageView<const std::uint8_t> validity = {});

}  // namespace parallax::app
