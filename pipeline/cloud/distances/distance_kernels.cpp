#include "pipeline/cloud/distances/distance_kernels.h"

#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cloud/distances/distance_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace parallax::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, 16>;
using V = hn::Vec<Tag>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag()));
// Rows by two vectors of columns are summed at a time: all sums in registers, and enough of them to hide the
// latency of an addition.
constexpr int kRows = HWY_TARGET <= HWY_AVX3 || PARALLAX_TARGET_IS_NEON ? 8 : 4;

template <bool kProduct>
HWY_INLINE V Add(V sum, V row, V column) {
  // Fused where the machine can: the product form promises no bits.
  if constexpr (kProduct) return hn::MulAdd(row, column, sum);
  const V difference = hn::Sub(row, column);
  return hn::Add(sum, hn::Mul(difference, difference));
}

template <bool kProduct>
HWY_INLINE V DistanceOf(V sum, float row_norm, const float* column_norms) {
  const Tag d;
  if constexpr (!kProduct) return hn::Sqrt(sum);
  const V norms = hn::Add(hn::Set(d, row_norm), hn::Load(d, column_norms));
  const V squared = hn::Sub(norms, hn::Add(sum, sum));
  return hn::Sqrt(hn::IfThenZeroElse(hn::Lt(squared, hn::Zero(d)), squared));  // NaN stays
}

// kRows rows by two vectors. kProduct: from sums of products, else of squared differences; in the order of
// the dimensions. All loops over rows are of known length, so that the sums stay in registers.
template <bool kProduct>
HWY_NOINLINE void ComputeBlock(const float* const* rows, const float* row_norms, const float* columns,
                               int dims, const float* column_norms, int column, float* const* out) {
  const Tag d;
  V left[kRows], right[kRows];
  for (int r = 0; r < kRows; ++r) left[r] = right[r] = hn::Zero(d);
  for (int i = 0; i < dims; ++i) {
    const V column_left = hn::Load(d, columns + i * kPanelColumns);
    const V column_right = hn::Load(d, columns + i * kPanelColumns + kLanes);
    for (int r = 0; r < kRows; ++r) {
      const V row = hn::Set(d, rows[r][i]);
      left[r] = Add<kProduct>(left[r], row, column_left);
      right[r] = Add<kProduct>(right[r], row, column_right);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    hn::Store(DistanceOf<kProduct>(left[r], row_norms[r], column_norms), d, out[r] + column);
    hn::Store(DistanceOf<kProduct>(right[r], row_norms[r], column_norms + kLanes), d,
              out[r] + column + kLanes);
  }
}

template <bool kProduct>
void ComputeOfMethod(const DistanceTile& tile, const PackedColumns& columns, float* out,
                     std::int64_t stride) {
  alignas(64) float unused[kPanelColumns];
  for (std::int64_t panel = 0; panel < tile.num_panels; ++panel) {
    const float* const values = columns.Panel(tile.first_panel + panel);
    const float* const column_norms = columns.norms.data() + (tile.first_panel + panel) * kPanelColumns;
    for (int first = 0; first < tile.num_rows; first += kRows) {
      const float* rows[kRows];  // those behind the end are the last one again, and go where nobody looks
      float* out_rows[kRows];
      float row_norms[kRows];
      for (int r = 0; r < kRows; ++r) {
        const int row = std::min(first + r, tile.num_rows - 1);
        rows[r] = tile.rows + row * tile.row_stride;
        out_rows[r] = first + r < tile.num_rows ? out + row * stride + panel * kPanelColumns : unused;
        row_norms[r] = kProduct ? tile.norms[row] : 0;
      }
      for (int c = 0; c < kPanelColumns; c += 2 * kLanes) {
        ComputeBlock<kProduct>(rows, row_norms, values + c, columns.dims, column_norms + c, c, out_rows);
      }
    }
  }
}

void ComputeOfTarget(const DistanceTile& tile, const PackedColumns& columns, float* out,
                     std::int64_t stride) {
  if (tile.norms != nullptr) {
    ComputeOfMethod<true>(tile, columns, out, stride);
  } else {
    ComputeOfMethod<false>(tile, columns, out, stride);
  }
}

void UpdateNearestOfTarget(const float* HWY_RESTRICT distances, int count, std::int64_t first_column,
                           NearestColumn& nearest) {
  const Tag d;
  const hn::RebindToSigned<Tag> di;
  V best = hn::Set(d, nearest.distance);
  auto best_place = hn::Set(di, -1);
  auto place = hn::Iota(di, 0);
  const auto step = hn::Set(di, kLanes);
  for (int i = 0; i < count; i += kLanes) {
    const V here = hn::LoadU(d, distances + i);
    const auto nearer = hn::Lt(here, best);  // false for NaN
    best = hn::IfThenElse(nearer, here, best);
    best_place = hn::IfThenElse(hn::RebindMask(di, nearer), place, best_place);
    place = hn::Add(place, step);
  }
  alignas(64) float values[kLanes];
  alignas(64) std::int32_t places[kLanes];
  hn::Store(best, d, values);
  hn::Store(best_place, di, places);
  int found = -1;
  for (int i = 0; i < kLanes; ++i) {
    if (places[i] < 0) continue;
    if (found < 0 || values[i] < values[found] || (values[i] == values[found] && places[i] < places[found]))
      found = i;
  }
  if (found >= 0) {
    nearest = {values[found], static_cast<std::int32_t>(first_column + places[found])};
  } else if (nearest.column < 0) {  // nothing nearer than infinitely far: perhaps something that far
    for (int i = 0; i < count && nearest.column < 0; ++i) {
      if (!std::isnan(distances[i])) nearest.column = static_cast<std::int32_t>(first_column + i);
    }
  }
}

void UpdateSmallestOfTarget(const float* HWY_RESTRICT distances, int count, std::int64_t first_column,
                            std::int64_t* HWY_RESTRICT smallest, int k) {
  const Tag d;
  for (int i = 0; i < count; i += kLanes) {
    const auto largest = std::bit_cast<float>(static_cast<std::int32_t>(smallest[k - 1] >> 32));
    const auto near = hn::Le(hn::LoadU(d, distances + i), hn::Set(d, largest));  // false for NaN
    if (hn::AllFalse(d, near)) continue;
    for (int j = i; j < i + kLanes; ++j) {
      if (std::isnan(distances[j])) continue;
      const std::int64_t key = static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(distances[j])) << 32 |
                               static_cast<std::int64_t>(first_column + j);
      if (key >= smallest[k - 1]) continue;
      int place = k - 1;
      for (; place > 0 && smallest[place - 1] > key; --place) smallest[place] = smallest[place - 1];
      smallest[place] = key;
    }
  }
}

}  // namespace
}  // namespace parallax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax {

HWY_EXPORT(ComputeOfTarget);
HWY_EXPORT(UpdateNearestOfTarget);
HWY_EXPORT(UpdateSmallestOfTarget);

float RoundToTf32(float value) {
  if (!std::isfinite(value)) return value;
  constexpr std::uint32_t kDropped = (1U << 13) - 1;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + (kDropped + 1) / 2) & ~kDropped);
}

float SquaredNorm(const float* row, int dims) {
  float sum = 0;
  for (int i = 0; i < dims; ++i) sum += row[i] * row[i];
  return sum;
}

void ComputeDistances(const DistanceTile& tile, const PackedColumns& columns, float* out,
                      std::int64_t stride) {
  HWY_DYNAMIC_DISPATCH(ComputeOfTarget)(tile, columns, out, stride);
  const std::int64_t end = std::min(tile.first_panel + tile.num_panels, columns.num_panels) * kPanelColumns;
  const std::int64_t first = tile.first_panel * kPanelColumns;
  for (int row = 0; row < tile.num_rows && end > columns.num_columns; ++row) {
    std::fill(out + row * stride + (columns.num_columns - first), out + row * stride + (end - first),
              std::numeric_limits<float>::quiet_NaN());
  }
}

void UpdateNearest(const float* distances, int count, std::int64_t first_column, NearestColumn& nearest) {
  HWY_DYNAMIC_DISPATCH(UpdateNearestOfTarget)(distances, count, first_column, nearest);
}

void UpdateSmallest(const float* distances, int count, std::int64_t first_column, std::int64_t* smallest,
                    int k) {
  HWY_DYNAMIC_DISPATCH(UpdateSmallestOfTarget)(distances, count, first_column, smallest, k);
}

}  // namespace parallax
#endif
