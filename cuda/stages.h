// The stages on the device: each function launches the kernels of one stage on the given stream and returns
// before they are done. They compute what docs/matching.md says, to the bit. All images are W x H, rows
// densely packed unless a view says otherwise. No call allocates, waits, or uses the default stream.
#pragma once

#include <cuda_runtime_api.h>

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
// How one frame's costs and path costs lie in memory. A pixel's costs belong to one warp (see
// cuda/warp_costs.cuh): D is padded to 64 * words, every lane holds `words` words of two disparities each.
struct VolumeLayout {
  int width = 0, height = 0;  // px
  int num_disparities = 0;    // D
  int min_disparity = 0;
  int words = 0;                // 32-bit words a lane: 1, 2, 4, 8 or 16
  int bytes_per_path_cost = 1;  // 1 where census_bits + largest_p2 <= 255, else 2
  int padded() const { return 64 * words; }
  std::size_t num_pixels() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  std::size_t cost_bytes() const { return num_pixels() * static_cast<std::size_t>(padded()); }
  std::size_t path_bytes() const { return cost_bytes() * static_cast<std::size_t>(bytes_per_path_cost); }
};
VolumeLayout MakeVolumeLayout(const Parameters& parameters, const MatchingTables& tables, int width,
                              int height);

// --- matching_cost ----------------------------------------------------------------
// costs: layout.cost_bytes() bytes, one a cell.
void MatchingCost(const CensusImages& census, CensusWindow window, const VolumeLayout& layout,
                  int outside_cost, std::uint8_t* costs, cudaStream_t stream);

// --- aggregation --------------------------------------------------------------------
// p2_table: 256 values of MatchingTables::p2 in device memory. path_costs: tables.num_paths volumes of
// layout.path_bytes() bytes, one a direction, in the reference's order (the two horizontal ones first).
// sparse: only the pixels next to multiples of kCheckpoint are written, from which SelectAndCheck makes the
// others again; where MakesRows.
inline constexpr int kCheckpoint = 8;
bool MakesRows(const VolumeLayout& layout, const MatchingTables& tables);
// The two can run beside each other, on two streams. kCheckpoint pixels more than the volume of costs are
// read (not used).
void HorizontalPaths(const std::uint8_t* costs, DeviceImageView<const std::uint8_t> guide,
                     const MatchingTables& tables, const std::uint16_t* p2_table, const VolumeLayout& layout,
                     bool sparse, std::uint8_t* path_costs, cudaStream_t stream);
void AggregatePaths(const std::uint8_t* costs, DeviceImageView<const std::uint8_t> guide,
                    const MatchingTables& tables, const std::uint16_t* p2_table, const VolumeLayout& layout,
                    std::uint8_t* path_costs, cudaStream_t stream);
// Whether P2 depends on the gradient.
inline bool IsAdaptive(const MatchingTables& tables) {
  for (const std::uint16_t p2 : tables.p2) {
    if (p2 != tables.p2[0]) return true;
  }
  return false;
}
// For hand-out: the sums over the directions, [y][x][d] with D values a pixel.
void SumPaths(const std::uint8_t* path_costs, int num_paths, const VolumeLayout& layout, std::uint16_t* sums,
              cudaStream_t stream);

// --- selection ------------------------------------------------------------------------
inline constexpr std::uint16_t kNoWinner = 0xFFFF;
struct DeviceDisparityMap {
  DeviceImageView<float> disparity;
  DeviceImageView<std::uint8_t> validity, confidence;
};
// winner_left, winner_right: indices d, kNoWinner where there is none.
void SelectDisparities(const std::uint8_t* path_costs, int num_paths, const VolumeLayout& layout,
                       const SelectionParameters& parameters, DeviceImageView<std::uint16_t> winner_left,
                       DeviceImageView<std::uint16_t> winner_right, const DeviceDisparityMap& selected,
                       cudaStream_t stream);
// Selection and consistency in one, without the results in between. max_difference may be -1.
// costs: null where path_costs is complete; otherwise the horizontal paths are sparse. kCheckpoint pixels
// more than the volume of costs are read (not used).
bool FitsSelectAndCheck(const VolumeLayout& layout);
void SelectAndCheck(const std::uint8_t* path_costs, const std::uint8_t* costs, const MatchingTables& tables,
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
