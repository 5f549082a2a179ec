// Finds the point of a cloud under the mouse.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "parallax/cloud.h"

namespace parallax::app {

struct CloudProjection {
  std::array<float, 16> clip_from_cloud;  // rows of the matrix to clip coordinates (OpenGL's)
  int width = 1, height = 1;              // of the pane, px
  friend bool operator==(const CloudProjection&, const CloudProjection&) = default;
};

struct PanePoint {
  float x = 0, y = 0;  // px from the pane's upper left corner
  float depth = 0;     // clip w: larger is farther
};
// Where a point appears in the pane; nullopt if it is behind the camera.
std::optional<PanePoint> Project(const CloudProjection& projection, Point3f p);

// The point that is visible at a place of the pane: of the points within radius_px, those that are nearest to
// the camera; of these the nearest to the place. indices: which points count; empty = all. nullopt if there
// is none.
std::optional<std::size_t> PickPoint(std::span<const Point3f> points, std::span<const std::int32_t> indices,
                                     const CloudProjection& projection, float x, float y, float radius_px);

}  // namespace parallax::app
