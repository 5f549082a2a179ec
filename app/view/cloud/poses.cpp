#include "app/view/cloud/poses.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "app/output/error_text.h"
#include "parallax/error.h"
#include "pipeline/cloud/finite.h"
#include "pipeline/cloud/voxel_grid.h"

namespace parallax::app {
namespace {

// R R^T = 1 and a right-handed R, as far as files of seven digits tell.
bool IsRotation(const CameraPose& pose) {
  constexpr double kTolerance = 1e-2;
  const auto row = [&](std::size_t i, std::size_t j) { return pose[4 * i + j]; };
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      double dot = 0;
      for (std::size_t j = 0; j < 3; ++j) dot += row(a, j) * row(b, j);
      if (!(std::abs(dot - (a == b ? 1 : 0)) < kTolerance)) return false;
    }
  }
  const double det = row(0, 0) * (row(1, 1) * row(2, 2) - row(1, 2) * row(2, 1)) -
                     row(0, 1) * (row(1, 0) * row(2, 2) - row(1, 2) * row(2, 0)) +
                     row(0, 2) * (row(1, 0) * row(2, 1) - row(1, 1) * row(2, 0));
  return det > 0;
}

}  // namespace

std::vector<CameraPose> ReadPoses(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw Error(path.string() + ": cannot be read: name a file of poses (12 numbers a line)");
  std::vector<CameraPose> poses;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::istringstream words(line);
    CameraPose pose{};
    std::size_t count = 0;
    for (double value = 0; count <= pose.size() && words >> value; ++count) {
      if (count < pose.size()) pose[count] = value;
    }
    words.clear();
    std::string rest;
    const bool ends = !(words >> rest);
    bool finite = true;
    for (const double value : pose) finite = finite && std::isfinite(value) && std::abs(value) < 1e8;
    if (count != pose.size() || !ends || !finite || !IsRotation(pose)) {
      throw Error(
          fmt::format("{}: line {} is not a pose: '{}': each line needs the 12 numbers of a 3x4 matrix, a "
                      "rotation and a translation in metres, as in KITTI odometry",
                      path.string(), number, Printable(line.substr(0, 60))));
    }
    poses.push_back(pose);
  }
  if (poses.empty()) throw Error(path.string() + ": holds no pose: each line has 12 numbers");
  return poses;
}

Point3f ToWorld(const CameraPose& m, Point3f p) {
  const auto row = [&](std::size_t i) {
    return static_cast<float>(m[i] * p.x + m[i + 1] * p.y + m[i + 2] * p.z + m[i + 3]);
  };
  return {row(0), row(4), row(8)};
}

Point3f FromWorld(const CameraPose& m, Point3f p) {
  const double x = p.x - m[3], y = p.y - m[7], z = p.z - m[11];
  const auto column = [&](std::size_t i) {
    return static_cast<float>(m[i] * x + m[i + 4] * y + m[i + 8] * z);
  };
  return {column(0), column(1), column(2)};
}

void CloudMap::Add(const PointCloud& cloud, const CameraPose& pose) {
  constexpr float kFarthest_m = 1e5f;
  const bool has_colors = cloud.colors.size() == cloud.size();
  for (std::size_t i = 0; i < cloud.size() && !is_full(); ++i) {
    const Point3f p = ToWorld(pose, cloud.points[i]);
    if (!IsFinite(p) || std::abs(p.x) > kFarthest_m || std::abs(p.y) > kFarthest_m ||
        std::abs(p.z) > kFarthest_m) {
      continue;
    }
    const auto index = [&](float v) {
      return static_cast<std::int64_t>(std::floor(static_cast<double>(v) / voxel_m_));
    };
    const std::int64_t x = index(p.x), y = index(p.y), z = index(p.z);
    if (!InVoxelGrid(x) || !InVoxelGrid(y) || !InVoxelGrid(z)) continue;
    if (!voxels_.insert(VoxelKey(x, y, z)).second) continue;
    world_.points.push_back(p);
    world_.colors.push_back(has_colors ? cloud.colors[i] : Rgb8{220, 220, 220});
  }
}

PointCloud CloudMap::SeenFrom(const CameraPose& pose) const {
  PointCloud cloud;
  cloud.points.reserve(world_.size());
  for (const Point3f& p : world_.points) cloud.points.push_back(FromWorld(pose, p));
  cloud.colors = world_.colors;
  return cloud;
}

void CloudMap::Clear() {
  world_ = {};
  voxels_.clear();
}

}  // namespace parallax::app
