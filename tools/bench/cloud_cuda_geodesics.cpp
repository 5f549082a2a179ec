// The rows of shortest paths in parallax_cuda_cloud_bench: distances that stay on the device, every one
// checked against the CPU's. Variants, joined by commas: "only=GROUP" (grids, clouds, ranges, chains),
// "nocheck" (times the distances and nothing else), "few", "many", "heap" (the method), "near=N", "grow=N",
// "shrink=N" (of NearFarOptions).
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "cuda/cloud/geodesics/cuda_geodesics.h"
#include "cuda/device/check.h"
#include "cuda/device/device_buffer.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "tools/bench/cloud_clouds.h"
#include "tools/bench/cloud_cuda_bench.h"

namespace parallax::bench {
namespace {

constexpr int kWidth = 640, kHeight = 480;

int ValueOf(const std::string& variant, const std::string& name) {
  const auto at = variant.find(name + "=");
  return at == std::string::npos ? 0 : std::atoi(variant.c_str() + at + name.size() + 1);
}

CloudGraph DepthMapGraph(float max_jump) {
  HostImage<float> depth(kWidth, kHeight);
  const std::vector<Point3f> points = DepthMapCloud(kWidth, kHeight);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) depth(x, y) = points[static_cast<std::size_t>(y * kWidth + x)].z;
  }
  const StereoRig rig{.fx_px = 721.5, .cx_px = 0.5 * kWidth, .cy_px = 0.47 * kHeight, .baseline_m = 0.54};
  return MakeDepthGraph(depth.ConstView(), rig, max_jump);
}

// The grid with lengths 0 .. 1 by chance, the same both ways.
CloudGraph RandomGraph() {
  CloudGraph graph = MakeDepthGraph(HostImage<float>(kWidth, kHeight, 1.0F).ConstView(),
                                    {.fx_px = 1, .cx_px = 0, .cy_px = 0, .baseline_m = 1}, 1);
  for (std::int32_t i = 0; i < graph.num_nodes(); ++i) {
    for (auto e = static_cast<std::size_t>(graph.first_edge[static_cast<std::size_t>(i)]);
         e < static_cast<std::size_t>(graph.first_edge[static_cast<std::size_t>(i) + 1]); ++e) {
      const auto low = static_cast<std::uint32_t>(std::min(i, graph.targets[e]));
      const auto high = static_cast<std::uint32_t>(std::max(i, graph.targets[e]));
      std::minstd_rand random(low * 9U + high % 9U + 1U);
      random.discard(3);
      graph.lengths_m[e] = static_cast<float>(random() % 65536) / 65536.0F;
    }
  }
  return graph;
}

void BenchGraph(CloudBench& bench, const std::string& name, const CloudGraph& graph,
                const std::vector<int>& counts, const std::string& variant,
                float range = std::numeric_limits<float>::infinity()) {
  cuda::GeodesicSolver solver;
  solver.most_near = ValueOf(variant, "near");
  solver.grow_below_percent = ValueOf(variant, "grow");
  solver.shrink_above_percent = ValueOf(variant, "shrink");
  using Method = cuda::GeodesicSolver::Method;
  if (variant.find("heap") != std::string::npos) solver.method = Method::kHeap;
  if (variant.find("few") != std::string::npos) solver.method = Method::kFewNearFar;
  if (variant.find("many") != std::string::npos) solver.method = Method::kManyNearFar;
  solver.SetGraph(graph);
  const auto num_nodes = static_cast<std::size_t>(graph.num_nodes());
  for (const int count : counts) {
    std::mt19937 random(7);
    std::vector<std::int32_t> sources;
    for (int i = 0; i < count; ++i) {
      sources.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(num_nodes)));
    }
    cuda::DeviceBuffer<std::int32_t> device_sources(sources.size());
    cuda::DeviceBuffer<float> distances(sources.size() * num_nodes), limits(sources.size());
    cuda::DeviceBuffer<std::uint32_t> device_steps(sources.size());
    cuda::CopyNow(device_sources.data(), sources.data(), sources.size(), bench.stream());
    cuda::GeodesicBatch batch;
    batch.graph = solver.graph();
    batch.sources = device_sources.data();
    batch.num_sources = count;
    batch.range = range;
    batch.distances = distances.data();
    batch.limits = limits.data();
    const auto work = [&] { solver.FindDistances(batch, bench.stream(), device_steps.data()); };
    const Spread spread = bench.Time(work, std::min(bench.repeat(), count > 16 ? 20 : 50));

    std::vector<float> found(sources.size() * num_nodes);
    std::vector<std::uint32_t> steps(sources.size());
    cuda::CopyNow(found.data(), distances.data(), found.size(), bench.stream());
    cuda::CopyNow(steps.data(), device_steps.data(), steps.size(), bench.stream());
    std::string verdict = "not checked";
    if (variant.find("nocheck") == std::string::npos) {
      const Geodesics expected =
          MakeCpuCloudMeasures()->ShortestPaths(graph, sources, {.range_m = range, .targets = {}});
      verdict = found == expected.distances_m ? "equal to the CPU's" : "NOT EQUAL to the CPU's";
    }
    std::size_t reached = 0;
    for (const float distance : found) {
      reached += distance < std::numeric_limits<float>::infinity() ? 1 : 0;
    }
    std::uint64_t num_steps = 0;
    for (const std::uint32_t n : steps) num_steps += n;
    const std::string note = std::to_string(spread.median_ms / count) + " ms a source, " +
                             std::to_string(reached / sources.size()) + " reached, " +
                             std::to_string(num_steps / sources.size()) + " steps, " + verdict;
    bench.Add("geodesics", name + ", " + std::to_string(count) + " sources", spread, 0, note);
    if (variant.find("nocheck") != std::string::npos || range < std::numeric_limits<float>::infinity())
      continue;
    cuda::DeviceBuffer<std::int32_t> predecessors(sources.size() * num_nodes);
    bench.Add(
        "geodesics", "  predecessors, after the distances",
        bench.Time(
            [&] { cuda::FindPredecessors(batch, predecessors.data(), device_steps.data(), bench.stream()); },
            std::min(bench.repeat(), 20)));
    bench.Add("geodesics", "  host to host, upload of the graph included",
              bench.TimeHost([&] { solver.ShortestPaths(graph, sources, {}); }, 5));
    if (count > 1) continue;
    const auto cpu = MakeCpuCloudMeasures(1);
    bench.Add("geodesics", "  the CPU's Dijkstra, one thread",
              bench.TimeHost([&] { cpu->ShortestPaths(graph, sources, {}); }, 5));
  }
}

}  // namespace

void BenchGeodesics(CloudBench& bench, const std::string& variant) {
  const auto wanted = [&](const std::string& group) {
    return variant.find("only=") == std::string::npos || variant.find("only=" + group) != std::string::npos;
  };
  const CloudGraph random = RandomGraph();
  if (wanted("grids")) {
    BenchGraph(bench, "640x480 depth map", DepthMapGraph(std::numeric_limits<float>::infinity()), {1, 256},
               variant);
    BenchGraph(bench, "640x480 depth map, cut at 5 %", DepthMapGraph(0.05F), {1, 256}, variant);
    BenchGraph(bench, "640x480 random lengths", random, {1, 256}, variant);
  }
  if (wanted("clouds")) {
    const std::vector<Point3f> cloud = SphereCloud(200'000);
    BenchGraph(bench, "200k sphere, 8 neighbours",
               NeighbourGraph(MakeCpuCloudMeasures()->NearestNeighbours(cloud, NeighbourOptions{.k = 8})),
               {1, 256}, variant);
  }
  if (wanted("chains")) {  // one node at a time: nothing to expand together
    CloudGraph chain;
    constexpr std::int32_t kNodes = 100'000;
    for (std::int32_t i = 0; i < kNodes; ++i) {
      chain.first_edge.push_back(static_cast<std::int64_t>(chain.targets.size()));
      for (const std::int32_t next : {i - 1, i + 1}) {
        if (next < 0 || next >= kNodes) continue;
        chain.targets.push_back(next);
        chain.lengths_m.push_back(1.0F + static_cast<float>(std::min(i, next) % 7) / 8.0F);
      }
    }
    chain.first_edge.push_back(static_cast<std::int64_t>(chain.targets.size()));
    BenchGraph(bench, "chain of 100k nodes", chain, {1, 1024}, variant);
  }
  if (wanted("ranges")) {  // many searches that end soon
    for (const float range : {0.5F, 2.0F, 8.0F}) {
      BenchGraph(bench, "640x480 random lengths, range " + std::to_string(range).substr(0, 3), random, {1024},
                 variant, range);
    }
  }
}

}  // namespace parallax::bench
