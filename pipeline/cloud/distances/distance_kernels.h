// Tiles of distances: some rows of one matrix by panels of rows of another.
#pragma once

#include <cstdint>
#include <limits>

#include "parallax/image.h"
#include "pipeline/cloud/distances/distances.h"

namespace parallax {

inline constexpr int kPanelColumns = 32;

// Rows of b, which are columns of the distances, in panels of 32: panel p has number d of column 32 p + c at
// [p][d][c]. The last panel is padded with zeros.
struct PackedColumns {
  std::int64_t num_columns = 0, num_panels = 0;
  int dims = 0;
  AlignedBuffer<float> panels;
  AlignedBuffer<float> norms;  // squared, one for each column; empty for the direct method

  const float* Panel(std::int64_t panel) const { return panels.data() + panel * dims * kPanelColumns; }
};

// A 10-bit mantissa: to the nearest, ties away from zero, as GPUs convert.
float RoundToTf32(float value);

// Sum of squares in the order of the dimensions, each operation rounded.
float SquaredNorm(const float* row, int dims);

// Rows of a, and panels of b that they are compared with.
struct DistanceTile {
  const float* rows = nullptr;
  std::int64_t row_stride = 0;
  int num_rows = 0;
  const float* norms = nullptr;  // squared, one for each row; null for the direct method
  std::int64_t first_panel = 0, num_panels = 0;
};
// Writes the tile's distances to out: num_rows rows of 32 * num_panels columns. The padded columns of the
// last panel become NaN. stride: from one row of out to the next.
void ComputeDistances(const DistanceTile& tile, const PackedColumns& columns, float* out,
                      std::int64_t stride);

// The nearest column found so far for one row. Columns come in ascending order.
struct NearestColumn {
  float distance = std::numeric_limits<float>::infinity();
  std::int32_t column = -1;
};
// Updates `nearest` with the distances of `count` more columns, from first_column on. count: a multiple of
// 32.
void UpdateNearest(const float* distances, int count, std::int64_t first_column, NearestColumn& nearest);

// An entry of `smallest` that is not filled yet.
inline constexpr std::int64_t kNoSmallest =
    std::int64_t{0x7F800000} << 32 | std::numeric_limits<std::int32_t>::max();
// Does the same for the k smallest distances of one row. smallest: k entries, ascending, each with the bits
// of the distance in its upper half and the column in its lower half. The caller fills it with kNoSmallest
// first.
void UpdateSmallest(const float* distances, int count, std::int64_t first_column, std::int64_t* smallest,
                    int k);

}  // namespace parallax
