// The layout of one frame's costs and path sums in device memory: [y][x][d] in the order of d. A pixel's
// values belong to one warp, and D is padded to lanes * values_per_lane. One volume of path sums holds both
// directions of one kind of line: rows, columns, and with 8 paths the diagonals down to the right and those
// down to the left.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/device/tuning.h"
#include "pipeline/rules/matching_tables.h"
#include "pipeline/types/cost_volume.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda {

// Whether P2 depends on the gradient.
inline bool IsAdaptive(const MatchingTables& tables) {
  for (const std::uint16_t p2 : tables.p2) {
    if (p2 != tables.p2[0]) return true;
  }
  return false;
}
// Whether columns have separate penalties.
inline bool HasOwnColumns(const MatchingTables& tables) {
  return tables.p1_ground != tables.p1 || tables.p2_vertical != tables.p2;
}

struct VolumeLayout {
  int width = 0, height = 0;  // px
  int num_disparities = 0;    // D
  int min_disparity = 0;
  int values_per_lane = 0;  // 2, 4, 8, 16 or 32
  int lanes = 32;           // that hold values; 24 where values_per_lane is 8 and D at most 192
  int num_volumes = 0;      // 2 or 4
  // 1 if 2 (largest cost + largest P2, including that of columns) <= 255 and D is even, or if
  // leaves_costs_out; else 2.
  int bytes_per_sum = 1;
  // Sums leave out the matching costs, which selection adds: only if 2 largest P2 <= 255, largest cost +
  // largest P2 <= 255, and D equals padded().
  bool leaves_costs_out = false;
  bool pairs_rows = false;     // rows are aggregated in pairs
  bool columns_first = false;  // columns and diagonals begin before rows
  int shared_bytes = 0;        // CudaTuning::shared_bytes
  int padding_cost = 0;        // matching cost beyond D: with bytes_per_sum 1 above all path costs, below 128
  int padded() const { return lanes * values_per_lane; }
  std::size_t num_pixels() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  // One more pixel before the first: diagonals read one beyond the first and the last row. Seven more after
  // the last: rows read whole groups of eight.
  std::size_t cost_bytes() const { return (num_pixels() + 8) * static_cast<std::size_t>(padded()); }
  std::size_t sum_bytes() const {
    return num_pixels() * static_cast<std::size_t>(padded()) * static_cast<std::size_t>(bytes_per_sum);
  }
};
VolumeLayout MakeVolumeLayout(const Parameters& parameters, const MatchingTables& tables, int width,
                              int height, const CudaTuning& tuning = {});

constexpr int NumPairs(int lines) { return (lines + 1) / 2; }

// Rows of the image that selection awaits together (cuda/sgm/progress.cuh).
inline constexpr int kBandRows = 32;
constexpr int NumBands(int height) { return (height + kBandRows - 1) / kBandRows; }

// The device memory that matching_cost, aggregation and selection pass to each other. Borrowed.
struct SgmVolumes {
  VolumeLayout layout;
  std::uint8_t* costs_memory = nullptr;  // layout.cost_bytes(): matching costs of 8 bits
  std::uint8_t* sums_memory = nullptr;   // layout.num_volumes volumes of layout.sum_bytes(), rows first
  std::uint8_t* checkpoints = nullptr;   // CheckpointBytes(layout) (cuda/sgm/aggregation.h) of scratch
  // NumBands(height) counters, the progress of aggregation for selection; null: selection waits for its end.
  std::uint32_t* bands_done = nullptr;

  // The costs of the image's pixels. Those before the first and after the last are read but not used.
  DeviceCostVolumeView<std::uint8_t> Costs() const {
    return View<std::uint8_t>(costs_memory + layout.padded());
  }
  // Volume v, T of layout.bytes_per_sum bytes.
  template <typename T>
  DeviceCostVolumeView<T> Sums(int v) const {
    return View<T>(sums_memory + static_cast<std::size_t>(v) * layout.sum_bytes());
  }

 private:
  template <typename T>
  DeviceCostVolumeView<T> View(std::uint8_t* first) const {
    const std::ptrdiff_t padded = layout.padded();
    return {reinterpret_cast<T*>(first), layout.width, layout.height,
            layout.num_disparities,      padded,       padded * layout.width};
  }
};

}  // namespace parallax::cuda
