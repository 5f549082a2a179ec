// Turns a camera's view into the image that the camera delivers.
#pragma once

#include <cstdint>

#include "datasets/synthetic/material.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/frame.h"

namespace parallax::synthetic {

struct Sensor {
  bool color = false;
  int bits = 8;                 // of gray: 8 or 16 (full scale 65535)
  double gain = 1, offset = 0;  // value = gain * light + offset, 8-bit gray levels
  double noise = 0;        // standard deviation, 8-bit gray levels; independent for every pixel and channel
  std::uint64_t seed = 0;  // of the noise
};

// Gray is 0.299 R + 0.587 G + 0.114 B. Values are rounded to the nearest integer and clipped.
CameraImage Expose(HostImageView<const Color> light, const Sensor& sensor, ThreadPool& pool);

}  // namespace parallax::synthetic
