// An implicit tree of boxes over points in the order of a curve, for nearest neighbours.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "parallax/cloud.h"
#include "parallax/image.h"
#include "pipeline/threads/parallel.h"

namespace parallax {

inline constexpr int kTreeWidth = 16;  // points in a leaf, children of a node
// The padding of a leaf or node that is not full: an index after all others, at coordinates far from
// everything.
inline constexpr std::int32_t kBehindAllIndices = std::numeric_limits<std::int32_t>::max();

struct alignas(kAlignment_bytes) TreeLeaf {
  float x[kTreeWidth], y[kTreeWidth], z[kTreeWidth];
  std::int32_t index[kTreeWidth];  // of the caller's points
};
// Boxes of the children, and the smallest index in each.
struct alignas(kAlignment_bytes) TreeNode {
  float low[3][kTreeWidth], high[3][kTreeWidth];
  std::int32_t smallest_index[kTreeWidth];
};

// Leaf i holds the points 16 i .. 16 i + 15 of the order; node i of levels[0] the leaves 16 i .. 16 i + 15,
// of levels[l] the nodes 16 i .. 16 i + 15 of levels[l - 1]. The last level has one node. Without finite
// points there are no leaves and no levels.
struct PointTree {
  PointTree(std::span<const Point3f> points, ThreadPool& pool);

  std::int64_t num_points = 0;  // the finite ones
  AlignedBuffer<TreeLeaf> leaves;
  std::vector<AlignedBuffer<TreeNode>> levels;
};

}  // namespace parallax
