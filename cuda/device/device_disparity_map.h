// A disparity map (parallax/disparity_map.h) in device memory.
#pragma once

#include <cstdint>

#include "parallax/image.h"

namespace parallax::cuda {

// Borrowed images of one size, rows densely packed.
struct DeviceDisparityMap {
  DeviceImageView<float> disparity;
  DeviceImageView<std::uint8_t> validity, confidence;
};

}  // namespace parallax::cuda
