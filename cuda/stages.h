// The stages on the device: each function launches the kernels of one stage on the given stream and returns
// before they are done. They compute what docs/matching.md says, to the bit. All images are W x H, rows
// densely packed unless a view says otherwise. No call allocates, waits, or uses the default stream.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "pipeline/cloud.h"
#include "pipeline/image.h"
#include "pipeline/matching_tables.h"
#include "pipeline/parameters.h"
#include "pipeline/rig.h"

namespace parallax::cuda {

// True where the current device can run this build's kernels.
bool HasKernelsForCurrentDevice();
// Whether they can begin while the kernel before them ends (cuda/device/dependent_launch.cuh): from compute
// capability 9.0 on.
bool HasDependentLaunch();

// --- census_transform ---------------------------------------------------------
// Gray images that the stage makes when the input is colour or 16-bit: `guide` is always written.
void GrayFromColor(DeviceImageView<const Rgb8> color, DeviceImageView<std::uint8_t> gray,
                   cudaStream_t stream);
void GuideFromGray16(DeviceImageView<const std::uint16_t> gray, DeviceImageView<std::uint8_t> guide,
                     cudaStream_t stream);
// Codes of both images in one launch. Windows of up to 32 bits write `census32`, the others `census64`; the
// unused one may be empty.
struct CensusImages {
  DeviceImageView<std::uint32_t> left32, right32;
  DeviceImageView<std::uint64_t> left64, right64;
};
inline bool HasCode32(CensusWindow window) {
  return window == CensusWindow::k5x5 || window == CensusWindow::kCenterSymmetric9x7;
}
void CensusTransform(DeviceImageView<const std::uint8_t> left, DeviceImageView<const std::uint8_t> right,
                     CensusWindow window, const CensusImages& census, cudaStream_t stream);
void CensusTransform(DeviceImageView<const std::uint16_t> left, DeviceImageView<const std::uint16_t> right,
                     CensusWindow window, const CensusImages& census, cudaStream_t stream);
// For hand-out: 32-bit codes as 64-bit ones.
void WidenCensus(DeviceImageView<const std::uint32_t> from, DeviceImageView<std::uint64_t> to,
                 cudaStream_t stream);

// --- volumes --------------------------------------------------------------------
// How one frame's costs and path sums lie in memory: [y][x][d] in the order of d. A pixel's values belong to
// one warp, D is padded to 32 * values_per_lane. One volume of path sums holds both directions of one kind of
// line: rows, columns, and with 8 paths the diagonals down to the right and those down to the left.
struct VolumeLayout {
  int width = 0, height = 0;  // px
  int num_disparities = 0;    // D
  int min_disparity = 0;
  int values_per_lane = 0;  // 2, 4, 8, 16 or 32
  int num_volumes = 0;      // 2 or 4
  // 1 where 2 (census_bits + largest_p2) <= 255 and D is even, or where leaves_costs_out; else 2.
  int bytes_per_sum = 1;
  // Sums leave out the matching costs, which selection adds: where only 2 largest_p2 <= 255 and census_bits +
  // largest_p2 <= 255, and D is padded() itself.
  bool leaves_costs_out = false;
  bool pairs_rows = false;     // rows are aggregated in pairs
  bool columns_first = false;  // columns and diagonals begin before rows
  int padding_cost = 0;  // matching cost from D on: with bytes_per_sum 1 above all path costs, below 128
  int padded() const { return 32 * values_per_lane; }
  std::size_t num_pixels() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  // A pixel more before the first: diagonals read one beyond the first and the last row. Seven more behind
  // the last: rows read whole groups of eight.
  std::size_t cost_bytes() const { return (num_pixels() + 8) * static_cast<std::size_t>(padded()); }
  std::size_t sum_bytes() const {
    return num_pixels() * static_cast<std::size_t>(padded()) * static_cast<std::size_t>(bytes_per_sum);
  }
};
// Rows are aggregated in pairs (layout.pairs_rows) where pairs * values_per_lane is at least this. Pairs take
// fewer instructions; single rows, two warps each, are done sooner where there are few. Measured on an H200
// (docs/gpu.md); tests and benchmarks change it.
inline std::atomic<int> pairs_rows_from{3000};
constexpr int NumPairs(int lines) { return (lines + 1) / 2; }
VolumeLayout MakeVolumeLayout(const Parameters& parameters, const MatchingTables& tables, int width,
                              int height);

// --- matching_cost ----------------------------------------------------------------
// costs: one byte a cell, of pixel 0. Sets bands_done to zero, unless it is null.
void MatchingCost(const CensusImages& census, CensusWindow window, const VolumeLayout& layout,
                  int outside_cost, std::uint8_t* costs, std::uint32_t* bands_done, cudaStream_t stream);

// --- aggregation --------------------------------------------------------------------
// p2_table: 256 values of MatchingTables::p2 in device memory. costs: of pixel 0; the pixels before the first
// and after the last are read, not used. checkpoints: CheckpointBytes of scratch. sums: layout.num_volumes
// volumes of layout.sum_bytes(), rows first. bands_done: null, or a counter for each band of kBandRows rows,
// which tells selection how far the two have come (cuda/sgm/progress.cuh).
//
// The two run beside each other: launched one right after the other on the same stream where
// HasDependentLaunch(), columns first where layout.columns_first, else rows; on two streams elsewhere.
inline constexpr int kBandRows = 32;
constexpr int NumBands(int height) { return (height + kBandRows - 1) / kBandRows; }
std::size_t CheckpointBytes(const VolumeLayout& layout);
void AggregateRows(const std::uint8_t* costs, DeviceImageView<const std::uint8_t> guide,
                   const MatchingTables& tables, const std::uint16_t* p2_table, const VolumeLayout& layout,
                   std::uint8_t* checkpoints, std::uint8_t* sums, std::uint32_t* bands_done,
                   cudaStream_t stream);
void AggregateColumns(const std::uint8_t* costs, DeviceImageView<const std::uint8_t> guide,
                      const MatchingTables& tables, const std::uint16_t* p2_table, const VolumeLayout& layout,
                      std::uint8_t* checkpoints, std::uint8_t* sums, std::uint32_t* bands_done,
                      cudaStream_t stream);
// How often a band's counter is raised: by the lines that are no rows, and by the band's rows.
constexpr std::uint32_t RaisesOfRows(int rows, bool in_pairs) {
  return 2U * static_cast<std::uint32_t>(in_pairs ? NumPairs(rows) : rows);
}
std::uint32_t RaisesOfColumns(const VolumeLayout& layout);
// Whether P2 depends on the gradient.
inline bool IsAdaptive(const MatchingTables& tables) {
  for (const std::uint16_t p2 : tables.p2) {
    if (p2 != tables.p2[0]) return true;
  }
  return false;
}
// For hand-out: the sums over the directions, [y][x][d] with D values a pixel.
void SumPaths(const std::uint8_t* volumes, const std::uint8_t* costs, const VolumeLayout& layout,
              std::uint16_t* sums, cudaStream_t stream);

// --- selection ------------------------------------------------------------------------
inline constexpr std::uint16_t kNoWinner = 0xFFFF;
struct DeviceDisparityMap {
  DeviceImageView<float> disparity;
  DeviceImageView<std::uint8_t> validity, confidence;
};
// volumes, bands_done: what the aggregation has written, or still writes where bands_done is not null.
// winner_left, winner_right: indices d, kNoWinner where there is none.
void SelectDisparities(const std::uint8_t* volumes, const std::uint8_t* costs,
                       const std::uint32_t* bands_done, const VolumeLayout& layout,
                       const SelectionParameters& parameters, DeviceImageView<std::uint16_t> winner_left,
                       DeviceImageView<std::uint16_t> winner_right, const DeviceDisparityMap& selected,
                       cudaStream_t stream);
// Selection and consistency in one, without the results in between. max_difference must not be negative.
bool FitsSelectAndCheck(const VolumeLayout& layout);
void SelectAndCheck(const std::uint8_t* volumes, const std::uint8_t* costs, const std::uint32_t* bands_done,
                    const VolumeLayout& layout, const SelectionParameters& selection,
                    const ConsistencyParameters& consistency, const DeviceDisparityMap& map,
                    cudaStream_t stream);
// Largest image: selection and consistency keep a row of the right image on the chip; a grid has so many
// rows.
inline constexpr int kLargestWidth_px = 50000, kLargestHeight_px = 65535;

// --- consistency -------------------------------------------------------------------------
// Changes map in place.
void CheckConsistency(DeviceImageView<const std::uint16_t> winner_left,
                      DeviceImageView<const std::uint16_t> winner_right, int min_disparity,
                      int num_disparities, const ConsistencyParameters& parameters,
                      const DeviceDisparityMap& map, cudaStream_t stream);

// --- filter ----------------------------------------------------------------------------------
// Scratch of W x H each.
struct SpeckleScratch {
  DeviceImageView<std::uint32_t> labels, sizes;
};
void RemoveSpeckles(const FilterParameters& parameters, const SpeckleScratch& scratch,
                    const DeviceDisparityMap& map, cudaStream_t stream);
struct FillScratch {
  float* nearest;             // eight images of W x H
  std::uint32_t* holes_left;  // two values
};
void FillHoles(const FillScratch& scratch, const DeviceDisparityMap& map, cudaStream_t stream);
// from: disparities; to: another image. side 3 or 5.
void MedianFilter(int side, DeviceImageView<const float> from, DeviceImageView<float> to,
                  cudaStream_t stream);

// --- reprojection --------------------------------------------------------------------------------
void DepthFromDisparity(DeviceImageView<const float> disparity, const StereoRig& rig,
                        const ReprojectionParameters& limits, DeviceImageView<float> depth,
                        cudaStream_t stream);
// Bytes of scratch that CloudFromDepth needs.
std::size_t CloudScratchBytes(int width, int height);
// Points of the pixels that have a depth, in reading order. points, colors: room for W x H. num_points: one
// value on the device. offsets: W x H + 1 values of scratch. Exactly one of gray, gray16 and color is not
// empty.
struct CloudInput {
  DeviceImageView<const float> depth;
  DeviceImageView<const std::uint8_t> gray;
  DeviceImageView<const std::uint16_t> gray16;
  DeviceImageView<const Rgb8> color;
};
void CloudFromDepth(const CloudInput& input, const StereoRig& rig, Point3f* points, Rgb8* colors,
                    std::uint32_t* num_points, void* scratch, std::size_t scratch_bytes, cudaStream_t stream);

}  // namespace parallax::cuda
