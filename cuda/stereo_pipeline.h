// One frame's way through the stages on the device, for callers that bring their own stream and device
// images.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <variant>

#include "cuda/device/device_image.h"
#include "cuda/device/stream.h"
#include "cuda/stages.h"
#include "pipeline/matching_tables.h"
#include "pipeline/parameters.h"

namespace parallax::cuda {

using DeviceCameraImage = std::variant<DeviceImageView<const std::uint8_t>,
                                       DeviceImageView<const std::uint16_t>, DeviceImageView<const Rgb8>>;

// What has just been launched, for an observer.
enum class Step {
  kCensusTransform,
  kMatchingCost,
  kAggregation,
  kSelection,
  kConsistency,
  kSpeckle,
  kFill,
  kMedian,
  kCount
};
inline constexpr const char* kStepNames[] = {"census_transform", "matching_cost", "aggregation", "selection",
                                             "consistency",      "speckle",       "fill",        "median"};

class StereoPipeline {
 public:
  // Allocates everything on the current device. parameters must be valid. Throws Error, with the memory
  // needed and a number of disparities that fits, where the device has too little.
  StereoPipeline(const Parameters& parameters, int width, int height);

  // Called after the launches of each step; it may launch more work on the stream, or wait for it.
  using Observer = std::function<void(Step)>;

  // Launches all stages on stream and returns before they are done. left and right are of one pixel type, W x
  // H with rows densely packed, in device memory; they must stay until the stream has passed this point. One
  // frame at a time: the next Enqueue must be ordered behind this one (the same stream, or an event). Makes
  // no allocation and no synchronisation, so that it can be captured into a graph.
  void Enqueue(const DeviceCameraImage& left, const DeviceCameraImage& right, cudaStream_t stream,
               const Observer& observer = {}, bool results_between = false);

  // The result, in stream order after Enqueue; overwritten by the next one.
  const DeviceDisparityMap& result() const { return result_; }

  // Intermediate results, valid at the observer's call for their step.
  const DeviceDisparityMap& map() const { return map_; }
  const CensusImages& census() const { return census_; }
  DeviceImageView<const std::uint16_t> winner_left() const { return winner_left_.ConstView(); }
  DeviceImageView<const std::uint16_t> winner_right() const { return winner_right_.ConstView(); }
  // Adds up the path sums into sums, [y][x][d] with D values a pixel, in stream order.
  void SumPathsInto(std::uint16_t* sums, cudaStream_t stream) const;

  const Parameters& parameters() const { return parameters_; }
  const VolumeLayout& layout() const { return layout_; }
  std::size_t memory_bytes() const { return memory_bytes_; }

 private:
  Parameters parameters_;
  MatchingTables tables_;
  VolumeLayout layout_;
  bool has_dependent_launch_;
  std::size_t memory_bytes_ = 0;
  DeviceBuffer<std::uint16_t> p2_table_;
  DeviceImage<std::uint8_t> gray_left_, gray_right_;
  DeviceImage<std::uint32_t> census_left32_, census_right32_;
  DeviceImage<std::uint64_t> census_left64_, census_right64_;
  CensusImages census_;
  DeviceBuffer<std::uint8_t> costs_, checkpoints_, path_sums_;
  DeviceImage<std::uint16_t> winner_left_, winner_right_;
  DeviceImage<float> disparity_, other_disparity_;
  DeviceImage<std::uint8_t> validity_, confidence_;
  DeviceImage<std::uint32_t> labels_, sizes_;
  DeviceBuffer<float> nearest_;
  DeviceBuffer<std::uint32_t> holes_left_, bands_done_;
  DeviceDisparityMap map_, result_;
  // Where kernels cannot begin early, rows are aggregated beside the other lines on a stream of their own.
  Stream side_stream_;
  Event costs_done_, rows_done_;
};

}  // namespace parallax::cuda
