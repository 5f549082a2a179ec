// The camera's pose at every frame, and the clouds of frames merged by it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <unordered_set>
#include <vector>

#include "parallax/cloud.h"

namespace parallax::app {

// From a camera's frame to the world's: p_world = R p + t, rows of [R | t].
using CameraPose = std::array<double, 12>;

// KITTI's odometry format: a line a frame of 12 numbers, the rows of the 3x4 matrix that takes points of the
// left camera's frame to that of the first. Throws Error naming the line where one has other numbers, or no
// rotation, and for a file without lines.
std::vector<CameraPose> ReadPoses(const std::filesystem::path& path);

Point3f ToWorld(const CameraPose& pose, Point3f p);
Point3f FromWorld(const CameraPose& pose, Point3f p);

// The clouds of frames in one, one point a voxel: the first that came.
class CloudMap {
 public:
  static constexpr std::size_t kMostPoints = 4'000'000;

  // voxel_m > 0.
  explicit CloudMap(float voxel_m) : voxel_m_(voxel_m) {}

  // Points that are not finite, or farther than 100 km from the origin, are left out, and all beyond
  // kMostPoints.
  void Add(const PointCloud& cloud, const CameraPose& pose);
  // Its points in the frame of a camera.
  PointCloud SeenFrom(const CameraPose& pose) const;
  void Clear();

  std::size_t size() const { return world_.size(); }
  bool is_full() const { return world_.size() >= kMostPoints; }

 private:
  float voxel_m_;
  PointCloud world_;
  std::unordered_set<std::int64_t> voxels_;
};

}  // namespace parallax::app
