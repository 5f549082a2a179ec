// What is known about one pixel of a frame.
#pragma once

#include <limits>
#include <string>

#include "app/view/panes/shown_frame.h"

namespace parallax::app {

// NaN: unknown. Depth and point have the bits that `run` writes.
struct PixelInfo {
  int x = 0, y = 0;
  float disparity_px, depth_m, x_m, y_m, z_m, truth_px, error_px, sigma_px;
  int confidence = -1;     // 0 .. 255; -1 = unknown
  std::string validity{};  // see ValidityText; empty = unknown
};

// The pixel must be one of the frame.
PixelInfo PixelInfoAt(const ShownFrame& frame, bool of_b, int x, int y);

// One line for people.
std::string TextOf(const PixelInfo& info);

}  // namespace parallax::app
