#include "pipeline/cpu/filters/plane_filling.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "parallax/disparity_map.h"
#include "pipeline/cpu/filters/plane_kernels.h"
#include "pipeline/simd/row_tasks.h"

namespace parallax::cpu {
namespace {

constexpr int kMargin = 16;  // px, a vector: around byte rows, and behind the floats of a tile
static_assert(kSupportStep_px <= kMargin && kSupportStep_px <= FramedMap::kColumnsAround);

// The layout of tiles and samples.
struct Layout {
  Layout(const RefinementParameters& parameters, int map_width, int map_height)
      : width(map_width),
        height(map_height),
        tile(parameters.plane_tile),
        step(parameters.plane_step),
        tiles_x((width + tile - 1) / tile),
        tiles_y((height + tile - 1) / tile),
        first_px(tile / 2 % step),
        grid_width(GridIndex(tiles_x - 1) + kPlaneSampleRadius + kPlaneColumns),
        grid_height(GridIndex(tiles_y - 1) + kPlaneSamples),
        byte_stride((width + 2 * kMargin + 63) / 64 * 64) {}

  int width, height, tile, step, tiles_x, tiles_y;
  int first_px;                 // of the grid of samples that the tiles' centres lie on
  int grid_width, grid_height;  // with margins for the first and last tile's samples
  std::ptrdiff_t byte_stride;

  // Column or row of the grid, without margins, of a tile's centre.
  int GridIndex(int i) const { return i * (tile / step) + tile / 2 / step; }
  std::size_t grid_floats() const {
    return (static_cast<std::size_t>(grid_width) * static_cast<std::size_t>(grid_height) + 15) / 16 * 16;
  }
  std::size_t num_tiles() const {
    return static_cast<std::size_t>(tiles_x) * static_cast<std::size_t>(tiles_y);
  }
  std::size_t byte_image() const {
    return static_cast<std::size_t>(byte_stride) * static_cast<std::size_t>(height);
  }
  std::size_t bytes() const {
    return 2 * sizeof(float) * grid_floats() + 2 * byte_image() + num_tiles() * (sizeof(DisparityPlane) + 1);
  }
};

class Filling {
 public:
  Filling(const Parameters& parameters, HostImageView<const std::uint8_t> guide, const FramedMap& map,
          std::uint8_t* workspace)
      : layout_(parameters.refinement, map.width(), map.height()),
        parameters_(parameters),
        guide_(guide),
        map_(map),
        grid_values_(reinterpret_cast<float*>(workspace)),
        grid_weights_(grid_values_ + layout_.grid_floats()),
        validity_copy_(reinterpret_cast<std::uint8_t*>(grid_weights_ + layout_.grid_floats())),
        guide_copy_(validity_copy_ + layout_.byte_image()),
        planes_(reinterpret_cast<DisparityPlane*>(guide_copy_ + layout_.byte_image())),
        has_rejected_(reinterpret_cast<std::uint8_t*>(planes_ + layout_.num_tiles())) {
    std::fill_n(grid_values_, layout_.grid_floats(), kNoValue);
    std::fill_n(grid_weights_, layout_.grid_floats(), 0.0F);
    for (int tile = 0; tile < layout_.tiles_x; ++tile) {
      for (int x = tile * layout_.tile; x < (tile + 1) * layout_.tile; ++x) {
        center_x_.push_back(static_cast<float>(tile * layout_.tile + layout_.tile / 2));
      }
    }
  }

  // Keeps what a row of tiles reads in addition to its own pixels.
  void Gather(int tile_row, const HostImage<std::uint8_t>& validity) {
    const int begin = tile_row * layout_.tile, end = std::min(layout_.height, begin + layout_.tile);
    std::vector<std::uint8_t> bits(static_cast<std::size_t>(layout_.tiles_x * layout_.tile), 0);
    for (int y = begin; y < end; ++y) {
      const std::uint8_t* from = validity.Row(y);
      for (int x = 0; x < layout_.width; ++x) {
        bits[static_cast<std::size_t>(x)] =
            static_cast<std::uint8_t>(bits[static_cast<std::size_t>(x)] | from[x]);
      }
      std::memcpy(ByteRow(validity_copy_, y), from, static_cast<std::size_t>(layout_.width));
      std::memcpy(ByteRow(guide_copy_, y), guide_.Row(y), static_cast<std::size_t>(layout_.width));
      if (y >= layout_.first_px && (y - layout_.first_px) % layout_.step == 0) GatherSamples(y, from);
    }
    for (int i = 0; i < layout_.tiles_x; ++i) {
      const auto first = bits.begin() + i * layout_.tile;
      has_rejected_[Tile(i, tile_row)] =
          std::any_of(first, first + layout_.tile, [](std::uint8_t b) { return (b & kRejected) != 0; });
    }
  }

  // Called after all rows are gathered: fits planes to all tiles, or to tiles with or next to a rejected
  // pixel.
  void FitPlanes(int tile_row, bool of_all) {
    const RefinementParameters& refinement = parameters_.refinement;
    PlaneFit fit{};
    fit.lowest = lowest(), fit.highest = highest();
    fit.step_px = static_cast<float>(layout_.step);
    for (int i = 0; i < kPlaneRounds; ++i) {
      fit.inverse_reach[i] = 1.0F / PlaneReach(refinement.plane_tolerance, kPlaneRoundTolerances[i]);
    }
    for (int i = 0; i < layout_.tiles_x; ++i) {
      if (!of_all && !IsNeeded(i, tile_row)) continue;
      const std::size_t first = GridPlace(layout_.GridIndex(i) - kPlaneSampleRadius,
                                          layout_.GridIndex(tile_row) - kPlaneSampleRadius);
      planes_[Tile(i, tile_row)] =
          FitPlane(fit, {grid_values_ + first, grid_weights_ + first, layout_.grid_width});
    }
  }

  // Once all planes are there.
  void Choose(int tile_row, const FramedMap& filled, HostImage<std::uint8_t>& validity) const {
    const int begin = tile_row * layout_.tile, end = std::min(layout_.height, begin + layout_.tile);
    const auto tiles = has_rejected_ + Tile(0, tile_row);
    if (std::none_of(tiles, tiles + layout_.tiles_x, [](std::uint8_t has) { return has != 0; })) {
      for (int y = begin; y < end; ++y) std::copy_n(map_.Row(y), layout_.width, filled.Row(y));
      return;
    }
    const std::size_t stride = static_cast<std::size_t>((layout_.tiles_x + 2) * layout_.tile + kMargin);
    std::vector<float> columns(10 * stride);
    PlaneChoice choice{};
    float* const center_x = columns.data();
    std::copy(center_x_.begin(), center_x_.end(), center_x + layout_.tile);
    for (int i = 0; i < 3; ++i) {
      float* const value = columns.data() + static_cast<std::size_t>(1 + 3 * i) * stride;
      SpreadPlanes(tile_row + i - 1, value, value + stride, value + 2 * stride, stride);
      choice.tiles[i] = {value + layout_.tile, value + stride + layout_.tile,
                         value + 2 * stride + layout_.tile, center_x + layout_.tile};
    }
    choice.tile_px = layout_.tile;
    choice.reach = PlaneReach(parameters_.refinement.plane_tolerance, 1.0F);
    choice.lowest = lowest(), choice.highest = highest();
    for (int y = begin; y < end; ++y) {
      for (int i = 0; i < 3; ++i) {
        const int center = (tile_row + i - 1) * layout_.tile + layout_.tile / 2;
        choice.from_center[i] = static_cast<float>(y - center);
        choice.rows[i] = RowAt(y + (i - 1) * kSupportStep_px);
      }
      ChoosePlanes(choice, layout_.width, filled.Row(y), validity.Row(y));
    }
  }

  int num_tile_rows() const { return layout_.tiles_y; }
  TilePlanes planes() const { return {layout_.tile, layout_.tiles_x, layout_.tiles_y, planes_}; }

 private:
  float lowest() const { return static_cast<float>(parameters_.matching_cost.min_disparity); }
  float highest() const {
    return lowest() + static_cast<float>(parameters_.matching_cost.num_disparities - 1);
  }
  std::uint8_t* ByteRow(std::uint8_t* image, int y) const {
    return image + y * layout_.byte_stride + kMargin;
  }
  std::size_t Tile(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(layout_.tiles_x) +
           static_cast<std::size_t>(x);
  }
  // The index of a column and row of the grid, without margins.
  std::size_t GridPlace(int column, int row) const {
    return static_cast<std::size_t>(row + kPlaneSampleRadius) * static_cast<std::size_t>(layout_.grid_width) +
           static_cast<std::size_t>(column + kPlaneSampleRadius);
  }
  void GatherSamples(int y, const std::uint8_t* validity) {
    const int grid_row = (y - layout_.first_px) / layout_.step;
    if (grid_row + kPlaneSampleRadius >= layout_.grid_height) return;  // no tile reaches so far
    std::size_t place = GridPlace(0, grid_row);
    const std::size_t end = place + static_cast<std::size_t>(layout_.grid_width - kPlaneSampleRadius);
    const float* row = map_.Row(y);
    for (int x = layout_.first_px; x < layout_.width && place < end; x += layout_.step, ++place) {
      if (std::isnan(row[x])) continue;
      grid_values_[place] = row[x];
      grid_weights_[place] = (validity[x] & kRejected) == 0 ? kKeptWeight : kRejectedWeight;
    }
  }
  bool IsNeeded(int x, int y) const {
    for (int v = std::max(0, y - 1); v <= std::min(layout_.tiles_y - 1, y + 1); ++v) {
      for (int u = std::max(0, x - 1); u <= std::min(layout_.tiles_x - 1, x + 1); ++u) {
        if (has_rejected_[Tile(u, v)] != 0) return true;
      }
    }
    return false;
  }
  // Writes for each pixel of a row the plane of its tile, and at either end a tile without a plane. A missing
  // plane is as far from every disparity as a missing value, but on the other side.
  void SpreadPlanes(int tile_row, float* value, float* slope_x, float* slope_y, std::size_t count) const {
    std::fill_n(value, count, -kNoValue);
    std::fill_n(slope_x, count, 0.0F);
    std::fill_n(slope_y, count, 0.0F);
    if (tile_row < 0 || tile_row >= layout_.tiles_y) return;
    for (int i = 0; i < layout_.tiles_x; ++i) {
      if (!IsNeeded(i, tile_row)) continue;
      const DisparityPlane& plane = planes_[Tile(i, tile_row)];
      if (plane.value == kNoValue) continue;
      const int first = (i + 1) * layout_.tile;
      std::fill_n(value + first, layout_.tile, plane.value);
      std::fill_n(slope_x + first, layout_.tile, plane.slope_x);
      std::fill_n(slope_y + first, layout_.tile, plane.slope_y);
    }
  }
  // Rows outside have no values; what else is read of them does not matter.
  PixelRow RowAt(int y) const {
    const bool is_inside = y >= 0 && y < layout_.height;
    const int row = is_inside ? y : 0;
    return {map_.Row(is_inside ? y : -1), ByteRow(validity_copy_, row), ByteRow(guide_copy_, row)};
  }

  Layout layout_;
  const Parameters& parameters_;
  HostImageView<const std::uint8_t> guide_;
  const FramedMap& map_;
  float *grid_values_, *grid_weights_;
  std::uint8_t *validity_copy_, *guide_copy_;
  DisparityPlane* planes_;
  std::uint8_t* has_rejected_;
  std::vector<float> center_x_;
};

}  // namespace

std::size_t PlaneWorkspaceBytes(const RefinementParameters& parameters, int width, int height) {
  return (Layout(parameters, width, height).bytes() + 63) / 64 * 64;
}

TilePlanes FitPlanes(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
                     const FramedMap& map, const HostImage<std::uint8_t>& validity, std::uint8_t* workspace,
                     ThreadPool& threads) {
  Filling filling(parameters, guide, map, workspace);
  threads.ParallelFor(filling.num_tile_rows(), [&](int row) { filling.Gather(row, validity); });
  threads.ParallelFor(filling.num_tile_rows(), [&](int row) { filling.FitPlanes(row, true); });
  return filling.planes();
}

TilePlanes FillFromPlanes(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
                          const FramedMap& map, const FramedMap& filled, HostImage<std::uint8_t>& validity,
                          std::uint8_t* workspace, ThreadPool& threads) {
  Filling filling(parameters, guide, map, workspace);
  threads.ParallelFor(filling.num_tile_rows(), [&](int row) { filling.Gather(row, validity); });
  threads.ParallelFor(filling.num_tile_rows(), [&](int row) { filling.FitPlanes(row, false); });
  threads.ParallelFor(filling.num_tile_rows(), [&](int row) { filling.Choose(row, filled, validity); });
  for (int y = 0; y < map.height(); ++y) filled.RestoreMargin(y);
  return filling.planes();
}

}  // namespace parallax::cpu
