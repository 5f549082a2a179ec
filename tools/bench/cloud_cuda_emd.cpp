// The rows of earth mover's distances in parallax_cuda_cloud_bench.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "cuda/cloud/emd/emd_solver.h"
#include "tools/bench/cloud_clouds.h"
#include "tools/bench/cloud_cuda_bench.h"

namespace parallax::bench {
namespace {

struct Case {
  const char* cloud;
  std::int64_t n;
  int pairs;
  double gap;
};

std::vector<Point3f> MakeCloud(const std::string& kind, std::int64_t n, std::uint64_t seed) {
  if (kind == "sphere") return SphereCloud(n, seed);
  if (kind == "clusters") return ClusteredCloud(n, 64, seed);
  return UniformCloud(n, seed);
}

void BenchCase(CloudBench& bench, cuda::EmdSolver& solver, const Case& job) {
  std::vector<std::vector<Point3f>> clouds;
  for (int k = 0; k < 2 * job.pairs; ++k) {
    clouds.push_back(MakeCloud(job.cloud, job.n, static_cast<std::uint64_t>(k + 1)));
  }
  std::vector<EmdPair> pairs;
  for (int k = 0; k < job.pairs; ++k) pairs.push_back({clouds[2 * k], clouds[2 * k + 1]});
  EmdOptions options;
  options.gap = job.gap;
  options.time_limit_s = 60;
  // The figures do not depend on how often: long cases are repeated less.
  std::vector<float> device_ms, host_ms;
  double spent_ms = 0, worst_gap = 0;
  std::int64_t rounds = 0;
  for (int k = 0; k < bench.repeat() + 2 && (k < 5 || spent_ms < 1500); ++k) {
    const std::vector<EmdResult> results = solver.Solve(pairs, options);
    spent_ms += results[0].seconds * 1e3;
    if (k < 2) continue;  // warm-up
    device_ms.push_back(solver.device_ms());
    host_ms.push_back(static_cast<float>(results[0].seconds * 1e3));
    for (const EmdResult& result : results) {
      worst_gap = std::max(worst_gap, (result.upper_m - result.lower_m) / result.upper_m);
      rounds = std::max(rounds, result.rounds);
    }
  }
  char what[128], note[160];
  std::snprintf(what, sizeof what, "%s n=%lld, %d pair%s, gap %g %%", job.cloud,
                static_cast<long long>(job.n), job.pairs, job.pairs == 1 ? "" : "s", 100 * job.gap);
  std::snprintf(note, sizeof note, "certified %.3f %%, %lld rounds; from host to host %.1f ms; %zu runs",
                100 * worst_gap, static_cast<long long>(rounds), SpreadOf(host_ms).median_ms, host_ms.size());
  bench.Add("emd", what, SpreadOf(device_ms), 0, note);
}

}  // namespace

// The auction on the device; preparing the pairs (curve order, boxes) and copies are in "host to host".
void BenchEmd(CloudBench& bench, const std::string& variant) {
  cuda::EmdSolver solver;
  for (const Case& job :
       {Case{"uniform", 4096, 1, 0.005}, Case{"uniform", 4096, 1, 0.001}, Case{"uniform", 4096, 32, 0.01},
        Case{"uniform", 4096, 32, 0.001}, Case{"uniform", 16384, 1, 0.005}, Case{"uniform", 16384, 1, 0.001},
        Case{"sphere", 4096, 1, 0.005}, Case{"sphere", 4096, 1, 0.001}, Case{"clusters", 4096, 1, 0.005},
        Case{"clusters", 4096, 1, 0.001}, Case{"uniform", 131072, 1, 0.01}}) {
    if (variant.empty() || std::string(job.cloud) == variant) BenchCase(bench, solver, job);
  }
}

}  // namespace parallax::bench
