// Point clouds in host memory.
#pragma once

#include <cstddef>
#include <vector>

#include "pipeline/image.h"

namespace parallax {

struct Point3f {
  float x = 0, y = 0, z = 0;
  friend bool operator==(const Point3f&, const Point3f&) = default;
};

// points: metres, camera frame (x right, y down, z forward). colors: empty, or one per point.
struct PointCloud {
  std::vector<Point3f> points;
  std::vector<Rgb8> colors;
  std::size_t size() const { return points.size(); }
};

}  // namespace parallax
