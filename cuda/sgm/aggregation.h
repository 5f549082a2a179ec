// aggregation on the device: rows, and all other lines. Launches kernels on the given stream and returns
// before they are done; allocates nothing, never waits, never uses the default stream. It computes what
// docs/matching.md says, to the bit.
//
// AggregateRows and AggregateColumns run at the same time. With HasDependentLaunch() both are launched on one
// stream, columns first if layout.columns_first, else rows. Otherwise they run on two streams.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/sgm/volume_layout.h"
#include "pipeline/rules/matching_tables.h"

namespace parallax::cuda {

struct AggregationInput {
  const MatchingTables& tables;
  const std::uint32_t* jumps = nullptr;  // by FindJumps, if HasJumps
};
// Both read volumes.Costs() and raise bands_done. Rows write volume 0 of volumes.Sums(), columns and
// diagonals the other volumes.
void AggregateRows(const AggregationInput& input, const SgmVolumes& volumes, cudaStream_t stream);
void AggregateColumns(const AggregationInput& input, const SgmVolumes& volumes, cudaStream_t stream);

// Bytes of SgmVolumes::checkpoints.
std::size_t CheckpointBytes(const VolumeLayout& layout);
// The most bytes that an image of any size up to the layout's needs.
std::size_t MostCheckpointBytes(const VolumeLayout& largest);

// How often a band's counter (SgmVolumes::bands_done) is raised: by the `rows` rows of the band, and by all
// other lines.
constexpr std::uint32_t RaisesOfRows(int rows, bool in_pairs) {
  return 2U * static_cast<std::uint32_t>(in_pairs ? NumPairs(rows) : rows);
}
std::uint32_t RaisesOfColumns(const VolumeLayout& layout);

// Writes the sums over all directions, an intermediate result that a caller asked for: [y][x][d] with D
// values for each pixel, densely packed.
void SumPaths(const SgmVolumes& volumes, DeviceCostVolumeView<std::uint16_t> sums, cudaStream_t stream);

}  // namespace parallax::cuda
