// The points of a frame's cloud that are drawn, and their colours.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "app/view/cloud/cloud_coloring.h"
#include "app/view/cloud/cloud_frame.h"
#include "app/view/cloud/ground.h"

namespace parallax::app {

struct CloudLook {
  CloudColoring coloring = CloudColoring::kImage;
  // Depths (z) that are drawn.
  float near_m = -std::numeric_limits<float>::infinity(), far_m = std::numeric_limits<float>::infinity();
  bool show_filled = false;  // filled points are drawn, too (else WithoutFilled)
  friend bool operator==(const CloudLook&, const CloudLook&) = default;
};

struct ShownCloud {
  std::shared_ptr<const CloudFrame> frame;
  CloudLook look;
  std::vector<Point3f> points;        // that are drawn: finite, within the range
  std::vector<std::int32_t> indices;  // of each in the frame's cloud; empty = all, in its order
  CloudColors colors;                 // of the points that are drawn
  Ground ground;
  bool has_ground = false;  // measured, not assumed

  std::size_t IndexInFrame(std::size_t i) const {
    return indices.empty() ? i : static_cast<std::size_t>(indices[i]);
  }
};

// Takes a second or two for the density of a large cloud.
ShownCloud ShowCloud(std::shared_ptr<const CloudFrame> frame, const CloudLook& look, CloudMeasures& measures);

}  // namespace parallax::app
