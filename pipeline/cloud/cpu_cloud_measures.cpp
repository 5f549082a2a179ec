#include "pipeline/cloud/cpu_cloud_measures.h"
#include "pipeline/cloud/distances/cpu_distances.h"
#include "pipeline/cloud/emd/emd.h"
#include "pipeline/cloud/geodesics/shortest_paths.h"
#include "pipeline/cloud/neighbours/cpu_neighbours.h"
#include "pipeline/threads/parallel.h"

namespace parallax {
namespace {

class CpuCloudMeasures final : public CloudMeasures {
 public:
  explicit CpuCloudMeasures(int num_threads) : pool_(num_threads) {}
  std::string_view name() const override { return "cpu"; }

  Neighbours NearestNeighbours(std::span<const Point3f> points, const NeighbourOptions& options) override {
    return FindNeighbours(points, options, pool_);
  }
  Neighbours NearestNeighbours(std::span<const Point3f> points, std::span<const Point3f> queries,
                               int k) override {
    return FindNeighbours(points, queries, k, pool_);
  }
  std::vector<float> MeanNeighbourDistances(std::span<const Point3f> points,
                                            const NeighbourOptions& options) override {
    return FindMeanNeighbourDistances(points, options, pool_);
  }

  void Distances(const MatrixView& a, const MatrixView& b, const DistanceOptions& options,
                 const DistanceConsumer& consumer) override {
    StreamDistances(a, b, options, consumer, pool_);
  }
  NearestRows FindNearestRows(const MatrixView& a, const MatrixView& b,
                              const DistanceOptions& options) override {
    return NearestOfRows(a, b, options, pool_);
  }
  Neighbours FindSmallestDistances(const MatrixView& a, const MatrixView& b, int k,
                                   const DistanceOptions& options) override {
    return SmallestOfRows(a, b, k, options, pool_);
  }
  DistanceHistogram HistogramOfDistances(const MatrixView& a, const MatrixView& b, float largest,
                                         int num_bins, const DistanceOptions& options) override {
    return CountDistances(a, b, largest, num_bins, options, pool_);
  }

  std::vector<EmdResult> EarthMoversDistances(std::span<const EmdPair> pairs,
                                              const EmdOptions& options) override {
    for (const EmdPair& pair : pairs) CheckEmdInput(pair, options);
    std::vector<EmdResult> results(pairs.size());
    pool_.ParallelFor(static_cast<int>(pairs.size()),
                      [&](int k) { results[k] = AuctionEmd(pairs[k], options); });
    return results;
  }

  Geodesics ShortestPaths(const CloudGraph& graph, std::span<const std::int32_t> sources,
                          const GeodesicOptions& options) override {
    return CpuShortestPaths(graph, sources, options, pool_);
  }

 private:
  ThreadPool pool_;
};

}  // namespace

std::unique_ptr<CloudMeasures> MakeCpuCloudMeasures(int num_threads) {
  return std::make_unique<CpuCloudMeasures>(num_threads);
}

}  // namespace parallax
