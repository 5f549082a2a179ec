#include "pipeline/calibration/remap.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>

#include "parallax/error.h"
#include "pipeline/simd/remap_kernels.h"
#include "pipeline/simd/row_tasks.h"

namespace parallax {
namespace {

constexpr int kOne = 1 << kRemapBits;
constexpr int kRowsPerBlock = 16;

template <typename Body>
void ForRowBlocks(int height, ThreadPool* threads, const Body& body) {
  if (threads == nullptr) return body(0, height);
  cpu::ForRowBlocks(height, kRowsPerBlock, *threads, body);
}

template <typename Pixel>
void CheckSizes(HostImageView<const Pixel> from, const RemapTable& table, HostImageView<Pixel> to) {
  if (from.width != table.source_width_px || from.height != table.source_height_px) {
    throw InvalidArgument("an image of " + std::to_string(from.width) + "x" + std::to_string(from.height) +
                          " does not fit a calibration of " + std::to_string(table.source_width_px) + "x" +
                          std::to_string(table.source_height_px));
  }
  if (to.width != table.width() || to.height != table.height()) {
    throw InvalidArgument("the rectified image and its table differ in size");
  }
}

template <typename Pixel>
void RemapRow(HostImageView<const Pixel> from, const RemapTable& table, int y, int x_begin, int x_end,
              HostImageView<Pixel> to) {
  for (int x = x_begin; x < x_end; ++x) to(x, y) = RemappedPixel(from, table.x(x, y), table.y(x, y));
}

// Returns how many pixels of the row were made.
template <typename Pixel>
int RemapRowByBlocks(HostImageView<const Pixel> from, const RemapTable& table, int y,
                     HostImageView<Pixel> to) {
  constexpr int kPixels = cpu::RemapBlock::kPixels;
  const int num_blocks = to.width / kPixels;
  const cpu::RemapBlock* blocks = table.blocks.data() + std::ptrdiff_t{y} * num_blocks;
  for (int i = 0; i < num_blocks; ++i) {
    i += cpu::RemapBlocks(from, blocks + i, num_blocks - i, to.Row(y) + i * kPixels);
    if (i < num_blocks) RemapRow(from, table, y, i * kPixels, (i + 1) * kPixels, to);
  }
  return num_blocks * kPixels;
}

// The block of the eight pixels that start at x.
cpu::RemapBlock MakeRemapBlock(const RemapTable& table, int x, int y) {
  using Block = cpu::RemapBlock;
  constexpr int kMask = kOne - 1, kFlag = 128;
  const std::int32_t *xs = table.x.Row(y) + x, *ys = table.y.Row(y) + x;
  int first_column = table.source_width_px - Block::kColumns;
  int first_row = table.source_height_px - Block::kRows;
  if (first_column < 0 || first_row < 0) return {};
  for (int i = 0; i < Block::kPixels; ++i) {
    if (xs[i] < 0) continue;
    first_column = std::min(first_column, xs[i] >> kRemapBits);
    first_row = std::min(first_row, ys[i] >> kRemapBits);
  }
  Block block;
  for (std::size_t i = 0; i < Block::kPixels; ++i) {
    block.place[i] = kFlag;
    if (xs[i] < 0) continue;
    const int column = (xs[i] >> kRemapBits) - first_column, row = (ys[i] >> kRemapBits) - first_row;
    if (column > Block::kColumns - 2 || row > Block::kRows - 2) return {};
    block.place[i] = static_cast<std::uint8_t>(column);
    block.wx[i] = static_cast<std::uint8_t>(xs[i] & kMask);
    block.wy[i] = static_cast<std::uint8_t>((ys[i] & kMask) | (row > 0 ? kFlag : 0));
  }
  block.column = first_column;
  block.row = first_row;
  return block;
}

}  // namespace

RemapTable MakeRemapTable(const CameraModel& camera, const Matrix3& rectified_from_camera,
                          const StereoRig& rig, int width_px, int height_px, ThreadPool* threads) {
  if (camera.width_px < 2 || camera.height_px < 2)
    throw InvalidArgument("a camera of " + std::to_string(camera.width_px) + "x" +
                          std::to_string(camera.height_px) + " px cannot be rectified");
  const CameraProjection projection(camera);
  const Matrix3 camera_from_rectified = Transposed(rectified_from_camera);
  RemapTable table;
  table.x = HostImage<std::int32_t>(width_px, height_px);
  table.y = HostImage<std::int32_t>(width_px, height_px);
  table.source_width_px = camera.width_px;
  table.source_height_px = camera.height_px;
  const double last_x = camera.width_px - 1, last_y = camera.height_px - 1;
  ForRowBlocks(height_px, threads, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      for (int x = 0; x < width_px; ++x) {
        const Vector3 ray{(x - rig.cx_px) / rig.fx_px, (y - rig.cy_px) / rig.fx_px, 1};
        const auto pixel = projection.Project(camera_from_rectified * ray);
        table.x(x, y) = table.y(x, y) = -1;
        constexpr double kHalf = 0.5 / kOne;
        if (!pixel || !(pixel->x >= -kHalf && pixel->x <= last_x + kHalf && pixel->y >= -kHalf &&
                        pixel->y <= last_y + kHalf))
          continue;
        const auto rounded = [](double value, int last) {
          return std::clamp(static_cast<int>(std::lround(value * kOne)), 0, last * kOne - 1);
        };
        table.x(x, y) = rounded(pixel->x, camera.width_px - 1);
        table.y(x, y) = rounded(pixel->y, camera.height_px - 1);
      }
    }
  });
  table.blocks = MakeRemapBlocks(table);
  return table;
}

std::vector<cpu::RemapBlock> MakeRemapBlocks(const RemapTable& table) {
  constexpr int kPixels = cpu::RemapBlock::kPixels, kFewestOf = 8;  // an eighth may have to be made plainly
  std::vector<cpu::RemapBlock> blocks;
  blocks.reserve(static_cast<std::size_t>(table.width() / kPixels) *
                 static_cast<std::size_t>(table.height()));
  for (int y = 0; y < table.height(); ++y) {
    for (int x = 0; x + kPixels <= table.width(); x += kPixels) blocks.push_back(MakeRemapBlock(table, x, y));
  }
  const auto num_plain = static_cast<std::size_t>(std::count_if(
      blocks.begin(), blocks.end(), [](const cpu::RemapBlock& block) { return block.column < 0; }));
  if (num_plain > blocks.size() / kFewestOf) blocks = {};
  return blocks;
}

HostImage<std::uint8_t> SeenPixels(const RemapTable& table) {
  HostImage<std::uint8_t> seen(table.width(), table.height());
  for (int y = 0; y < table.height(); ++y) {
    for (int x = 0; x < table.width(); ++x) seen(x, y) = table.x(x, y) < 0 ? 0 : 255;
  }
  return seen;
}

template <typename Pixel>
void Remap(HostImageView<const Pixel> from, const RemapTable& table, HostImageView<Pixel> to,
           ThreadPool* threads) {
  CheckSizes(from, table, to);
  const bool fits = cpu::CanRemapByVectors(from.stride_bytes, from.height);
  ForRowBlocks(to.height, threads, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      int done = 0;
      if constexpr (!std::is_same_v<Pixel, std::uint16_t>) {
        if (!table.blocks.empty()) done = RemapRowByBlocks(from, table, y, to);
      }
      if (done == 0 && fits) done = cpu::RemapRow(from, table.x.Row(y), table.y.Row(y), to.width, to.Row(y));
      RemapRow(from, table, y, done, to.width, to);
    }
  });
}

template <typename Pixel>
void RemapReference(HostImageView<const Pixel> from, const RemapTable& table, HostImageView<Pixel> to) {
  CheckSizes(from, table, to);
  for (int y = 0; y < to.height; ++y) RemapRow(from, table, y, 0, to.width, to);
}

#define PARALLAX_REMAP(Pixel)                                                                            \
  template void Remap(HostImageView<const Pixel>, const RemapTable&, HostImageView<Pixel>, ThreadPool*); \
  template void RemapReference(HostImageView<const Pixel>, const RemapTable&, HostImageView<Pixel>);
PARALLAX_REMAP(std::uint8_t)
PARALLAX_REMAP(std::uint16_t)
PARALLAX_REMAP(Rgb8)
#undef PARALLAX_REMAP

}  // namespace parallax
