// The method AD-Census of one frame on the device, up to its sub-pixel disparities: views, matching costs,
// aggregation over crosses, scanlines, winners; then, after the left-right check, its refinement.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/ad_census/cost_shape.h"
#include "cuda/ad_census/cross_aggregation.h"
#include "cuda/ad_census/cuda_ad_census_matching_cost.h"
#include "cuda/ad_census/cuda_ad_census_refinement.h"
#include "cuda/ad_census/cuda_ad_census_views.h"
#include "cuda/ad_census/scanlines.h"
#include "cuda/device/arena.h"
#include "cuda/device/device_disparity_map.h"
#include "cuda/device/device_image.h"
#include "cuda/device/steps.h"
#include "cuda/device/stream.h"
#include "cuda/filters/cuda_consistency.h"
#include "pipeline/rules/ad_census_tables.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda::ad_census {

// The device memory of AdCensusStages, with room for any image up to a size. Borrowed.
struct AdCensusMemory {
  ViewMemory views;
  std::uint16_t* tables = nullptr;
  // Volumes. The aggregation needs both costs and row sums, and may exchange their contents.
  std::uint16_t *costs = nullptr, *row_sums = nullptr, *column_sums = nullptr, *more_sizes = nullptr;
  float* reciprocals[2] = {};
  RefinementMemory refinement;
  std::uint8_t *mirrored_left = nullptr, *mirrored_right = nullptr;  // images of any pixel type

  static AdCensusMemory Take(Arena& arena, const Parameters& parameters, int width, int height);
};

class AdCensusStages {
 public:
  // parameters must be valid. memory: taken by Take for them and the largest image; filled here with what all
  // frames need.
  AdCensusStages(const Parameters& parameters, const AdCensusMemory& memory);

  // Launches the stages up to the winners on stream and returns before they are done. The images are of one
  // size and pixel type.
  void Enqueue(const DeviceCameraImage& left, const DeviceCameraImage& right, const WinnerImages& winners,
               const DeviceDisparityMap& map, const StepRunner& run, cudaStream_t stream);
  // Launches the stages from the checked map to the sub-pixel one. results_between: the map is also written
  // after each step.
  void EnqueueRefinement(const DeviceDisparityMap& map, bool results_between, const StepRunner& run,
                         cudaStream_t stream);

  // Each is valid for work on the stream after the stage that writes it.
  DeviceImageView<const std::uint8_t> guide() const { return views_.gray_left; }
  const Views& views() const { return views_; }
  const CostShape& shape() const { return shape_; }
  const std::uint16_t* costs() const { return costs_; }  // after aggregation: their means
  const PathSums& sums() const { return sums_; }

 private:
  void MakeSums(const StepRunner& run, cudaStream_t stream);

  Parameters parameters_;
  AdCensusTables tables_;
  AdCensusMemory memory_;
  DeviceTables device_tables_;
  Fork preparation_;  // sizes of regions and steps, while costs are computed
  SizesMade sizes_made_;
  Fork aggregation_fork_;  // half of the disparities
  CostShape shape_;
  Views views_;
  std::uint16_t* costs_ = nullptr;
  PathSums sums_;
};

}  // namespace parallax::cuda::ad_census
