#include "pipeline/cloud/neighbours/point_tree.h"

#include <algorithm>

#include "pipeline/cloud/curve_order.h"

namespace parallax {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kNodesPerTask = 128;

template <typename F>
void ForParts(std::int64_t count, ThreadPool& pool, const F& body) {
  pool.ParallelFor(static_cast<int>((count + kNodesPerTask - 1) / kNodesPerTask), [&](int task) {
    const std::int64_t begin = task * kNodesPerTask;
    for (std::int64_t i = begin; i < std::min(begin + kNodesPerTask, count); ++i) body(i);
  });
}

std::int64_t NumParents(std::int64_t children) { return (children + kTreeWidth - 1) / kTreeWidth; }

void ClearChild(TreeNode& node, int child) {
  for (int i = 0; i < 3; ++i) {
    node.low[i][child] = kInfinity;
    node.high[i][child] = -kInfinity;
  }
  node.smallest_index[child] = kBehindAllIndices;
}

void BoundLeaf(const TreeLeaf& leaf, std::int64_t num_points, TreeNode& node, int child) {
  const float* const coordinates[3] = {leaf.x, leaf.y, leaf.z};
  const int count = static_cast<int>(std::min<std::int64_t>(kTreeWidth, num_points));
  for (int i = 0; i < 3; ++i) {
    node.low[i][child] = *std::min_element(coordinates[i], coordinates[i] + count);
    node.high[i][child] = *std::max_element(coordinates[i], coordinates[i] + count);
  }
  node.smallest_index[child] = *std::min_element(leaf.index, leaf.index + count);
}

void BoundNode(const TreeNode& inner, TreeNode& node, int child) {
  for (int i = 0; i < 3; ++i) {
    node.low[i][child] = *std::min_element(inner.low[i], inner.low[i] + kTreeWidth);
    node.high[i][child] = *std::max_element(inner.high[i], inner.high[i] + kTreeWidth);
  }
  node.smallest_index[child] = *std::min_element(inner.smallest_index, inner.smallest_index + kTreeWidth);
}

}  // namespace

PointTree::PointTree(std::span<const Point3f> points, ThreadPool& pool) {
  const std::vector<std::int32_t> order = CurveOrder(points, pool);
  num_points = static_cast<std::int64_t>(order.size());
  std::int64_t count = NumParents(num_points);
  leaves = AlignedBuffer<TreeLeaf>(count);
  ForParts(count, pool, [&](std::int64_t i) {
    TreeLeaf& leaf = leaves.data()[i];
    for (int j = 0; j < kTreeWidth; ++j) {
      const std::int64_t place = i * kTreeWidth + j;
      const bool full = place < num_points;
      const Point3f p = full ? points[order[place]] : Point3f{kInfinity, kInfinity, kInfinity};
      leaf.x[j] = p.x;
      leaf.y[j] = p.y;
      leaf.z[j] = p.z;
      leaf.index[j] = full ? order[place] : kBehindAllIndices;
    }
  });
  while (count > 1 || (count == 1 && levels.empty())) {
    const std::int64_t children = count;
    count = NumParents(children);
    const bool over_leaves = levels.empty();
    const TreeNode* inner = over_leaves ? nullptr : levels.back().data();
    AlignedBuffer<TreeNode> level(count);
    ForParts(count, pool, [&](std::int64_t i) {
      TreeNode& node = level.data()[i];
      for (int j = 0; j < kTreeWidth; ++j) {
        const std::int64_t child = i * kTreeWidth + j;
        if (child >= children) {
          ClearChild(node, j);
        } else if (over_leaves) {
          BoundLeaf(leaves.data()[child], num_points - child * kTreeWidth, node, j);
        } else {
          BoundNode(inner[child], node, j);
        }
      }
    });
    levels.push_back(std::move(level));
  }
}

}  // namespace parallax
