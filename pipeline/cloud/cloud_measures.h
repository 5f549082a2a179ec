// The measures of clouds that a back end computes: on the CPU here, on the GPU in cuda/cloud/. Both give the
// same neighbours and geodesics to the bit, and EMD intervals that hold the same exact value.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "pipeline/cloud.h"
#include "pipeline/cloud/distances/distances.h"
#include "pipeline/cloud/emd/emd.h"
#include "pipeline/cloud/geodesics/geodesics.h"
#include "pipeline/cloud/neighbours/neighbours.h"

namespace parallax {

// One call at a time. All throw InvalidArgument for bad input and Error where something fails.
class CloudMeasures {
 public:
  virtual ~CloudMeasures() = default;
  virtual std::string_view name() const = 0;  // "cpu", "cuda"

  // neighbours.h: of every point among the others (and itself, by option).
  virtual Neighbours NearestNeighbours(std::span<const Point3f> points, const NeighbourOptions& options) = 0;
  // Of every query among points, which are another cloud: include_self does not matter.
  virtual Neighbours NearestNeighbours(std::span<const Point3f> points, std::span<const Point3f> queries,
                                       int k) = 0;
  // MeanDistances of the neighbours, without handing them out.
  virtual std::vector<float> MeanNeighbourDistances(std::span<const Point3f> points,
                                                    const NeighbourOptions& options) = 0;

  // distances.h. Blocks come in order of rows; a block's memory is valid during the call.
  virtual void Distances(const MatrixView& a, const MatrixView& b, const DistanceOptions& options,
                         const DistanceConsumer& consumer) = 0;
  virtual NearestRows FindNearestRows(const MatrixView& a, const MatrixView& b,
                                      const DistanceOptions& options) = 0;
  // k smallest of every row of a, by distance, then index.
  virtual Neighbours FindSmallestDistances(const MatrixView& a, const MatrixView& b, int k,
                                           const DistanceOptions& options) = 0;
  virtual DistanceHistogram HistogramOfDistances(const MatrixView& a, const MatrixView& b, float largest,
                                                 int num_bins, const DistanceOptions& options) = 0;

  // emd.h. Pairs of any sizes; on a GPU they run beside each other.
  virtual std::vector<EmdResult> EarthMoversDistances(std::span<const EmdPair> pairs,
                                                      const EmdOptions& options) = 0;

  // geodesics.h.
  virtual Geodesics ShortestPaths(const CloudGraph& graph, std::span<const std::int32_t> sources,
                                  const GeodesicOptions& options) = 0;
};

// num_threads: 0 = one per hardware thread.
std::unique_ptr<CloudMeasures> MakeCpuCloudMeasures(int num_threads = 0);

}  // namespace parallax
