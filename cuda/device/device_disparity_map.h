// A disparity map (pipeline/disparity_map.h) in device memory.
#pragma once

#include <cstdint>

#include "pipeline/image.h"

namespace parallax::cuda {

// Borrowed images of one size, rows densely packed.
struct DeviceDisparityMap {
  DeviceImageView<float> disparity;
  DeviceImageView<std::uint8_t> validity, confidence;
};

}  // namespace parallax::cuda
