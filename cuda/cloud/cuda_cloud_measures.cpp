#include "cuda/cloud/cuda_cloud_measures.h"

#include <optional>
#include <string>
#include <utility>

#include "cuda/cloud/distances/host_distances.h"
#include "cuda/cloud/emd/emd_solver.h"
#include "cuda/cloud/geodesics/cuda_geodesics.h"
#include "cuda/cloud/neighbours/host_neighbours.h"
#include "cuda/device/device.h"

#include "parallax/error.h"
#include "pipeline/cloud/cpu_cloud_measures.h"

namespace parallax {
namespace {

// The device as this thread's current one: before members are made there, and before each call.
int Selected(int device) {
  SelectCudaDevice(device);
  return device;
}

class CudaCloudMeasures final : public CloudMeasures {
 public:
  explicit CudaCloudMeasures(int device) : device_(Selected(device)) {}
  std::string_view name() const override { return "cuda"; }

  Neighbours NearestNeighbours(std::span<const Point3f> points, const NeighbourOptions& options) override {
    Selected(device_);
    return neighbours_.Of(points, options);
  }
  Neighbours NearestNeighbours(std::span<const Point3f> points, std::span<const Point3f> queries,
                               int k) override {
    Selected(device_);
    return neighbours_.OfQueries(points, queries, k);
  }
  std::vector<float> MeanNeighbourDistances(std::span<const Point3f> points,
                                            const NeighbourOptions& options) override {
    Selected(device_);
    return neighbours_.MeanDistances(points, options);
  }

  void Distances(const MatrixView& a, const MatrixView& b, const DistanceOptions& options,
                 const DistanceConsumer& consumer) override {
    CheckDistanceInput(a, b, options);
    Selected(device_);
    distances_.Blocks(a, b, options, consumer);
  }
  NearestRows FindNearestRows(const MatrixView& a, const MatrixView& b,
                              const DistanceOptions& options) override {
    Neighbours found = FindSmallestDistances(a, b, 1, options);
    return {std::move(found.indices), std::move(found.distances_m)};
  }
  Neighbours FindSmallestDistances(const MatrixView& a, const MatrixView& b, int k,
                                   const DistanceOptions& options) override {
    CheckDistanceInput(a, b, options);
    CheckNeighbourOptions({.k = k}, static_cast<std::size_t>(b.rows));
    Selected(device_);
    return distances_.Smallest(a, b, k, options);
  }
  DistanceHistogram HistogramOfDistances(const MatrixView& a, const MatrixView& b, float largest,
                                         int num_bins, const DistanceOptions& options) override {
    CheckDistanceInput(a, b, options);
    CheckHistogram(largest, num_bins);
    Selected(device_);
    return distances_.Histogram(a, b, largest, num_bins, options);
  }

  std::vector<EmdResult> EarthMoversDistances(std::span<const EmdPair> pairs,
                                              const EmdOptions& options) override {
    SelectCudaDevice(device_);
    if (!emd_) emd_.emplace();
    return emd_->Solve(pairs, options);
  }

  Geodesics ShortestPaths(const CloudGraph& graph, std::span<const std::int32_t> sources,
                          const GeodesicOptions& options) override {
    SelectCudaDevice(device_);
    if (!geodesics_) geodesics_.emplace();
    return geodesics_->ShortestPaths(graph, sources, options);
  }

 private:
  int device_;
  cuda::HostNeighbours neighbours_;
  std::optional<cuda::GeodesicSolver> geodesics_;
  cuda::HostDistances distances_;
  std::optional<cuda::EmdSolver> emd_;
};

}  // namespace

std::unique_ptr<CloudMeasures> MakeCudaCloudMeasures(int device) {
  return std::make_unique<CudaCloudMeasures>(device);
}

}  // namespace parallax
