// Jumps: P2 - P1 between neighbouring pixels of a line, of columns P2 - P1 of ground. Made for all pixels in
// one go; warps of aggregation that made them from gray values on their way waited for each of those.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "cuda/sgm/volume_layout.h"
#include "parallax/image.h"
#include "pipeline/rules/matching_tables.h"

namespace parallax::cuda {

// Else P2 - P1 is the same everywhere.
bool HasJumps(const VolumeLayout& layout, const MatchingTables& tables);

// By the difference of the gray values, 256 values of rows and diagonals and 256 of columns.
using JumpTable = std::array<std::uint16_t, 512>;
JumpTable MakeJumpTable(const MatchingTables& tables);

// Words of a volume: of the pixel before the first, of all pixels, of the one after the last. A word holds
// the jumps to a pixel from the one before on its line (low half) and to the pixel beside it, on the line
// that the warp follows too: the right one; in pairs of rows the lower one; in single rows the pixel itself.
inline std::size_t NumJumpWords(const VolumeLayout& layout) { return layout.num_pixels() + 2; }

// Writes the words of layout.num_volumes volumes. guide: rows densely packed, written before the last kernel
// on the stream began. table: a JumpTable in device memory.
void FindJumps(DeviceImageView<const std::uint8_t> guide, const std::uint16_t* table,
               const VolumeLayout& layout, std::uint32_t* jumps, cudaStream_t stream);

}  // namespace parallax::cuda
