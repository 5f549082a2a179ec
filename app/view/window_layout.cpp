#include "app/view/window_layout.h"

#include <algorithm>
#include <cmath>

namespace parallax::app {
namespace {

constexpr float kWideAspect = 1.9f;  // from here on two pictures fit better side by side above the cloud

int Rounded(float value) { return static_cast<int>(std::lround(value)); }

// The frames of the pictures in an area, next to each other or one above the other.
void PlacePictures(const PaneFrame& area, const WindowParts& parts, bool beside, WindowLayout& layout) {
  if (!parts.image || !parts.disparity) {
    (parts.image ? layout.image : layout.disparity) = area;
    return;
  }
  layout.image = layout.disparity = area;
  if (beside) {
    layout.image.width = area.width / 2;
    layout.disparity.x = area.x + layout.image.width;
    layout.disparity.width = area.width - layout.image.width;
  } else {
    layout.image.height = area.height / 2;
    layout.disparity.y = area.y + layout.image.height;
    layout.disparity.height = area.height - layout.image.height;
  }
}

}  // namespace

WindowLayout LayOutWindow(const PaneFrame& area, const WindowParts& parts, int caption_px) {
  WindowLayout layout;
  const int num_pictures = (parts.image ? 1 : 0) + (parts.disparity ? 1 : 0);
  const bool wide = parts.aspect > kWideAspect;
  if (num_pictures == 0) {
    layout.cloud = area;
    return layout;
  }
  if (!parts.cloud) {
    PlacePictures(area, parts, !wide, layout);
    return layout;
  }
  PaneFrame pictures = area;
  layout.cloud = area;
  if (wide) {
    const float picture_width = static_cast<float>(area.width) / static_cast<float>(num_pictures);
    pictures.height = std::min(area.height / 2, Rounded(picture_width / parts.aspect) + caption_px);
    layout.cloud.y = area.y + pictures.height;
    layout.cloud.height = area.height - pictures.height;
  } else {
    const int picture_height = area.height / num_pictures - caption_px;
    pictures.width = std::clamp(Rounded(static_cast<float>(picture_height) * parts.aspect), area.width / 5,
                                area.width * 9 / 20);
    layout.cloud.x = area.x + pictures.width;
    layout.cloud.width = area.width - pictures.width;
  }
  PlacePictures(pictures, parts, wide, layout);
  return layout;
}

}  // namespace parallax::app
