// Decides which texts around a cloud have enough room to be read.
#pragma once

#include <span>
#include <vector>

#include "app/view/cloud/cloud_lines.h"
#include "app/view/cloud/point_pick.h"
#include "parallax/cloud.h"

namespace parallax::app {

struct WantedText {
  CloudText text;
  bool gives_way = true;  // else it is shown wherever it stands
};

// Whether each text has room. A text that gives way has none if the pane would cut it off, or if it would lie
// over the points or over a text that has room: one that does not give way, or an earlier one. points: of the
// cloud, or a share of them. scaling: of the display.
std::vector<bool> HaveRoom(std::span<const WantedText> texts, std::span<const Point3f> points,
                           const CloudProjection& projection, float scaling);

}  // namespace parallax::app
