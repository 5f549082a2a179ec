// The layout of the window's panes.
#pragma once

namespace parallax::app {

struct PaneFrame {
  int x = 0, y = 0, width = 0, height = 0;  // px
  bool Empty() const { return width <= 0 || height <= 0; }
};

// The content to arrange. image, disparity: the first and the second picture pane, whatever they show.
struct WindowParts {
  bool image = false, disparity = false, cloud = false;
  float aspect = 4.0f / 3;  // width / height of the pictures
};

// Each pane's place with its caption line; empty = not shown. Together they cover the area without overlap.
struct WindowLayout {
  PaneFrame image, disparity, cloud;
};

// Wide pictures (driving scenes) side by side above the cloud, others stacked to its left. Where a part is
// missing the others take its place. area: px; caption_px: height of a caption line.
WindowLayout LayOutWindow(const PaneFrame& area, const WindowParts& parts, int caption_px);

}  // namespace parallax::app
