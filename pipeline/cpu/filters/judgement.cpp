// Four passes: what windows are made of, row by row; sums down the columns; the tiles' planes; and, row by
// row, the features, which stay in the cache, and the verdicts.
#include "pipeline/cpu/filters/judgement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "pipeline/cpu/filters/judgement_kernels.h"
#include "pipeline/cpu/filters/plane_filling.h"
#include "pipeline/simd/row_tasks.h"

namespace parallax::cpu {
namespace {

constexpr int kVector = 64;  // elements that a kernel may reach past a row
constexpr int kMargin = (kLargestFeatureRadius + 31) / 32 * 32;  // on the left of rows, elements
constexpr int kNumSums = 4;      // of kept pixels, their indices, edges both ways
constexpr int kNumExtremes = 6;  // for each of two radii: lowest, kept lowest, kept highest
constexpr int kMostRows = 2 * WindowRadius(kNumWindowRadii - 1) + 1;

std::size_t WholeLines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

struct Layout {
  Layout(int map_width, int map_height)
      : width(map_width), height(map_height), stride((width + 2 * kMargin + 2 * kVector + 31) / 32 * 32) {}
  int width, height;
  std::ptrdiff_t stride;  // elements of every row
  std::size_t row16() const { return static_cast<std::size_t>(stride) * sizeof(std::int16_t); }
  std::size_t row32() const { return static_cast<std::size_t>(stride) * sizeof(std::uint32_t); }
  std::size_t bytes() const {
    const auto rows = static_cast<std::size_t>(height);
    return WholeLines((2 + kNumExtremes) * rows * row16()) + WholeLines(kNumSums * (rows + 1) * row32());
  }
};

class Judgement {
 public:
  Judgement(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
            HostImageView<const float> selected, const FramedMap& map, HostImage<std::uint8_t>& validity,
            std::uint8_t* workspace)
      : layout_(map.width(), map.height()),
        parameters_(parameters),
        trees_(TreesOf(parameters.refinement.trees)),
        guide_(guide),
        selected_(selected),
        map_(map),
        validity_(validity),
        images16_(reinterpret_cast<std::int16_t*>(workspace)),
        sums_(reinterpret_cast<std::uint32_t*>(
            workspace +
            WholeLines((2 + kNumExtremes) * static_cast<std::size_t>(layout_.height) * layout_.row16()))),
        blank_(static_cast<std::size_t>(layout_.stride), 0) {
    for (const int radius : kRadiiOfSums) {
      std::vector<float>& columns =
          num_columns_.emplace_back(static_cast<std::size_t>(layout_.width + kVector), 1.0F);
      for (int x = 0; x < layout_.width; ++x) {
        columns[static_cast<std::size_t>(x)] =
            static_cast<float>(std::min(layout_.width, x + radius + 1) - std::max(0, x - radius));
      }
    }
    for (int i = 0; i < kNumSums; ++i) std::fill_n(Sums(i, 0) - kMargin, layout_.stride, 0U);
    for (std::size_t i = 0; i < status_.size(); ++i) status_[i] = StatusOf(static_cast<std::uint8_t>(i));
  }

  // First pass.
  void Gather(int begin, int end) {
    const auto length = static_cast<std::size_t>(layout_.stride);
    std::vector<std::int16_t> rows(4 * length);
    std::vector<std::uint8_t> edges(2 * length, 0);
    std::int16_t* row[4];
    for (std::size_t i = 0; i < 4; ++i) row[i] = rows.data() + i * length + kMargin;
    for (int y = begin; y < end; ++y) {
      std::fill_n(Index(y) - kMargin, layout_.stride, kAboveAll);
      MakeIndexRow(selected_.Row(y), validity_.Row(y), layout_.width, parameters_.matching_cost.min_disparity,
                   {Index(y), Weight(y), row[0], row[1], row[2]});
      // Restores what was overwritten past the end of the row.
      std::fill_n(Index(y) + layout_.width, kVector, kAboveAll);
      std::fill_n(Weight(y) + layout_.width, kVector, std::int16_t{0});
      Frame(row[1], kAboveAll);
      Frame(row[2], kBelowAll);
      const std::int16_t* const of[3] = {Index(y), row[1], row[2]};
      for (int kind = 0; kind < 3; ++kind) {
        for (int i = 0; i < kNumWindowRadii; ++i) {
          const std::int16_t* shifted[kMostRows];
          const int count = 2 * WindowRadius(i) + 1;
          for (int k = 0; k < count; ++k) shifted[k] = of[kind] + k - WindowRadius(i);
          (kind == 2 ? HighestOfRows : LowestOfRows)(shifted, count, layout_.width, Extreme(kind, i, y));
        }
      }
      std::uint8_t *const column_edges = edges.data(), *const row_edges = edges.data() + length;
      FindEdges(y, column_edges, row_edges);
      AddAlongRow(
          y, [&](int x) { return static_cast<std::uint32_t>(row[0][x]); },
          [&](int x) { return row[0][x] * static_cast<std::uint32_t>(Index(y)[x]); },
          [&](int x) { return std::uint32_t{column_edges[x]}; },
          [&](int x) { return std::uint32_t{row_edges[x]}; });
    }
  }

  // Second pass, of some columns of one of the sums.
  void AddDown(int sums, int begin, int end) {
    for (int y = 1; y < layout_.height; ++y) {
      const std::uint32_t* above = Sums(sums, y) - kMargin;
      std::uint32_t* here = Sums(sums, y + 1) - kMargin;
      for (int i = begin; i < end; ++i) here[i] += above[i];
    }
  }
  int sums_length() const { return static_cast<int>(layout_.stride); }

  // Last pass, of a row of tiles.
  void Judge(const TilePlanes& tiles, int tile_row) const {
    const std::ptrdiff_t stride = layout_.stride;
    std::vector<std::uint8_t> features(static_cast<std::size_t>(kNumPixelFeatures * stride));
    std::vector<std::int16_t> extreme(static_cast<std::size_t>(stride)), sums(extreme.size());
    const std::ptrdiff_t plane_stride = (tiles.tiles_x + 2) * tiles.tile_px + kVector;
    std::vector<float> spread(static_cast<std::size_t>(10 * plane_stride));
    PlanesAround planes = SpreadPlanes(tiles, tile_row, spread.data(), plane_stride);
    const int end = std::min(layout_.height, (tile_row + 1) * tiles.tile_px);
    for (int y = tile_row * tiles.tile_px; y < end; ++y) {
      for (int i = 0; i < 3; ++i) {
        const int center = (tile_row + i - 1) * tiles.tile_px + tiles.tile_px / 2;
        planes.from_center_y[i] = static_cast<float>(y - center);
      }
      MakeFeatures(y, planes, features.data(), extreme.data());
      SumLeavesRow(trees_.bias, trees_.trees, kNumTrees, features.data(), stride, layout_.width, sums.data());
      float* const disparity = map_.Row(y);
      std::uint8_t* const validity = validity_.Row(y);
      const float* const selected = selected_.Row(y);
      for (int x = 0; x < layout_.width; ++x) {
        if (!Changes(validity[x], sums[static_cast<std::size_t>(x)], !std::isnan(selected[x]))) continue;
        const bool was_kept = (validity[x] & kRejected) == 0;
        validity[x] = was_kept ? kMismatched : kValid;
        disparity[x] = was_kept ? std::numeric_limits<float>::quiet_NaN() : selected[x];
      }
    }
  }

 private:
  enum { kOfKept, kOfIndices, kOfColumnEdges, kOfRowEdges };
  static constexpr int kRadiiOfSums[] = {3, 4, 8, 16, 20, 32};

  std::int16_t* Image16(int image, int y) const {
    return images16_ + (static_cast<std::ptrdiff_t>(image) * layout_.height + y) * layout_.stride + kMargin;
  }
  std::int16_t* Index(int y) const { return Image16(0, y); }
  std::int16_t* Weight(int y) const { return Image16(1, y); }
  std::int16_t* Extreme(int kind, int radius, int y) const {
    return Image16(2 + kNumWindowRadii * kind + radius, y);
  }
  // Sums over all rows above y; element x covers the columns before x.
  std::uint32_t* Sums(int sums, int y) const {
    return sums_ + (static_cast<std::ptrdiff_t>(sums) * (layout_.height + 1) + y) * layout_.stride + kMargin;
  }
  void Frame(std::int16_t* row, std::int16_t value) const {
    std::fill_n(row - kMargin, kMargin, value);
    std::fill_n(row + layout_.width, layout_.stride - kMargin - layout_.width, value);
  }

  void FindEdges(int y, std::uint8_t* column_edges, std::uint8_t* row_edges) const {
    const int last = layout_.width - 1;
    const std::uint8_t *here = guide_.Row(y), *above = guide_.Row(std::max(y - 1, 0)),
                       *below = guide_.Row(std::min(y + 1, layout_.height - 1));
    const auto difference = [](int a, int b) { return static_cast<std::uint8_t>(a > b ? a - b : b - a); };
    column_edges[0] = difference(here[std::min(1, last)], here[0]);
    for (int x = 1; x < last; ++x) column_edges[x] = difference(here[x + 1], here[x - 1]);
    if (last > 0) column_edges[last] = difference(here[last], here[last - 1]);
    for (int x = 0; x <= last; ++x) row_edges[x] = difference(below[x], above[x]);
  }

  template <typename... Value>
  void AddAlongRow(int y, const Value&... value) {
    static_assert(sizeof...(Value) == kNumSums);
    std::uint32_t* to[kNumSums];
    for (int i = 0; i < kNumSums; ++i) {
      to[i] = Sums(i, y + 1);
      std::fill_n(to[i] - kMargin, kMargin + 1, 0U);
    }
    std::uint32_t sum[kNumSums] = {};
    for (int x = 0; x < layout_.width; ++x) {
      int i = 0;
      ((sum[i] += value(x), to[i][x + 1] = sum[i], ++i), ...);
    }
    for (int i = 0; i < kNumSums; ++i)
      std::fill_n(to[i] + layout_.width + 1, layout_.stride - kMargin - layout_.width - 1, sum[i]);
  }

  WindowRow Window(int sums, int y, int radius) const {
    const int top = std::max(0, y - radius), bottom = std::min(layout_.height, y + radius + 1);
    const auto columns = static_cast<std::size_t>(
        std::find(std::begin(kRadiiOfSums), std::end(kRadiiOfSums), radius) - std::begin(kRadiiOfSums));
    return {Sums(sums, top), Sums(sums, bottom), radius, num_columns_[columns].data(),
            static_cast<float>(bottom - top)};
  }

  void MakeFeatures(int y, const PlanesAround& planes, std::uint8_t* features, std::int16_t* extreme) const {
    const int width = layout_.width;
    const auto row = [&](PixelFeature first, int i = 0) {
      return features + (static_cast<std::ptrdiff_t>(first) + i) * layout_.stride;
    };
    const std::int16_t* const index = Index(y);
    MakePointFeatures(y, row(PixelFeature::kStatus), row(PixelFeature::kDisparity), row(PixelFeature::kRow),
                      row(PixelFeature::kGray), row(PixelFeature::kRightColumn));
    for (int i = 0; i < kNumKeptRadii; ++i) {
      MeanRow(Window(kOfKept, y, KeptRadius(i)), 255.0F, width, row(PixelFeature::kKept4, i));
    }
    for (int i = 0; i < kNumMeanRadii; ++i) {
      MeanOfKeptRow(Window(kOfIndices, y, MeanRadius(i)), Window(kOfKept, y, MeanRadius(i)), index, width,
                    row(PixelFeature::kMean8, i));
    }
    for (int i = 0; i < kNumRings; ++i) {
      RingRows ring;
      for (int k = 0; k < kRingPixels; ++k) {
        const RingOffset at = ScaledTo(RingOf(i).radius, RingOffsetOf(k));
        const bool is_inside = y + at.y >= 0 && y + at.y < layout_.height;
        ring.index[k] = (is_inside ? Index(y + at.y) : blank_.data() + kMargin) + at.x;
        ring.weight[k] = (is_inside ? Weight(y + at.y) : blank_.data() + kMargin) + at.x;
      }
      AgreementRow(ring, index, RingOf(i).difference, width, row(PixelFeature::kAgree2, i));
    }
    for (int i = 0; i < kNumWindowRadii; ++i) {
      const auto find = [&](int kind) {
        const int top = std::max(0, y - WindowRadius(i)),
                  bottom = std::min(layout_.height, y + WindowRadius(i) + 1);
        const std::int16_t* rows[kMostRows];
        for (int v = top; v < bottom; ++v) rows[v - top] = Extreme(kind, i, v);
        (kind == 2 ? HighestOfRows : LowestOfRows)(rows, bottom - top, width, extreme);
      };
      find(0);
      AboveLowestRow(index, extreme, width, row(PixelFeature::kLowest5, i));
      find(1);
      KeptLowestRow(index, extreme, width, row(PixelFeature::kKeptLowest5, 2 * i));
      find(2);
      KeptHighestRow(index, extreme, width, row(PixelFeature::kKeptHighest5, 2 * i));
    }
    MeanRow(Window(kOfColumnEdges, y, kSmallEdgeRadius), 4.0F, width, row(PixelFeature::kColumnEdges3));
    MeanRow(Window(kOfColumnEdges, y, kEdgeRadius), 4.0F, width, row(PixelFeature::kColumnEdges8));
    MeanRow(Window(kOfRowEdges, y, kEdgeRadius), 4.0F, width, row(PixelFeature::kRowEdges8));
    PlaneRow(planes, selected_.Row(y), parameters_.matching_cost.min_disparity, width,
             row(PixelFeature::kOwnPlane), row(PixelFeature::kNearestPlane), row(PixelFeature::kNumPlanes));
  }

  void MakePointFeatures(int y, std::uint8_t* status, std::uint8_t* disparity, std::uint8_t* row,
                         std::uint8_t* gray, std::uint8_t* right_column) const {
    const std::uint8_t *validity = validity_.Row(y), *guide = guide_.Row(y);
    const std::int16_t* index = Index(y);
    const int lowest = parameters_.matching_cost.min_disparity;
    std::fill_n(row, layout_.width, ClampToByte(255 * y / layout_.height));
    std::copy_n(guide, layout_.width, gray);
    for (int x = 0; x < layout_.width; ++x) {
      status[x] = status_[validity[x]];
      disparity[x] = ClampToByte(index[x] + lowest);
      right_column[x] = ClampToByte(x - (index[x] + lowest) + 64);
    }
  }

  // The planes of the rows of tiles above, here and below, with a tile without a plane at either end.
  PlanesAround SpreadPlanes(const TilePlanes& tiles, int tile_row, float* memory,
                            std::ptrdiff_t stride) const {
    PlanesAround planes{};
    planes.tile_px = tiles.tile_px;
    const int tile = tiles.tile_px;
    float* const center_x = memory;
    std::fill_n(memory, 10 * stride, 0.0F);
    for (int i = 0; i < tiles.tiles_x; ++i)
      std::fill_n(center_x + (i + 1) * tile, tile, static_cast<float>(i * tile + tile / 2));
    for (int i = 0; i < 3; ++i) {
      float* const value = memory + (1 + 3 * i) * stride;
      std::fill_n(value, stride, kNoValue);
      planes.tiles[i] = {value + tile, value + stride + tile, value + 2 * stride + tile, center_x + tile};
      const int row = tile_row + i - 1;
      if (row < 0 || row >= tiles.tiles_y) continue;
      for (int k = 0; k < tiles.tiles_x; ++k) {
        const DisparityPlane& plane = tiles.planes[static_cast<std::ptrdiff_t>(row) * tiles.tiles_x + k];
        if (plane.value == kNoValue) continue;
        std::fill_n(value + (k + 1) * tile, tile, plane.value);
        std::fill_n(value + stride + (k + 1) * tile, tile, plane.slope_x);
        std::fill_n(value + 2 * stride + (k + 1) * tile, tile, plane.slope_y);
      }
    }
    return planes;
  }

  Layout layout_;
  const Parameters& parameters_;
  const PixelTrees& trees_;
  HostImageView<const std::uint8_t> guide_;
  HostImageView<const float> selected_;
  const FramedMap& map_;
  HostImage<std::uint8_t>& validity_;
  std::int16_t* images16_;
  std::uint32_t* sums_;
  std::vector<std::int16_t> blank_;
  std::vector<std::vector<float>> num_columns_;  // of windows, for each of kRadiiOfSums
  std::array<std::uint8_t, 256> status_{};       // by validity
};

}  // namespace

std::size_t JudgementWorkspaceBytes(const RefinementParameters& parameters, int width, int height) {
  return Layout(width, height).bytes() + PlaneWorkspaceBytes(parameters, width, height);
}

void JudgePixels(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
                 HostImageView<const float> selected, const FramedMap& map, HostImage<std::uint8_t>& validity,
                 std::uint8_t* workspace, ThreadPool& threads) {
  Judgement judgement(parameters, guide, selected, map, validity, workspace);
  constexpr int kRowsPerBlock = 16, kColumnsPerBlock = 256;
  ForRowBlocks(map.height(), kRowsPerBlock, threads,
               [&](int begin, int end) { judgement.Gather(begin, end); });
  const int num_blocks = (judgement.sums_length() + kColumnsPerBlock - 1) / kColumnsPerBlock;
  threads.ParallelFor(kNumSums * num_blocks, [&](int i) {
    const int begin = i % num_blocks * kColumnsPerBlock;
    judgement.AddDown(i / num_blocks, begin, std::min(judgement.sums_length(), begin + kColumnsPerBlock));
  });
  const TilePlanes tiles = FitPlanes(parameters, guide, map, validity,
                                     workspace + Layout(map.width(), map.height()).bytes(), threads);
  threads.ParallelFor(tiles.tiles_y, [&](int row) { judgement.Judge(tiles, row); });
}

}  // namespace parallax::cpu
