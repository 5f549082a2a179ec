// The refinement of AD-Census's checked winners on the device: region voting, interpolation, discontinuities,
// sub-pixel. Launches kernels on the given stream and returns before they are done; allocates nothing, never
// waits, never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/ad_census/cost_shape.h"
#include "cuda/ad_census/cuda_ad_census_views.h"
#include "cuda/ad_census/region_voting.h"
#include "cuda/ad_census/scanlines.h"
#include "cuda/device/arena.h"
#include "cuda/device/device_disparity_map.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda::ad_census {

// Borrowed.
struct RefinementMemory {
  std::int16_t *index = nullptr, *adjusted = nullptr;  // whole disparities; see index_entry.cuh
  VotingMemory voting;
  std::uint32_t* line_words = nullptr;  // of interpolation

  static RefinementMemory Take(Arena& arena, const Parameters& parameters, int width, int height);
};

class Refinement {
 public:
  // Refines frames of this size.
  Refinement(const RefinementMemory& memory, const CostShape& shape, const Parameters& parameters,
             const View& left, const PathSums& sums)
      : memory_(memory), shape_(shape), parameters_(parameters), left_(left), sums_(sums) {}

  // Must be called in this order. The map's disparities do not change before WriteMap or RefineSubpixel.
  void ReadMap(const DeviceDisparityMap& map, cudaStream_t stream);
  void VoteInRegions(const DeviceDisparityMap& map, cudaStream_t stream);
  void Interpolate(const DeviceDisparityMap& map, cudaStream_t stream);
  void AdjustDiscontinuities(cudaStream_t stream);
  void RefineSubpixel(const DeviceDisparityMap& map, cudaStream_t stream);
  // Writes the map's disparities from the indices: an intermediate result that a caller asked for.
  void WriteMap(const DeviceDisparityMap& map, cudaStream_t stream);

 private:
  RefinementMemory memory_;
  CostShape shape_;
  const Parameters& parameters_;
  View left_;
  PathSums sums_;
};

}  // namespace parallax::cuda::ad_census
