#pragma once

#include <cstddef>
#include <cstdint>

#include "parallax/image.h"
#include "pipeline/cpu/filters/framed_map.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cpu {

// Bytes of JudgePixels' workspace.
std::size_t JudgementWorkspaceBytes(const RefinementParameters& parameters, int width, int height);
// Rejects and restores pixels by the parameters' trees (docs/matching.md, "refinement"), in place. guide:
// left image; selected: the disparities before consistency; map: after removal of speckles. workspace:
// JudgementWorkspaceBytes(), aligned, with any content.
void JudgePixels(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
                 HostImageView<const float> selected, const FramedMap& map, HostImage<std::uint8_t>& validity,
                 std::uint8_t* workspace, ThreadPool& threads);

}  // namespace parallax::cpu
