// A jump is P2 - P1 between two neighbouring pixels of a line; in columns, P2 - P1 of ground. One kernel finds
// the jumps of all pixels, because the aggregation kernels would wait for each gray value.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "cuda/sgm/volume_layout.h"
#include "parallax/image.h"
#include "pipeline/rules/matching_tables.h"

namespace parallax::cuda {

// False if P2 - P1 is the same everywhere.
bool HasJumps(const VolumeLayout& layout, const MatchingTables& tables);

// Jumps by the difference of the gray values: 256 for rows and diagonals, then 256 for columns.
using JumpTable = std::array<std::uint16_t, 512>;
JumpTable MakeJumpTable(const MatchingTables& tables);

// Number of words of a volume: one for each pixel, one before the first and one after the last. A warp follows
// two lines at once; a word holds the jump to a pixel of the first line (low half) and to that of the second
// line: the pixel to the right, in pairs of rows the one below, in single rows the same pixel.
inline std::size_t NumJumpWords(const VolumeLayout& layout) { return layout.num_pixels() + 2; }

// Writes the words of layout.num_volumes volumes. guide: densely packed rows, complete before the preceding
// kernel of the stream began. table: a JumpTable in device memory.
void FindJumps(DeviceImageView<const std::uint8_t> guide, const std::uint16_t* table,
               const VolumeLayout& layout, std::uint32_t* jumps, cudaStream_t stream);

}  // namespace parallax::cuda
