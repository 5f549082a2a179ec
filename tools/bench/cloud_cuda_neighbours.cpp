// The rows of nearest neighbours in parallax_cuda_cloud_bench. The variant "phases" adds where the time goes.
#include <cstdint>

#include "cuda/cloud/cuda_cloud_measures.h"
#include "cuda/cloud/neighbours/cuda_neighbour_search.h"
#include "cuda/device/check.h"
#include "cuda/device/device_buffer.h"
#include "tools/bench/cloud_clouds.h"
#include "tools/bench/cloud_cuda_bench.h"

namespace parallax::bench {
namespace {

struct Case {
  int k;
  bool means;
};

// The bytes that cannot be spared at 4.3 TB/s: points in, rows out; and the sort as measured passes of
// reading and writing key and index.
double FloorMs(std::int64_t n, const Case& c) {
  const double rows = c.means ? 4.0 : 8.0 * c.k;
  const double passes = 5, pair = 12;  // of the sort: 39 bits, 8 at a time
  return static_cast<double>(n) * (12 * 2 + 16 * 2 + 2 * passes * pair + rows) / 4.3e12 * 1e3;
}

void BenchCloud(CloudBench& bench, const std::string& name, const std::vector<Point3f>& cloud,
                const std::vector<Case>& cases, bool phases) {
  const auto n = static_cast<std::int64_t>(cloud.size());
  cuda::NeighbourSearch search(n);
  cuda::DeviceBuffer<Point3f> points(cloud.size());
  cuda::CopyNow(points.data(), cloud.data(), cloud.size(), bench.stream());
  for (const Case& c : cases) {
    cuda::DeviceBuffer<std::int32_t> indices(c.means ? 0 : cloud.size() * static_cast<std::size_t>(c.k));
    cuda::DeviceBuffer<float> out(cloud.size() * static_cast<std::size_t>(c.means ? 1 : c.k));
    const auto work = [&](const cuda::NeighbourSearch::Observer& observer) {
      search.Build(points.data(), n, bench.stream(), observer);
      if (c.means) {
        search.FindMeanDistances(c.k, false, out.data(), bench.stream(), observer);
      } else {
        search.FindNeighbours(c.k, false, indices.data(), out.data(), bench.stream(), observer);
      }
    };
    const std::string what = "k=" + std::to_string(c.k) + (c.means ? " mean, " : " indices, ") + name;
    cuda::Graph graph;
    graph.Capture(bench.stream(), [&] { work({}); });
    bench.Add("neighbours", what, bench.Time([&] { graph.Launch(bench.stream()); }), FloorMs(n, c));
    if (!phases) continue;
    bench.Add("neighbours", "  launched one by one", bench.Time([&] { work({}); }));
    // One event a phase: medians of the differences.
    std::vector<std::string> names;
    std::vector<std::vector<float>> times;
    for (int i = 0; i < 50; ++i) {
      std::vector<cuda::Event> events;
      events.emplace_back(true).Record(bench.stream());
      names.clear();
      work([&](const char* phase) {
        names.emplace_back(phase);
        events.emplace_back(true).Record(bench.stream());
      });
      cuda::Check(cudaStreamSynchronize(bench.stream()), "cudaStreamSynchronize");
      times.resize(names.size());
      for (std::size_t j = 0; j < names.size(); ++j) {
        float ms = 0;
        cuda::Check(cudaEventElapsedTime(&ms, events[j].get(), events[j + 1].get()), "cudaEventElapsedTime");
        times[j].push_back(ms);
      }
    }
    for (std::size_t j = 0; j < names.size(); ++j)
      bench.Add("neighbours", "    " + names[j], SpreadOf(times[j]));
  }
}

}  // namespace

void BenchNeighbours(CloudBench& bench, const std::string& variant) {
  const bool phases = variant.find("phases") != std::string::npos;
  const std::vector<Case> cases{{3, true}, {8, false}, {16, false}};
  BenchCloud(bench, "1M uniform", UniformCloud(1'000'000), cases, phases);
  const auto measures = MakeCudaCloudMeasures();
  const std::vector<Point3f> depth_map = DepthMapCloud();
  bench.Add("neighbours", "k=8 indices, 1M depth map, host to host",
            bench.TimeHost([&] { measures->NearestNeighbours(depth_map, {.k = 8}); }, 20));
  bench.Add("neighbours", "k=8 mean, 1M depth map, host to host",
            bench.TimeHost([&] { measures->MeanNeighbourDistances(depth_map, {.k = 8}); }, 20));
  BenchCloud(bench, "1M depth map", depth_map, cases, phases);
  BenchCloud(bench, "1M clustered", ClusteredCloud(1'000'000), cases, phases);
  std::vector<Point3f> far = UniformCloud(1'000'000);
  for (std::size_t i = 0; i < far.size(); i += 1000)
    far[i].x += static_cast<float>(i);  // up to 10^6 cubes away
  std::vector<Point3f> apart = ClusteredCloud(1'000'000);
  for (std::size_t i = 0; i < apart.size(); i += 2) apart[i].x += 1000.0f;
  BenchCloud(bench, "1M, clusters 1000 apart", apart, {{8, false}}, phases);
  BenchCloud(bench, "1M, 1000 far away", far, {{8, false}}, phases);
  // Clouds that lie nearly all in a few cells of an even grid.
  std::vector<Point3f> four = UniformCloud(1'000'000);
  for (std::size_t i = 0; i < four.size(); ++i) {
    const auto place = [&](std::size_t axis) { return i % 4 == axis ? 1e5f : 0.0f; };
    four[i] = {1e-3f * four[i].x + place(1), 1e-3f * four[i].y + place(2), 1e-3f * four[i].z + place(3)};
  }
  BenchCloud(bench, "1M, four in four cells", four, cases, phases);
  std::vector<Point3f> outliers = UniformCloud(1'000'000);
  const std::vector<Point3f> anywhere = UniformCloud(1'000'000, 2);
  for (std::size_t i = 0; i < outliers.size(); i += 20)
    outliers[i] = {1e9f * anywhere[i].x, 1e9f * anywhere[i].y, 1e9f * anywhere[i].z};
  BenchCloud(bench, "1M, one of 20 far away", outliers, {{8, false}}, phases);
  std::vector<Point3f> map = depth_map;
  for (std::size_t i = 7; i < map.size(); i += 20)
    map[i] = {1e7f * anywhere[i % anywhere.size()].x, 1e7f * anywhere[i % anywhere.size()].y,
              1e7f * anywhere[i % anywhere.size()].z};
  BenchCloud(bench, "1M depth map, one of 20 far", map, {{8, false}}, phases);
  BenchCloud(bench, "1M equal", std::vector<Point3f>(1'000'000, {1, 2, 3}), {{8, false}}, phases);
  BenchCloud(bench, "4M uniform", UniformCloud(4'000'000), {{16, false}}, phases);
}

}  // namespace parallax::bench
