// The verdicts of the learned trees on the device. Launches kernels on the given stream and returns before
// they are done; allocates nothing, never waits, never uses the default stream. It computes what
// docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/device/arena.h"
#include "cuda/device/device_disparity_map.h"
#include "parallax/image.h"
#include "pipeline/rules/refinement_math.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda {

// Memory for any image up to width x height; borrowed. Sums and extremes are over windows along a row, one image after the
// other; ranks are those of the features of cuda/filters/tree_questions.cuh.
struct JudgementMemory {
  float* selected = nullptr;
  std::uint16_t* codes = nullptr;
  std::uint8_t* kept_sums = nullptr;
  std::uint32_t* mean_sums = nullptr;
  std::uint16_t *edge_sums = nullptr, *extremes = nullptr;
  std::uint8_t* ranks = nullptr;

  // The distance between the ranks of one feature and of the next.
  static PARALLAX_HOST_DEVICE constexpr std::size_t RankStride(std::size_t num_pixels) {
    return (num_pixels + 3) / 4 * 4;
  }
  static JudgementMemory Take(Arena& arena, int width, int height);
};

// Rejects and restores pixels, in place. memory.selected: the disparities before consistency; map: after
// removal of speckles; guide: left image; planes: FitPlanes() of this map, which must be the last launch on the
// stream.
void JudgePixels(const Parameters& parameters, DeviceImageView<const std::uint8_t> guide,
                 const JudgementMemory& memory, const DisparityPlane* planes, const DeviceDisparityMap& map,
                 cudaStream_t stream);

}  // namespace parallax::cuda
