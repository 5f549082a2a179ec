// Kernels of the trees: rows of W elements, which may be read and written a vector past the width.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/trees/pixel_trees.h"

namespace parallax::cpu {

inline constexpr std::int16_t kAboveAll = 0x7FFF;  // larger than every index
inline constexpr std::int16_t kBelowAll = -1;

struct IndexRow {
  std::int16_t* index;                       // of the selected disparity, 0 if there is none
  std::int16_t* weight;                      // 2 if the pixel is kept, 1 if it was rejected
  std::int16_t* is_kept;                     // 1 or 0
  std::int16_t *kept_or_high, *kept_or_low;  // the index, or kAboveAll and kBelowAll
};
void MakeIndexRow(const float* selected, const std::uint8_t* validity, int width, int min_disparity,
                  const IndexRow& row);

// Find the lowest, or highest, of count rows for each pixel.
void LowestOfRows(const std::int16_t* const* rows, int count, int width, std::int16_t* lowest);
void HighestOfRows(const std::int16_t* const* rows, int count, int width, std::int16_t* highest);

// What sums over the windows of a row of pixels are computed from.
struct WindowRow {
  // Two rows of sums over everything above and to the left: at the top of the windows and at their bottom.
  const std::uint32_t *above, *below;
  int radius;
  const float* num_columns;  // of each pixel's window inside the image
  float num_rows;            // the same, of all windows
};
// Writes scale * sum / number of pixels, rounded down.
void MeanRow(const WindowRow& sums, float scale, int width, std::uint8_t* feature);
// Writes MeanFeature().
void MeanOfKeptRow(const WindowRow& index_sums, const WindowRow& kept_sums, const std::int16_t* index,
                   int width, std::uint8_t* feature);

struct RingRows {
  const std::int16_t *index[kRingPixels], *weight[kRingPixels];  // weight 0 outside the image
};
void AgreementRow(const RingRows& ring, const std::int16_t* index, int difference, int width,
                  std::uint8_t* feature);

// Writes the index minus the lowest one.
void AboveLowestRow(const std::int16_t* index, const std::int16_t* lowest, int width, std::uint8_t* feature);
// Write KeptExtremeFeature() for the lowest, and for the highest kept one.
void KeptLowestRow(const std::int16_t* index, const std::int16_t* lowest, int width, std::uint8_t* feature);
void KeptHighestRow(const std::int16_t* index, const std::int16_t* highest, int width, std::uint8_t* feature);

// The plane of its tile for each pixel of a row, and tile_px entries without a plane on either side.
struct PlaneOfColumn {
  const float *value, *slope_x, *slope_y, *center_x;
};
struct PlanesAround {
  PlaneOfColumn tiles[3];  // above, here, below
  float from_center_y[3];
  int tile_px;
};
void PlaneRow(const PlanesAround& planes, const float* selected, int min_disparity, int width,
              std::uint8_t* own, std::uint8_t* nearest, std::uint8_t* num_near);

// Adds the bias and a leaf of each of num_trees trees. features: rows feature_stride apart. The sums of a
// vector of bytes may be written past the width.
void SumLeavesRow(int bias, const PixelTree* trees, int num_trees, const std::uint8_t* features,
                  std::ptrdiff_t feature_stride, int width, std::int16_t* sums);

}  // namespace parallax::cpu
