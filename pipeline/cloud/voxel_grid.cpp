#include "pipeline/cloud/voxel_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include "parallax/error.h"
#include "pipeline/cloud/finite.h"

namespace parallax {
namespace {

// std::to_string writes 1e-20 as 0.000000 and 3e38 in 46 characters.
std::string Short(float value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::int64_t VoxelIndex(float coordinate_m, float size_m, std::size_t point) {
  const double index = std::floor(static_cast<double>(coordinate_m) / static_cast<double>(size_m));
  constexpr double kEnd = kVoxelsFromOrigin;
  if (index < -kEnd || index >= kEnd) {
    throw InvalidArgument("voxel grid: point " + std::to_string(point) + " at " + Short(coordinate_m) +
                          " m is more than 2^20 voxels of " + Short(size_m) +
                          " m away from the origin: use larger voxels");
  }
  return static_cast<std::int64_t>(index);
}

}  // namespace

std::vector<VoxelPoint> SortByVoxel(std::span<const Point3f> points, float voxel_size_m) {
  if (!(voxel_size_m > 0) || !std::isfinite(voxel_size_m)) {
    throw InvalidArgument("voxel grid: voxels of " + std::to_string(voxel_size_m) +
                          " m: the size must be positive and finite");
  }
  if (points.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw InvalidArgument("voxel grid: " + std::to_string(points.size()) + " points, at most 2^31 - 1");
  }
  std::vector<VoxelPoint> order;
  order.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point3f& p = points[i];
    if (!IsFinite(p)) continue;
    const std::int64_t key = VoxelKey(VoxelIndex(p.x, voxel_size_m, i), VoxelIndex(p.y, voxel_size_m, i),
                                      VoxelIndex(p.z, voxel_size_m, i));
    order.push_back({key, static_cast<std::int32_t>(i)});
  }
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace parallax
