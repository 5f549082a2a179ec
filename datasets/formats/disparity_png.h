// Disparities and depths in integer images. NaN in memory is 0 in the file.
#pragma once

#include <cstddef>
#include <filesystem>

#include "parallax/image.h"

namespace parallax {

// KITTI's 16-bit PNG: disparity in px = value / 256, 0 = none. Throws Error.
HostImage<float> ReadDisparityPng(const std::filesystem::path& path);

// The disparities that a 16-bit PNG cannot hold.
struct DisparityPngCounts {
  std::size_t num_valid = 0;     // pixels with a disparity, including those below
  std::size_t num_negative = 0;  // pixels below 0 px, written as none
  std::size_t num_clipped = 0;   // pixels of 256 px and more, written as 65535 / 256
};

// Writes as KITTI's devkit does, atomically: floor(256 d), at least 1 so that 0 px stays a value. Throws
// Error.
DisparityPngCounts WriteDisparityPng(const std::filesystem::path& path, HostImageView<const float> disparity);

// 8-bit truth of Middlebury's 2001-2006 sets: disparity in px = value / scale, 0 = unknown. Throws Error.
HostImage<float> ReadScaledDisparity(const std::filesystem::path& path, int scale);

// Write and read a 16-bit PNG of depths in millimetres, rounded; 0 = no depth. Depths beyond 65.535 m are
// written as 0: a clipped depth would be wrong. Throw Error.
void WriteDepthPng(const std::filesystem::path& path, HostImageView<const float> depth_m);
HostImage<float> ReadDepthPng(const std::filesystem::path& path);

}  // namespace parallax
