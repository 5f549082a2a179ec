#include "pipeline/cloud/geodesics/geodesics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "parallax/error.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "tests/support/geodesic_reference.h"
#include "tests/support/nan.h"

namespace parallax::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr float kInf = std::numeric_limits<float>::infinity();
template <typename Function>
std::string MessageOf(Function&& function) {
  try {
    function();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

Geodesics PathsOf(const CloudGraph& graph, const std::vector<std::int32_t>& sources,
                  const GeodesicOptions& options = {}, int num_threads = 2) {
  return MakeCpuCloudMeasures(num_threads)->ShortestPaths(graph, sources, options);
}

TEST(Geodesics, TakesTheShorterWayRound) {
  // 0 -1- 1 -1- 2, and 0 -3- 2 at once; 3 is alone.
  const CloudGraph graph = GraphOf(4, {{0, 1, 1}, {1, 2, 1}, {0, 2, 3}});
  const Geodesics paths = PathsOf(graph, {0, 2}, {.targets = {}, .predecessors = true});
  EXPECT_THAT(paths.distances_m, ElementsAre(0, 1, 2, kInf, 2, 1, 0, kInf));
  EXPECT_THAT(paths.predecessors, ElementsAre(-1, 0, 1, -1, 1, 2, -1, -1));
  EXPECT_EQ(paths.num_sources, 2);
  EXPECT_EQ(paths.num_columns, 4);
}

TEST(Geodesics, SumsAreRoundedFromTheSourceOn) {
  // 2^24 + 1 rounds to 2^24, twice; from the other side 1 + 1 comes first.
  const float big = 16777216.0F;
  const CloudGraph graph = GraphOf(4, {{0, 1, big}, {1, 2, 1}, {2, 3, 1}});
  const Geodesics paths = PathsOf(graph, {0, 3}, {.targets = {}, .predecessors = true});
  EXPECT_THAT(paths.distances_m, ElementsAre(0, big, big, big, big + 2, 2, 1, 0));
  // 1, 2 and 3 are a plateau seen from 0, which is left at 1.
  EXPECT_THAT(paths.predecessors, ElementsAre(-1, 0, 1, 2, 1, 2, 3, -1));
}

TEST(Geodesics, PredecessorsOnPlateausHaveNoCircles) {
  // 1, 2, 3 joined by edges of length 0; 3 is reached from 0. The lowest number must not win by itself.
  const CloudGraph graph = GraphOf(4, {{1, 2, 0}, {2, 3, 0}, {1, 3, 0}, {0, 3, 2}});
  const Geodesics paths = PathsOf(graph, {0, 1}, {.targets = {}, .predecessors = true});
  EXPECT_THAT(paths.distances_m, ElementsAre(0, 2, 2, 2, 2, 0, 0, 0));
  EXPECT_THAT(paths.predecessors, ElementsAre(-1, 3, 3, 0, 3, -1, 1, 1));
}

TEST(Geodesics, OfEqualPathsTheLowestPredecessor) {
  const CloudGraph graph = GraphOf(5, {{4, 3, 1}, {4, 1, 1}, {3, 0, 1}, {1, 0, 1}, {4, 2, 2}, {2, 0, 0}});
  const Geodesics paths = PathsOf(graph, {4}, {.targets = {}, .predecessors = true});
  EXPECT_THAT(paths.distances_m, ElementsAre(2, 1, 2, 1, 0));
  EXPECT_THAT(paths.predecessors, ElementsAre(1, 4, 4, 4, -1));  // not 2, which is as far
}

TEST(Geodesics, RangeIsInclusive) {
  const CloudGraph graph = GraphOf(4, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}});
  EXPECT_THAT(PathsOf(graph, {0}, {.range_m = 2, .targets = {}}).distances_m, ElementsAre(0, 1, 2, kInf));
  EXPECT_THAT(PathsOf(graph, {3}, {.range_m = 0, .targets = {}}).distances_m,
              ElementsAre(kInf, kInf, kInf, 0));
}

TEST(Geodesics, TargetsGiveColumnsAndEndTheSearch) {
  const CloudGraph graph = GraphOf(6, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1}});
  const Geodesics paths = PathsOf(graph, {0, 4}, {.targets = {2, 1, 2}, .predecessors = true});
  EXPECT_THAT(paths.distances_m, ElementsAre(2, 1, 2, 2, 3, 2));
  EXPECT_THAT(paths.predecessors, ElementsAre(-1, 0, 1, -1, -1, -1, -1, 2, 3, 4, -1, -1));
  // A target that cannot be reached is no endless loop, and lets everything else be reached.
  const Geodesics all = PathsOf(graph, {0}, {.targets = {5, 1}, .predecessors = true});
  EXPECT_THAT(all.distances_m, ElementsAre(kInf, 1));
  EXPECT_THAT(all.predecessors, ElementsAre(-1, 0, 1, 2, 3, -1));
}

TEST(Geodesics, EqualRelaxingUntilNothingChanges) {
  for (const GeodesicCase& test : GeodesicCases()) {
    EXPECT_EQ(DifferenceOf(ReferenceGeodesics(test.graph, test.sources, test.options),
                           PathsOf(test.graph, test.sources, test.options)),
              "")
        << test.name;
  }
}

TEST(Geodesics, FollowPathsOfTheirLength) {
  const CloudGraph graph = RandomGraph(500, 1500, Lengths::kAbsorbed, 99);
  const Geodesics paths = PathsOf(graph, {7}, {.targets = {}, .predecessors = true});
  for (std::int32_t target = 0; target < graph.num_nodes(); ++target) {
    const std::vector<std::int32_t> path = PathTo(paths.predecessors, 7, target);
    const float distance = paths.distances_m[static_cast<std::size_t>(target)];
    if (distance == kInf) {
      EXPECT_THAT(path, IsEmpty());
      continue;
    }
    ASSERT_FALSE(path.empty());
    EXPECT_EQ(path.front(), 7);
    EXPECT_EQ(path.back(), target);
    float sum = 0;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      float step = kInf;
      const auto row = static_cast<std::size_t>(path[i]);
      for (auto e = graph.first_edge[row]; e < graph.first_edge[row + 1]; ++e) {
        if (graph.targets[static_cast<std::size_t>(e)] == path[i + 1]) {
          step = std::min(step, graph.lengths_m[static_cast<std::size_t>(e)]);
        }
      }
      sum += step;
    }
    EXPECT_EQ(sum, distance);
  }
}

TEST(Geodesics, NothingFromNothing) {
  EXPECT_THAT(PathsOf({}, {}).distances_m, IsEmpty());
  EXPECT_THAT(PathsOf(GraphOf(3, {}), {}).distances_m, IsEmpty());
  EXPECT_EQ(PathsOf(GraphOf(3, {}), {}).num_columns, 3);
}

TEST(Geodesics, BadInputIsRefusedInOneLine) {
  const CloudGraph graph = GraphOf(3, {{0, 1, 1}});
  EXPECT_THAT(MessageOf([&] { PathsOf(graph, {3}); }), HasSubstr("source 3 is outside the graph of 3 nodes"));
  EXPECT_THAT(MessageOf([&] { PathsOf(graph, {-1}); }), HasSubstr("source -1 is outside"));
  EXPECT_THAT(MessageOf([&] { PathsOf({}, {0}); }), HasSubstr("source 0 is outside the graph of 0 nodes"));
  EXPECT_THAT(MessageOf([&] { PathsOf(graph, {0}, {.targets = {1, 9}}); }), HasSubstr("target 9 is outside"));
  EXPECT_THAT(MessageOf([&] { PathsOf(graph, {0}, {.range_m = -1, .targets = {}}); }), HasSubstr("range -1"));
  EXPECT_THAT(MessageOf([&] { PathsOf(graph, {0}, {.range_m = kNan, .targets = {}}); }), HasSubstr("range"));
  for (const float bad : {kNan, kInf, -0.5F}) {
    EXPECT_THAT(MessageOf([&] {
                  PathsOf(GraphOf(3, {{0, 1, 1}, {1, 2, bad}}), {0});
                }),
                HasSubstr("the edge from node 1 to 2 has length"));
  }
  CloudGraph broken = graph;
  broken.targets[0] = 7;
  EXPECT_THAT(MessageOf([&] { PathsOf(broken, {0}); }), HasSubstr("edge, 7 is outside"));
  broken = graph;
  broken.first_edge[1] = 5;
  EXPECT_THAT(MessageOf([&] { PathsOf(broken, {0}); }), HasSubstr("first_edge must ascend"));
  broken = graph;
  broken.lengths_m.pop_back();
  EXPECT_THAT(MessageOf([&] { PathsOf(broken, {0}); }), HasSubstr("2 edges but 1 lengths"));
}

TEST(PathTo, RefusesCirclesAndStrangers) {
  EXPECT_THAT(PathTo(std::vector<std::int32_t>{-1, 0, 1}, 0, 2), ElementsAre(0, 1, 2));
  EXPECT_THAT(PathTo(std::vector<std::int32_t>{-1, 0, 1}, 1, 1), ElementsAre(1));
  EXPECT_THAT(MessageOf([] { PathTo(std::vector<std::int32_t>{1, 0, -1}, 2, 0); }), HasSubstr("cycle"));
  EXPECT_THAT(MessageOf([] { PathTo(std::vector<std::int32_t>{-1}, 0, 1); }), HasSubstr("target 1"));
  EXPECT_THAT(MessageOf([] { PathTo(std::vector<std::int32_t>{-1, 5}, 0, 1); }), HasSubstr("predecessor 5"));
}

TEST(NeighbourGraph, JoinsBothWaysOnce) {
  // 0 <-> 1, 2 -> 1 only; 3 has nobody. Indices by ascending distance.
  Neighbours neighbours;
  neighbours.k = 2;
  neighbours.indices = {1, kNoNeighbour, 0, 1, 1, 0, kNoNeighbour, kNoNeighbour};
  neighbours.distances_m = {1, kInf, 1, 0, 2, 2.5F, kInf, kInf};  // 1 has itself as well
  const CloudGraph graph = NeighbourGraph(neighbours);
  EXPECT_THAT(graph.first_edge, ElementsAre(0, 2, 4, 6, 6));
  EXPECT_THAT(graph.targets, ElementsAre(1, 2, 0, 2, 0, 1));
  EXPECT_THAT(graph.lengths_m, ElementsAre(1, 2.5F, 1, 2, 2.5F, 2));
  EXPECT_EQ(NeighbourGraph({}).num_nodes(), 0);
  neighbours.indices[0] = 4;
  EXPECT_THAT(MessageOf([&] { NeighbourGraph(neighbours); }), HasSubstr("neighbour 4 of point 0"));
}

TEST(NeighbourGraph, AHubHasALongRow) {
  // 200 points whose nearest neighbour is point 100, which has one of them.
  Neighbours neighbours;
  neighbours.k = 1;
  for (std::int32_t i = 0; i < 200; ++i) {
    neighbours.indices.push_back(i == 100 ? 7 : 100);
    neighbours.distances_m.push_back(static_cast<float>(i == 100 ? 7 : i));
  }
  const CloudGraph graph = NeighbourGraph(neighbours);
  EXPECT_EQ(graph.num_edges(), 2 * 199);
  EXPECT_EQ(graph.first_edge[101] - graph.first_edge[100], 199);
  std::size_t edge = 100;
  for (std::int32_t i = 0; i < 200; ++i) {
    if (i == 100) continue;
    EXPECT_EQ(graph.targets[edge], i);
    EXPECT_EQ(graph.lengths_m[edge++], static_cast<float>(i));
  }
}

TEST(VoxelGraph, NodesAreMeansByAscendingKey) {
  const std::vector<Point3f> points{{0.1F, 0.2F, 0.3F}, {1.5F, 0, 0},  {kNan, 0, 0},
                                    {0.3F, 0.4F, 0.5F}, {-0.5F, 0, 0}, {1.5F, 1.5F, 1.5F}};
  const VoxelGraph voxels = MakeVoxelGraph(points, 1, 6);
  // By key: (-1,0,0), (0,0,0), (1,0,0), (1,1,1).
  ASSERT_EQ(voxels.nodes.size(), 4u);
  EXPECT_THAT(voxels.node_of_point, ElementsAre(1, 2, kNoNeighbour, 1, 0, 3));
  EXPECT_FLOAT_EQ(voxels.nodes[1].x, 0.2F);
  EXPECT_FLOAT_EQ(voxels.nodes[1].z, 0.4F);
  EXPECT_THAT(voxels.graph.first_edge, ElementsAre(0, 1, 3, 4, 4));
  EXPECT_THAT(voxels.graph.targets, ElementsAre(1, 0, 2, 1));
  EXPECT_FLOAT_EQ(voxels.graph.lengths_m[0], std::sqrt(0.7F * 0.7F + 0.3F * 0.3F + 0.4F * 0.4F));
  // (1,1,1) differs from (0,0,0) in three coordinates and from (1,0,0) in two.
  EXPECT_EQ(MakeVoxelGraph(points, 1, 18).graph.num_edges(), 6);
  EXPECT_EQ(MakeVoxelGraph(points, 1, 26).graph.num_edges(), 8);
}

TEST(VoxelGraph, AFullBlockHasAllItsNeighbours) {
  std::vector<Point3f> points;
  for (int k = -2; k < 2; ++k) {
    for (int j = -2; j < 2; ++j) {
      for (int i = -2; i < 2; ++i) {
        points.push_back(
            {static_cast<float>(i) + 0.5F, static_cast<float>(j) + 0.5F, static_cast<float>(k) + 0.5F});
      }
    }
  }
  // Pairs of a 4 x 4 x 4 block: along an axis 3 * 16 * 3, diagonals of faces 6 * 9 * 4, of cubes 4 * 27.
  EXPECT_EQ(MakeVoxelGraph(points, 1, 6).graph.num_edges(), 2 * 144);
  EXPECT_EQ(MakeVoxelGraph(points, 1, 18).graph.num_edges(), 2 * (144 + 216));
  const CloudGraph graph = MakeVoxelGraph(points, 1, 26).graph;
  EXPECT_EQ(graph.num_edges(), 2 * (144 + 216 + 108));
  for (std::size_t i = 0; i + 1 < graph.first_edge.size(); ++i) {
    const auto begin = graph.targets.begin() + graph.first_edge[i],
               end = graph.targets.begin() + graph.first_edge[i + 1];
    EXPECT_TRUE(std::is_sorted(begin, end)) << "the row of node " << i;
  }
}

TEST(VoxelGraph, KeysReachTwoToTheTwentieth) {
  const float far = 1048575.5F;
  const std::vector<Point3f> corners{{-1048576, -1048576, -1048576}, {far, far, far}, {far, far, far - 1}};
  const VoxelGraph voxels = MakeVoxelGraph(corners, 1, 26);
  ASSERT_EQ(voxels.nodes.size(), 3u);
  EXPECT_EQ(voxels.nodes[0], corners[0]);
  EXPECT_EQ(voxels.graph.num_edges(), 2);  // no neighbour across the end of the range
  const std::vector<Point3f> beyond{{1048576, 0, 0}};
  EXPECT_THAT(MessageOf([&] { MakeVoxelGraph(beyond, 1, 6); }), HasSubstr("use larger voxels"));
  EXPECT_THAT(MessageOf([&] { MakeVoxelGraph(corners, 0, 6); }), HasSubstr("size must be positive"));
  EXPECT_THAT(MessageOf([&] { MakeVoxelGraph(corners, kNan, 6); }), HasSubstr("size must be positive"));
  EXPECT_THAT(MessageOf([&] { MakeVoxelGraph(corners, 1, 8); }), HasSubstr("6, 18 or 26"));
  EXPECT_EQ(MakeVoxelGraph({}, 1, 6).graph.num_nodes(), 0);
}

TEST(DepthGraph, CutsWhereTheDepthJumps) {
  // Focal length 1: at depth z one pixel is z metres wide. 2.09 is within 5 % of 2, and 2.19 of 2.09; 2.2
  // is of neither.
  HostImage<float> depth(3, 2);
  const float rows[2][3] = {{2, 2.09F, 2.2F}, {2, kNan, 2.19F}};
  for (int y = 0; y < 2; ++y) std::copy_n(rows[y], 3, depth.Row(y));
  const StereoRig rig{.fx_px = 1, .cx_px = 0, .cy_px = 0, .baseline_m = 0.1};
  const CloudGraph graph = MakeDepthGraph(depth.ConstView(), rig, 0.05F);
  EXPECT_EQ(graph.num_nodes(), 6);
  EXPECT_THAT(graph.first_edge, ElementsAre(0, 2, 5, 6, 8, 8, 10));
  EXPECT_THAT(graph.targets, ElementsAre(1, 3, 0, 3, 5, 5, 0, 1, 1, 2));
  EXPECT_FLOAT_EQ(graph.lengths_m[0], std::hypot(2.09F, 0.09F));  // (0, 0, 2) to (2.09, 0, 2.09)
  EXPECT_FLOAT_EQ(graph.lengths_m[1], 2);                         // (0, 0, 2) to (0, 2, 2)
}

TEST(DepthGraph, OtherDepthsAreNone) {
  HostImage<float> depth(2, 2, 1.0F);
  depth(0, 0) = 0;
  depth(1, 0) = -1;
  depth(0, 1) = kInf;
  const StereoRig rig{.fx_px = 700, .cx_px = 0, .cy_px = 0, .baseline_m = 0.1};
  EXPECT_EQ(MakeDepthGraph(depth.ConstView(), rig, kInf).num_edges(), 0);
  EXPECT_EQ(MakeDepthGraph({}, rig, 0.05F).num_nodes(), 0);
  EXPECT_THAT(MessageOf([&] { MakeDepthGraph(depth.ConstView(), {}, 0.05F); }), HasSubstr("focal length"));
  EXPECT_THAT(MessageOf([&] { MakeDepthGraph(depth.ConstView(), rig, -1); }), HasSubstr("largest jump -1"));
  EXPECT_THAT(MessageOf([&] { MakeDepthGraph(depth.ConstView(), rig, kNan); }), HasSubstr("largest jump"));
}

TEST(DepthGraph, AFlatWallIsMeasuredOnItsGrid) {
  // A wall at 5 m seen by a camera of focal length 500 px: pixels are 1 cm apart.
  HostImage<float> depth(40, 30, 5.0F);
  const StereoRig rig{.fx_px = 500, .cx_px = 20, .cy_px = 15, .baseline_m = 0.1};
  const CloudGraph graph = MakeDepthGraph(depth.ConstView(), rig, 0.05F);
  const Geodesics paths = PathsOf(graph, {0});
  EXPECT_NEAR(paths.distances_m[39], 0.39, 1e-5);
  EXPECT_NEAR(paths.distances_m[29 * 40 + 29], 0.29 * std::sqrt(2.0), 1e-5);
  EXPECT_NEAR(paths.distances_m[29 * 40 + 39], 0.29 * std::sqrt(2.0) + 0.1, 1e-5);
}

}  // namespace
}  // namespace parallax::test
