// The voxel of a point: voxel (i, j, k) contains the points with floor(x / size) = i and so on, divided in
// double, each from -2^20 to 2^20 - 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parallax/cloud.h"

namespace parallax {

inline constexpr int kVoxelBits = 21;  // of a key, for each of i, j and k
inline constexpr std::int64_t kVoxelsFromOrigin = std::int64_t{1} << (kVoxelBits - 1);

constexpr bool InVoxelGrid(std::int64_t index) {
  return index >= -kVoxelsFromOrigin && index < kVoxelsFromOrigin;
}
// The bits of k come above those of j, which come above those of i.
constexpr std::int64_t VoxelKey(std::int64_t i, std::int64_t j, std::int64_t k) {
  return ((k + kVoxelsFromOrigin) << (2 * kVoxelBits)) | ((j + kVoxelsFromOrigin) << kVoxelBits) |
         (i + kVoxelsFromOrigin);
}
constexpr std::int64_t VoxelI(std::int64_t key) {
  return (key & (2 * kVoxelsFromOrigin - 1)) - kVoxelsFromOrigin;
}
constexpr std::int64_t VoxelJ(std::int64_t key) { return VoxelI(key >> kVoxelBits); }
constexpr std::int64_t VoxelK(std::int64_t key) { return VoxelI(key >> (2 * kVoxelBits)); }

struct VoxelPoint {
  std::int64_t key;
  std::int32_t point;
  friend auto operator<=>(const VoxelPoint&, const VoxelPoint&) = default;
};

// The finite points by the keys of their voxels, then by index. Throws InvalidArgument for a size that is not
// positive and finite, a point that is too far away, and more than 2^31 - 1 points.
std::vector<VoxelPoint> SortByVoxel(std::span<const Point3f> points, float voxel_size_m);

}  // namespace parallax
