#include "cuda/cloud/cuda_cloud_measures.h"

#include <optional>
#include <string>

#include "cuda/cloud/geodesics.h"
#include "cuda/cloud/host_neighbours.h"
#include "cuda/device.h"

#include "pipeline/cloud/cloud_measures.h"
#include "pipeline/error.h"

namespace parallax {
namespace {

[[noreturn]] void Missing(const char* what) { throw Error(std::string(what) + ": not in this build yet"); }

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

  void Distances(const MatrixView&, const MatrixView&, const DistanceOptions&,
                 const DistanceConsumer&) override {
    Missing("distances");
  }
  NearestRows FindNearestRows(const MatrixView&, const MatrixView&, const DistanceOptions&) override {
    Missing("distances");
  }
  Neighbours FindSmallestDistances(const MatrixView&, const MatrixView&, int,
                                   const DistanceOptions&) override {
    Missing("distances");
  }
  DistanceHistogram HistogramOfDistances(const MatrixView&, const MatrixView&, float, int,
                                         const DistanceOptions&) override {
    Missing("distances");
  }

  std::vector<EmdResult> EarthMoversDistances(std::span<const EmdPair>, const EmdOptions&) override {
    Missing("emd");
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
};

}  // namespace

std::unique_ptr<CloudMeasures> MakeCudaCloudMeasures(int device) {
  return std::make_unique<CudaCloudMeasures>(device);
}

}  // namespace parallax
