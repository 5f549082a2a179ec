#include "pipeline/cpu/sgm/tile_weights.h"

#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/sgm/tile_weights.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<std::int16_t>;
using V = hn::Vec<Tag>;

// b(x + 2) - b(x - 2) of the row at `row`, before the weights 1 2 1 along columns.
HWY_INLINE V DifferencesOfRow(const std::uint8_t* HWY_RESTRICT row) {
  const Tag d;
  const auto sum_around = [&](int x) HWY_ATTR {
    const auto pixel = [&](int i) HWY_ATTR {
      return hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::uint8_t, Tag>(), row + i));
    };
    const V center = pixel(x);
    return hn::Add(hn::Add(pixel(x - 1), pixel(x + 1)), hn::Add(center, center));
  };
  return hn::Sub(sum_around(2), sum_around(-2));
}

// Sums of the tiles of a row of tiles, which begins at pixel `first` and has num_rows rows.
void SumTilesOfTarget(const std::uint8_t* HWY_RESTRICT first, std::ptrdiff_t stride, int width, int num_rows,
                      std::uint32_t* HWY_RESTRICT sums) {
  const Tag d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag())), kPart = std::max(kLanes, kWeightTile_px);
  for (int part = 0; part < width; part += kPart) {
    alignas(64) std::int16_t of_columns[kPart];  // at most 8 rows of 4,080
    for (int x = 0; x < kPart; x += kLanes) {
      const std::uint8_t* row = first + part + x;
      V above = DifferencesOfRow(row - stride), here = DifferencesOfRow(row), sum = hn::Zero(d);
      for (int y = 0; y < num_rows; ++y) {
        row += stride;
        const V below = DifferencesOfRow(row);
        sum = hn::Add(sum, hn::Abs(hn::Add(hn::Add(above, below), hn::Add(here, here))));
        above = here, here = below;
      }
      hn::Store(sum, d, of_columns + x);
    }
    for (int x = 0; x < std::min(kPart, width - part); x += kWeightTile_px) {
      const int end = std::min(x + kWeightTile_px, width - part);
      *sums++ = std::accumulate(of_columns + x, of_columns + end, 0U);
    }
  }
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(SumTilesOfTarget);

CostWeights::CostWeights(const WeightRule& rule, int width, int height)
    : rule_(rule),
      width_(width),
      height_(height),
      differences_(rule.weighs() ? static_cast<std::size_t>(NumWeightTiles(width) * NumWeightTiles(height))
                                 : 0),
      weights_(differences_.size()) {}

std::size_t CostWeights::BytesOf(const WeightRule& rule, int width, int height) {
  if (!rule.weighs()) return 0;
  return static_cast<std::size_t>(NumWeightTiles(width) * NumWeightTiles(height)) *
         (sizeof(std::uint32_t) + sizeof(std::uint16_t));
}

void CostWeights::Compute(const PaddedImage<std::uint8_t>& guide, ThreadPool& threads) {
  if (!rule_.weighs()) return;
  const int columns = NumWeightTiles(width_), rows = NumWeightTiles(height_);
  threads.ParallelFor(rows, [&](int tile_y) {
    const int y_begin = tile_y * kWeightTile_px, y_end = std::min(height_, y_begin + kWeightTile_px);
    HWY_DYNAMIC_DISPATCH(SumTilesOfTarget)
    (guide.Row(y_begin), guide.stride(), width_, y_end - y_begin,
     differences_.data() + static_cast<std::ptrdiff_t>(tile_y) * columns);
  });
  for (int tile_y = 0; tile_y < rows; ++tile_y) {
    const int first_y = std::max(0, tile_y - kWeightTilesAround),
              last_y = std::min(rows - 1, tile_y + kWeightTilesAround);
    const int pixels_y = PixelsAroundTile(tile_y, height_);
    for (int tile_x = 0; tile_x < columns; ++tile_x) {
      std::uint32_t sum = 0;
      for (int j = first_y; j <= last_y; ++j) {
        for (int i = std::max(0, tile_x - kWeightTilesAround);
             i <= std::min(columns - 1, tile_x + kWeightTilesAround); ++i)
          sum += differences_[static_cast<std::size_t>(j * columns + i)];
      }
      weights_[static_cast<std::size_t>(tile_y * columns + tile_x)] = static_cast<std::uint16_t>(
          CostWeight(rule_, sum, static_cast<std::uint32_t>(pixels_y * PixelsAroundTile(tile_x, width_))));
    }
  }
}

}  // namespace parallax::cpu
#endif
