// Semi-global matching of one frame on the device: census_transform, matching_cost, aggregation, selection.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/device/arena.h"
#include "cuda/device/device_disparity_map.h"
#include "cuda/device/device_image.h"
#include "cuda/device/steps.h"
#include "cuda/device/stream.h"
#include "cuda/sgm/cuda_census_transform.h"
#include "cuda/sgm/cuda_selection.h"
#include "cuda/sgm/pair_census.h"
#include "cuda/sgm/volume_layout.h"
#include "pipeline/rules/matching_tables.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda {

// The device memory of SgmStages, with room for any image up to a size. Borrowed.
struct SgmMemory {
  std::uint16_t* jump_table = nullptr;
  std::uint32_t* jumps = nullptr;  // if HasJumps
  CensusMemory census;
  // if there is a gradient term
  std::uint32_t *gradients_left = nullptr, *gradients_right = nullptr;
  std::uint32_t* tile_differences = nullptr;  // if costs are weighed
  std::uint8_t *costs = nullptr, *checkpoints = nullptr, *sums = nullptr;
  std::uint32_t* bands_done = nullptr;

  static SgmMemory Take(Arena& arena, const Parameters& parameters, const VolumeLayout& largest);
};

class SgmStages {
 public:
  // parameters must be valid. memory: taken by Take for them and the largest image; filled here with what all
  // frames need.
  SgmStages(const Parameters& parameters, const CudaTuning& tuning, const VolumeLayout& largest,
            const SgmMemory& memory);

  // Frames from here on have this size, up to the largest.
  void SetSize(int width, int height);

  // Launches the stages on stream and returns before they are done. The images are of the size and of one
  // pixel type. Writes the selected map and the winners. If consistency can be checked in the same kernel and
  // results_between are not requested, writes the checked map and no winners. Returns whether it does.
  bool Enqueue(const DeviceCameraImage& left, const DeviceCameraImage& right, const WinnerImages& winners,
               const DeviceDisparityMap& map, bool results_between, const StepRunner& run,
               cudaStream_t stream);

  // Each is valid for work on the stream after the stage that writes it.
  DeviceImageView<const std::uint8_t> guide() const { return census_.gray_left; }
  const CensusImages& census() const { return census_.codes; }
  const SgmVolumes& volumes() const { return volumes_; }

 private:
  Parameters parameters_;
  CudaTuning tuning_;
  MatchingTables tables_;
  SgmMemory memory_;
  bool has_dependent_launch_;
  PairCensus census_;
  GradientImages gradients_;
  SgmVolumes volumes_;
  // If kernels cannot begin early, rows are aggregated on a separate stream, at the same time as the other
  // lines.
  Stream side_stream_;
  Event costs_done_, rows_done_;
};

}  // namespace parallax::cuda
