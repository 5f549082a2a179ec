// What is known of one pixel.
#pragma once

#include <limits>
#include <string>

#include "app/view/panes/shown_frame.h"

namespace parallax::app {

// NaN: not known. Depth and point are to the bit those that `run` writes.
struct PixelInfo {
  int x = 0, y = 0;
  float disparity_px, depth_m, x_m, y_m, z_m, truth_px, error_px, sigma_px;
  int confidence = -1;     // 0 .. 255; -1 = not known
  std::string validity{};  // as ValidityText; empty = not known
};

// The pixel must be one of the frame.
PixelInfo PixelInfoAt(const ShownFrame& frame, bool of_b, int x, int y);

// One line for people.
std::string TextOf(const PixelInfo& info);

}  // namespace parallax::app
