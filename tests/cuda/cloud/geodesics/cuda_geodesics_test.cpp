// Shortest paths of the device against relaxing until nothing changes, and against the CPU.
#include "cuda/cloud/geodesics/cuda_geodesics.h"

#include "cuda/cloud/cuda_cloud_measures.h"
#include "parallax/error.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "tests/cuda/require_device.h"
#include "tests/support/geodesic_reference.h"

namespace parallax::test {
namespace {

using Method = cuda::GeodesicSolver::Method;

class CudaGeodesicsTest : public CudaTest {};

TEST_F(CudaGeodesicsTest, EqualRelaxingUntilNothingChanges) {
  cuda::GeodesicSolver solver;  // one for all, so that buffers are used again
  for (const GeodesicCase& test : GeodesicCases()) {
    EXPECT_EQ(DifferenceOf(ReferenceGeodesics(test.graph, test.sources, test.options),
                           solver.ShortestPaths(test.graph, test.sources, test.options)),
              "")
        << test.name;
  }
}

TEST_F(CudaGeodesicsTest, EqualTheCpuByEveryMethod) {
  const CloudGraph grid = RandomGrid(160, 120, 5);
  const CloudGraph cloud = RandomGraph(20000, 120000, Lengths::kAbsorbed, 6);
  for (const CloudGraph* graph : {&grid, &cloud}) {
    std::vector<std::int32_t> sources;
    for (std::int32_t i = 0; i < 40; ++i) sources.push_back(i * 397 % graph->num_nodes());
    const GeodesicOptions options{.targets = {}, .predecessors = true};
    const Geodesics expected = MakeCpuCloudMeasures(2)->ShortestPaths(*graph, sources, options);
    for (const Method method : {Method::kByRule, Method::kFewNearFar, Method::kManyNearFar, Method::kHeap}) {
      cuda::GeodesicSolver solver;
      solver.method = method;
      EXPECT_EQ(DifferenceOf(expected, solver.ShortestPaths(*graph, sources, options)), "")
          << static_cast<int>(method);
    }
  }
}

// Small enough for compute-sanitizer's race checker.
TEST_F(CudaGeodesicsTest, EveryMethodOnASmallGrid) {
  const CloudGraph grid = RandomGrid(23, 17, 3);
  const std::vector<std::int32_t> sources{5, 390};
  for (const Method method : {Method::kFewNearFar, Method::kManyNearFar, Method::kHeap}) {
    cuda::GeodesicSolver solver;
    solver.method = method;
    for (const GeodesicOptions& options :
         {GeodesicOptions{.targets = {}, .predecessors = true},
          GeodesicOptions{.range_m = 9, .targets = {200, 7}, .predecessors = true}}) {
      EXPECT_EQ(DifferenceOf(ReferenceGeodesics(grid, sources, options),
                             solver.ShortestPaths(grid, sources, options)),
                "")
          << static_cast<int>(method);
    }
  }
}

TEST_F(CudaGeodesicsTest, ManyShortSearches) {
  const CloudGraph grid = RandomGrid(60, 50, 4);
  std::vector<std::int32_t> sources;
  for (std::int32_t i = 0; i < 700; ++i) sources.push_back(i * 31 % grid.num_nodes());
  cuda::GeodesicSolver solver;
  for (const float range : {0.0F, 1.2F, 2.0F, 30.0F}) {
    const GeodesicOptions options{.range_m = range, .targets = {}, .predecessors = true};
    const Geodesics expected = MakeCpuCloudMeasures(2)->ShortestPaths(grid, sources, options);
    for (const Method method : {Method::kByRule, Method::kHeap}) {
      solver.method = method;
      EXPECT_EQ(DifferenceOf(expected, solver.ShortestPaths(grid, sources, options)), "")
          << range << " " << static_cast<int>(method);
    }
  }
}

// Many searches along a line: the rule takes the heap.
TEST_F(CudaGeodesicsTest, AlongALine) {
  std::vector<TestEdge> edges;
  for (std::int32_t i = 1; i < 3000; ++i)
    edges.push_back({i - 1, i, 0.5F + static_cast<float>(i % 13) / 16.0F});
  const CloudGraph line = GraphOf(3000, edges);
  std::vector<std::int32_t> sources;
  for (std::int32_t i = 0; i < 600; ++i) sources.push_back(i * 1009 % 3000);
  const GeodesicOptions options{.targets = {}, .predecessors = true};
  const Geodesics expected = MakeCpuCloudMeasures(2)->ShortestPaths(line, sources, options);
  cuda::GeodesicSolver solver;
  EXPECT_EQ(DifferenceOf(expected, solver.ShortestPaths(line, sources, options)), "");
  const std::vector<std::int32_t> few{0, 1500};  // by the frontier
  EXPECT_EQ(DifferenceOf(ReferenceGeodesics(line, few, options), solver.ShortestPaths(line, few, options)),
            "");
}

TEST_F(CudaGeodesicsTest, HeapsGiveTheSame) {
  cuda::GeodesicSolver solver;
  solver.method = Method::kHeap;
  for (const GeodesicCase& test : GeodesicCases()) {
    EXPECT_EQ(DifferenceOf(ReferenceGeodesics(test.graph, test.sources, test.options),
                           solver.ShortestPaths(test.graph, test.sources, test.options)),
              "")
        << test.name;
  }
  // Queues of some thousand pairs, with and without memory for what does not fit into shared memory.
  const CloudGraph cloud = RandomGraph(30000, 300000, Lengths::kUniform, 8);
  const std::vector<std::int32_t> sources{0, 1, 2, 3, 4, 5, 6, 7, 29999};
  const GeodesicOptions options{.targets = {}, .predecessors = true};
  const Geodesics expected = MakeCpuCloudMeasures(2)->ShortestPaths(cloud, sources, options);
  for (const std::size_t chunks : {0, 1, 5, 100}) {
    solver.most_heap_chunks = chunks;
    EXPECT_EQ(DifferenceOf(expected, solver.ShortestPaths(cloud, sources, options)), "") << chunks;
  }
}

// Buckets that are far too wide or narrow, and more nodes at once than the near list holds.
TEST_F(CudaGeodesicsTest, FullListsLoseNothing) {
  std::vector<TestEdge> fan;
  for (std::int32_t i = 1; i <= 20000; ++i) {
    fan.push_back({0, i, 1.0F + static_cast<float>(i % 1000) / 1000.0F});
    fan.push_back({i, 20001, static_cast<float>((i * 7919) % 5000) / 1000.0F});
    if (i > 1) fan.push_back({i - 1, i, 0.0001F});
  }
  const CloudGraph graph = GraphOf(20002, fan);
  const GeodesicOptions options{.targets = {}, .predecessors = true};
  const std::vector<std::int32_t> sources{0, 20001, 10000};
  const Geodesics expected = MakeCpuCloudMeasures(2)->ShortestPaths(graph, sources, options);
  for (const int most_near : {1, 100, 1000000}) {
    cuda::GeodesicSolver solver;
    solver.most_near = most_near;
    EXPECT_EQ(DifferenceOf(expected, solver.ShortestPaths(graph, sources, options)), "") << most_near;
  }
}

TEST_F(CudaGeodesicsTest, MeasuresOfTheBackEnd) {
  const auto cuda = MakeCudaCloudMeasures(0);
  const CloudGraph grid = RandomGrid(50, 40, 9);
  const std::vector<std::int32_t> sources{3, 1999, 777};
  GeodesicOptions options{.range_m = 20, .targets = {}, .predecessors = true};
  const Geodesics expected = MakeCpuCloudMeasures(1)->ShortestPaths(grid, sources, options);
  for (const GeodesicAlgorithm algorithm :
       {GeodesicAlgorithm::kFastest, GeodesicAlgorithm::kHeap, GeodesicAlgorithm::kFrontier}) {
    options.algorithm = algorithm;
    EXPECT_EQ(DifferenceOf(expected, cuda->ShortestPaths(grid, sources, options)), "")
        << kGeodesicAlgorithmNames[static_cast<std::size_t>(algorithm)];
  }
  EXPECT_EQ(cuda->ShortestPaths(GraphOf(3, {{0, 1, 2}}), std::vector<std::int32_t>{1}, {}).distances_m,
            (std::vector<float>{2, 0, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(cuda->ShortestPaths({}, {}, {}).num_columns, 0);
  EXPECT_THROW(cuda->ShortestPaths({}, std::vector<std::int32_t>{0}, {}), InvalidArgument);
  EXPECT_THROW(
      cuda->ShortestPaths(GraphOf(2, {}), std::vector<std::int32_t>{0}, {.range_m = -1, .targets = {}}),
      InvalidArgument);
}

}  // namespace
}  // namespace parallax::test
