#include "pipeline/cpu/sgm/tile_weights.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace parallax::cpu {
namespace {

constexpr int kPart = 64;  // columns at a time, whole tiles

// b(x + 2) - b(x - 2) of one row, before the weights 1 2 1 along columns.
using RowDifferences = std::array<std::int16_t, kPart>;
void DifferencesOfRow(const std::uint8_t* row, RowDifferences& differences) {
  for (int i = 0; i < kPart; ++i) {
    differences[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(
        row[i + 1] + 2 * row[i + 2] + row[i + 3] - row[i - 1] - 2 * row[i - 2] - row[i - 3]);
  }
}

}  // namespace

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
    std::uint32_t* const sums = differences_.data() + static_cast<std::ptrdiff_t>(tile_y) * columns;
    for (int x = 0; x < width_; x += kPart) {
      RowDifferences above, here, below;
      DifferencesOfRow(guide.Row(y_begin - 1) + x, above);
      DifferencesOfRow(guide.Row(y_begin) + x, here);
      std::array<std::int16_t, kPart> sum{};
      for (int y = y_begin; y < y_end; ++y) {
        DifferencesOfRow(guide.Row(y + 1) + x, below);
        for (std::size_t i = 0; i < kPart; ++i) {
          sum[i] = static_cast<std::int16_t>(sum[i] + std::abs(above[i] + 2 * here[i] + below[i]));
        }
        above = here, here = below;
      }
      for (int i = 0; i < std::min(kPart, width_ - x); ++i) {
        std::uint32_t& tile = sums[(x + i) / kWeightTile_px];
        const auto own = static_cast<std::uint32_t>(sum[static_cast<std::size_t>(i)]);
        tile = i % kWeightTile_px == 0 ? own : tile + own;
      }
    }
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
