// Bilateral means of a finished map.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parallax/image.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cpu {

// Bytes of Smooth's workspace.
std::size_t SmoothingWorkspaceBytes(int width, int height);
// Smooths a map in place (docs/matching.md, "refinement"). workspace: SmoothingWorkspaceBytes(), aligned,
// with any content.
void Smooth(const RefinementParameters& parameters, HostImage<float>& disparity, std::uint8_t* workspace,
            ThreadPool& threads);

}  // namespace parallax::cpu
