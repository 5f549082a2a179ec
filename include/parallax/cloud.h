// Point clouds in host memory: owned, and borrowed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "parallax/image.h"

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

// The same, with points stored elsewhere.
struct PointCloudView {
  std::span<const Point3f> points;
  std::span<const Rgb8> colors;

  PointCloudView() = default;
  PointCloudView(std::span<const Point3f> all_points, std::span<const Rgb8> all_colors)
      : points(all_points), colors(all_colors) {}
  PointCloudView(const PointCloud& cloud) : points(cloud.points), colors(cloud.colors) {}
  std::size_t size() const { return points.size(); }
};

inline PointCloud Clone(const PointCloudView& view) {
  return {{view.points.begin(), view.points.end()}, {view.colors.begin(), view.colors.end()}};
}

}  // namespace parallax
