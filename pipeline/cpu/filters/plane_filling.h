// Values for rejected pixels from surrounding planes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parallax/image.h"
#include "pipeline/cpu/filters/framed_map.h"
#include "pipeline/rules/refinement_math.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cpu {

// The planes of tiles, row by row; value kNoValue without a plane. They stay in the workspace.
struct TilePlanes {
  int tile_px = 0, tiles_x = 0, tiles_y = 0;
  const DisparityPlane* planes = nullptr;
};
// The planes of all tiles. workspace: PlaneWorkspaceBytes(), aligned, with any content.
TilePlanes FitPlanes(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
                     const FramedMap& map, const HostImage<std::uint8_t>& validity, std::uint8_t* workspace,
                     ThreadPool& threads);
std::size_t PlaneWorkspaceBytes(const RefinementParameters& parameters, int width, int height);
// Gives rejected pixels the values of planes (docs/matching.md, "refinement"): copies map to filled, replaces
// their values there, and marks them in validity. guide: left image. Returns the planes; those of tiles
// without rejected pixels in or next to them are undefined.
TilePlanes FillFromPlanes(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
                          const FramedMap& map, const FramedMap& filled, HostImage<std::uint8_t>& validity,
                          std::uint8_t* workspace, ThreadPool& threads);

}  // namespace parallax::cpu
