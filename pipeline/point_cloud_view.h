// A point cloud in host memory, borrowed.
#pragma once

#include <cstddef>
#include <span>

#include "pipeline/cloud.h"

namespace parallax {

// As PointCloud (cloud.h), whose points lie elsewhere.
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
