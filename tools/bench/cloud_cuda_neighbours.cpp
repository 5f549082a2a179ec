// The rows of nearest neighbours in parallax_cuda_cloud_bench. Variants: "phases" adds where the time goes;
// "bits=B" takes other keys than ChooseCurveBits would.
#include <cstdint>
#include <cstdlib>

#include "cuda/check.h"
#include "cuda/cloud/cuda_cloud_measures.h"
#include "cuda/cloud/curve_bits.h"
#include "cuda/cloud/neighbour_search.h"
#include "cuda/device_buffer.h"
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
double FloorMs(std::int64_t n, const Case& c, int bits) {
  const double rows = c.means ? 4.0 : 8.0 * c.k;
  const double passes = (3 * bits + 7) / 8, pair = bits <= 10 ? 8 : 12;
  return static_cast<double>(n) * (12 * 2 + 16 * 2 + 2 * passes * pair + rows) / 4.3e12 * 1e3;
}

void BenchCloud(CloudBench& bench, const std::string& name, const std::vector<Point3f>& cloud,
                const std::vector<Case>& cases, int asked_bits, bool phases) {
  const int bits = asked_bits > 0 ? asked_bits : cuda::ChooseCurveBits(cloud);
  const auto n = static_cast<std::int64_t>(cloud.size());
  cuda::NeighbourSearch search(n, 0, bits);
  cuda::DeviceBuffer<Point3f> points(cloud.size());
  cuda::Check(cudaMemcpy(points.data(), cloud.data(), points.size_bytes(), cudaMemcpyDefault), "cudaMemcpy");
  cuda::Check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
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
    const std::string what = "k=" + std::to_string(c.k) + (c.means ? " mean, " : " indices, ") + name + " b" +
                             std::to_string(bits);
    cuda::Graph graph;
    graph.Capture(bench.stream(), [&] { work({}); });
    bench.Add("neighbours", what, bench.Time([&] { graph.Launch(bench.stream()); }), FloorMs(n, c, bits));
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
  const auto at = variant.find("bits=");
  const int bits = at == std::string::npos ? 0 : std::atoi(variant.c_str() + at + 5);
  const std::vector<Case> cases{{3, true}, {8, false}, {16, false}};
  BenchCloud(bench, "1M uniform", UniformCloud(1'000'000), cases, bits, phases);
  const auto measures = MakeCudaCloudMeasures();
  const std::vector<Point3f> depth_map = DepthMapCloud();
  bench.Add("neighbours", "k=8 indices, 1M depth map, host to host",
            bench.TimeHost([&] { measures->NearestNeighbours(depth_map, {.k = 8}); }, 20));
  bench.Add("neighbours", "k=8 mean, 1M depth map, host to host",
            bench.TimeHost([&] { measures->MeanNeighbourDistances(depth_map, {.k = 8}); }, 20));
  BenchCloud(bench, "1M depth map", depth_map, cases, bits, phases);
  BenchCloud(bench, "1M clustered", ClusteredCloud(1'000'000), cases, bits, phases);
  std::vector<Point3f> far = UniformCloud(1'000'000);
  for (std::size_t i = 0; i < far.size(); i += 1000)
    far[i].x += static_cast<float>(i);  // up to 10^6 cubes away
  std::vector<Point3f> apart = ClusteredCloud(1'000'000);
  for (std::size_t i = 0; i < apart.size(); i += 2) apart[i].x += 1000.0f;
  BenchCloud(bench, "1M, clusters 1000 apart", apart, {{8, false}}, bits, phases);
  BenchCloud(bench, "1M, 1000 far away", far, {{8, false}}, bits, phases);
  BenchCloud(bench, "4M uniform", UniformCloud(4'000'000), {{16, false}}, bits, phases);
}

}  // namespace parallax::bench
