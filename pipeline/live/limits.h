// Removal of values outside given limits.
#pragma once

#include <cstdint>
#include <optional>

#include "parallax/disparity_map.h"
#include "parallax/image.h"
#include "parallax/rig.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

// Sum over 9x9 of the absolute differences of each pixel to the pixels above and to the left, borders
// repeated. 0 .. 2 * 81 * 255. gray: 8 bits.
HostImage<std::uint16_t> TextureSums(HostImageView<const std::uint8_t> gray, ThreadPool& threads);

// Removes the values of pixels that are nearer than near_m or farther than far_m (0 = any), less confident
// than min_confidence, darker than darkest, brighter than brightest (gray levels of the left image), or whose
// texture, the mean over 9x9 as above, is below min_texture. They get kOutOfLimits and lose kFilled. Throws
// Error if depth is limited and there is no rig.
void RemoveOutOfLimits(const LiveParameters& parameters, HostImageView<const std::uint8_t> gray,
                       const std::optional<StereoRig>& rig, DisparityMap& map, ThreadPool& threads);

}  // namespace parallax
