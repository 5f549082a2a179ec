// Learned trees choose the values of rejected pixels among candidates.
#pragma once

#include <cstdint>

#include "parallax/image.h"
#include "pipeline/cpu/filters/framed_map.h"
#include "pipeline/cpu/filters/plane_filling.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cpu {

// Gives rejected pixels the choice of the parameters' trees (docs/matching.md, "refinement"). filled: the map
// before FillFromPlanes, which has returned tiles; from_planes: the map after it, changed in place.
void ChooseCandidates(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
                      const FramedMap& filled, const HostImage<std::uint8_t>& validity,
                      const TilePlanes& tiles, const FramedMap& from_planes, ThreadPool& threads);

}  // namespace parallax::cpu
