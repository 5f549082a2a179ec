#include "pipeline/cpu/ad_census/ad_census_views.h"

#include <algorithm>
#include <cstring>
#include <variant>
#include <vector>

#include "pipeline/cpu/sgm/sweep.h"
#include "pipeline/rules/matching_tables.h"
#include "pipeline/simd/row_tasks.h"

namespace parallax::cpu::ad_census {
namespace {

constexpr int kRowsPerBlock = 16;

ColorRow RowOf(const View& view, int y, int offset = 0) {
  return {
      {view.channel[0].Row(y) + offset, view.channel[1].Row(y) + offset, view.channel[2].Row(y) + offset}};
}

void CopyColorRow(HostImageView<const Rgb8> image, int y, View& view) {
  const Rgb8* from = image.Row(y);
  std::uint8_t *r = view.channel[0].Row(y), *g = view.channel[1].Row(y), *b = view.channel[2].Row(y);
  for (int x = 0; x < image.width; ++x) r[x] = from[x].r, g[x] = from[x].g, b[x] = from[x].b;
}
void CopyColorRow(HostImageView<const std::uint8_t> image, int y, View& view) {
  std::copy_n(image.Row(y), image.width, view.channel[0].Row(y));
}
void CopyColorRow(HostImageView<const std::uint16_t> image, int y, View& view) {
  std::transform(image.Row(y), image.Row(y) + image.width, view.channel[0].Row(y),
                 [](std::uint16_t v) { return static_cast<std::uint8_t>(v >> 8); });
}

// The arms of a row, which grow along (dx, dy).
struct Growth {
  int dx, dy;
  Plane<std::uint8_t>* lengths;
};

template <typename T>
void MirrorRow(const T* row, int width, T outside, Plane<T>& mirrored, int y) {
  mirrored.FillRow(y, outside);
  std::reverse_copy(row, row + width, mirrored.Row(y));
}

// Transposes 8 x 8 bytes: squares of 1, 2 and 4 on the other side of the diagonal change places.
void TransposeSquare(std::uint64_t* rows) {
  constexpr std::uint64_t kKept[] = {0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0x00000000FFFFFFFF};
  for (int step = 0; step < 3; ++step) {
    const int size = 1 << step, bits = 8 * size;
    for (int i = 0; i < 8; ++i) {
      if ((i & size) != 0) continue;
      std::uint64_t &upper = rows[i], &lower = rows[i + size];
      const std::uint64_t changed = ((upper >> bits) ^ lower) & kKept[step];
      lower ^= changed;
      upper ^= changed << bits;
    }
  }
}

}  // namespace

View::View(int width, int height)
    : channel{{width, height}, {width, height}, {width, height}},
      census(width, height),
      arms(width, height),
      steps_x(width + 1, height + 1),
      steps_y(width + 1, height + 1) {}

std::size_t View::BytesOf(int width, int height) {
  constexpr std::size_t kChannels = 3, kArms = 4;
  return (kChannels + kArms) * Plane<std::uint8_t>::BytesOf(width, height) +
         Plane<std::uint64_t>::BytesOf(width, height) +
         2 * Plane<std::uint8_t>::BytesOf(width + 1, height + 1);
}

PlaneKind ViewMaker::KindOf(const Parameters& parameters) {
  return {parameters.census_transform.window, GetVectorTraits().plane_bits, false};
}

ViewMaker::ViewMaker(int width, int height, const Parameters& parameters)
    : parameters_(parameters),
      largest_width_(width),
      largest_height_(height),
      gray_(width, height),
      planes_(width, height, KindOf(parameters), nullptr, parameters.matching_cost.num_disparities,
              parameters.matching_cost.min_disparity) {
  if (HasTwoScales(parameters.census_transform.window)) smoothed_ = PaddedImage<std::uint16_t>(width, height);
}

std::size_t ViewMaker::BytesOf(int width, int height, const Parameters& parameters) {
  const std::size_t num_deep = HasTwoScales(parameters.census_transform.window) ? 2 : 1;
  return PaddedImage<std::uint8_t>::BytesOf(width, height) +
         num_deep * PaddedImage<std::uint16_t>::BytesOf(width, height) +
         CensusPlanes::BytesOf(width, height, KindOf(parameters), nullptr);
}

void ViewMaker::Make(const CameraImageView& image, View& view, ThreadPool& threads) {
  const int width = WidthOf(image), height = HeightOf(image);
  view.num_channels = std::holds_alternative<HostImageView<const Rgb8>>(image) ? 3 : 1;
  std::visit(
      [&](const auto& pixels) {
        ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
          for (int y = begin; y < end; ++y) CopyColorRow(pixels, y, view);
        });
      },
      image);
  MakeCensus(image, view, threads);
  MakeArms(view, width, height, threads);
  MakeSteps(view, width, height, threads);
}

void ViewMaker::MakeCensus(const CameraImageView& image, View& view, ThreadPool& threads) {
  const int width = WidthOf(image), height = HeightOf(image);
  const bool deep = std::holds_alternative<HostImageView<const std::uint16_t>>(image);
  if (deep && deep_.width() == 0) deep_ = PaddedImage<std::uint16_t>(largest_width_, largest_height_);
  gray_.SetSize(width, height);
  if (deep) deep_.SetSize(width, height);
  planes_.SetSize(width, height);
  ForRowBlocks(height, kRowsPerBlock, threads,
               [&](int begin, int end) { LoadGray(image, begin, end, gray_, deep_); });
  const bool has_two_scales = smoothed_.width() > 0;
  if (has_two_scales) {
    smoothed_.SetSize(width, height);
    ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
      if (deep) {
        SmoothRows(deep_, begin, end, smoothed_);
      } else {
        SmoothRows(gray_, begin, end, smoothed_);
      }
    });
  }
  const PlaneInput input{deep ? nullptr : &gray_, deep ? &deep_ : nullptr,
                         has_two_scales ? &smoothed_ : nullptr};
  const int num_planes = planes_.kind().num_code_planes(), plane_bits = planes_.kind().plane_bits;
  ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
    planes_.Transform(input, begin, end);
    for (int y = begin; y < end; ++y) {
      const std::uint8_t* planes = planes_.data() + y * planes_.stride();
      std::uint64_t* const codes = view.census.Row(y);
      for (int x = 0; x < width; ++x, planes += num_planes) {
        std::uint64_t code = 0;
        for (int p = 0; p < num_planes; ++p) code |= std::uint64_t{planes[p]} << (p * plane_bits);
        codes[x] = code;
      }
    }
  });
}

void ViewMaker::MakeArms(View& view, int width, int height, ThreadPool& threads) const {
  const AdCensusParameters& p = parameters_.ad_census;
  ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
    std::vector<std::uint8_t> alive(static_cast<std::size_t>(width) + 64), similar(alive.size());
    for (int y = begin; y < end; ++y) {
      for (const Growth& growth : {Growth{-1, 0, &view.arms.left}, Growth{1, 0, &view.arms.right},
                                   Growth{0, -1, &view.arms.up}, Growth{0, 1, &view.arms.down}}) {
        std::uint8_t* lengths = growth.lengths->Row(y);
        std::fill_n(lengths, width, std::uint8_t{0});
        std::fill(alive.begin(), alive.end(), std::uint8_t{1});
        for (int i = 1; i < p.arm_length; ++i) {
          const int v = y + i * growth.dy;
          if (v < 0 || v >= height) break;
          CompareRows(RowOf(view, v, i * growth.dx), RowOf(view, v - growth.dy, (i - 1) * growth.dx),
                      view.num_channels, width, p.arm_threshold, similar.data());
          GrowRow(RowOf(view, y), RowOf(view, v, i * growth.dx), view.num_channels, width,
                  i > p.arm_length_strict ? p.arm_threshold_strict : p.arm_threshold, similar.data(),
                  alive.data(), lengths);
        }
        // Margins hold anything; an arm ends at the border.
        if (growth.dx < 0) {
          for (int x = 0; x < std::min(width, p.arm_length); ++x)
            lengths[x] = std::min(lengths[x], static_cast<std::uint8_t>(x));
        } else if (growth.dx > 0) {
          for (int x = std::max(0, width - p.arm_length); x < width; ++x)
            lengths[x] = std::min(lengths[x], static_cast<std::uint8_t>(width - 1 - x));
        }
      }
    }
  });
}

void ViewMaker::MakeSteps(View& view, int width, int height, ThreadPool& threads) const {
  view.steps_x.FillRow(height, 0), view.steps_y.FillRow(height, 0);
  ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      const auto find = [&](const ColorRow& before, int first, Plane<std::uint8_t>& steps) {
        std::vector<std::uint8_t> below(static_cast<std::size_t>(width) + 64);
        CompareRows(RowOf(view, y), before, view.num_channels, width, parameters_.ad_census.step_threshold,
                    below.data());
        steps.FillRow(y, 0);
        for (int x = first; x < width; ++x) steps.Row(y)[x] = below[static_cast<std::size_t>(x)] ^ 1;
      };
      find(RowOf(view, y, -1), 1, view.steps_x);
      find(RowOf(view, std::max(y - 1, 0)), y > 0 ? 0 : width, view.steps_y);
    }
  });
}

void MirrorView(const View& view, int width, int height, View& mirrored, ThreadPool& threads) {
  mirrored.num_channels = view.num_channels;
  mirrored.steps_x.FillRow(height, 0), mirrored.steps_y.FillRow(height, 0);
  ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      for (int c = 0; c < view.num_channels; ++c)
        MirrorRow(view.channel[c].Row(y), width, std::uint8_t{0}, mirrored.channel[c], y);
      MirrorRow(view.census.Row(y), width, std::uint64_t{0}, mirrored.census, y);
      MirrorRow(view.steps_x.Row(y), width, std::uint8_t{0}, mirrored.steps_x, y);
      MirrorRow(view.steps_y.Row(y), width, std::uint8_t{0}, mirrored.steps_y, y);
    }
  });
}

void Transpose(const Plane<std::uint8_t>& plane, int width, int height, Plane<std::uint8_t>& transposed,
               ThreadPool& threads) {
  // Squares of 8, which may write into the margins.
  ForRowBlocks(width, 64, threads, [&](int begin, int end) {
    for (int y = 0; y < height; y += 8) {
      for (int x = begin; x < end; x += 8) {
        std::uint64_t rows[8];
        for (int i = 0; i < 8; ++i) std::memcpy(&rows[i], plane.Row(std::min(y + i, height - 1)) + x, 8);
        TransposeSquare(rows);
        for (int i = 0; i < std::min(8, end - x); ++i) std::memcpy(transposed.Row(x + i) + y, &rows[i], 8);
      }
    }
  });
}

}  // namespace parallax::cpu::ad_census
