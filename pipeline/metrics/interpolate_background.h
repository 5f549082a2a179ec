// How the KITTI development kits fill an estimate before they count errors over all truth pixels.
#pragma once

#include "parallax/image.h"

namespace parallax {

// The value that the development kits give to a pixel that is still empty after filling.
inline constexpr float kDevkitInvalid = -1.0F;

// disparity: px, NaN = no value. A gap inside a row takes the smaller (farther) of its two neighbours; then
// the first and last value of a row extend to the ends of the row, and those of a column to the ends of the
// column. An empty row between others stays empty, and so does a map without any value. Source: "background
// interpolation" of the KITTI stereo 2012 / 2015 development kits.
HostImage<float> InterpolateBackground(HostImageView<const float> disparity);

}  // namespace parallax
