#include "cuda/cloud/cuda_cloud_measures.h"

#include <string>

#include "cuda/device.h"

#include "pipeline/cloud/cloud_measures.h"
#include "pipeline/error.h"

namespace parallax {
namespace {

[[noreturn]] void Missing(const char* what) { throw Error(std::string(what) + ": not in this build yet"); }

class CudaCloudMeasures final : public CloudMeasures {
 public:
  explicit CudaCloudMeasures(int device) : device_(device) { SelectCudaDevice(device_); }
  std::string_view name() const override { return "cuda"; }

  Neighbours NearestNeighbours(std::span<const Point3f>, const NeighbourOptions&) override {
    Missing("nearest neighbours");
  }
  Neighbours NearestNeighbours(std::span<const Point3f>, std::span<const Point3f>, int) override {
    Missing("nearest neighbours");
  }
  std::vector<float> MeanNeighbourDistances(std::span<const Point3f>, const NeighbourOptions&) override {
    Missing("nearest neighbours");
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

  Geodesics ShortestPaths(const CloudGraph&, std::span<const std::int32_t>, const GeodesicOptions&) override {
    Missing("geodesics");
  }

 private:
  int device_;
};

}  // namespace

std::unique_ptr<CloudMeasures> MakeCudaCloudMeasures(int device) {
  return std::make_unique<CudaCloudMeasures>(device);
}

}  // namespace parallax
