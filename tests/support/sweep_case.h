// Random cases for comparing a back end with the reference, stage by stage, to the bit. A case follows from
// its seed alone. The tests (matcher_sweep.h) and the hunt (tests/sweep/) draw the same ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "pipeline/matchers/stereo_matcher.h"
#include "pipeline/types/stage_differences.h"
#include "tests/support/plain_parameters.h"

namespace parallax::test {

using parallax::DifferenceOf;
using parallax::SameBits;

using MatcherFactory =
    std::function<std::unique_ptr<StereoMatcher>(const Parameters&, const MatcherOptions&)>;

struct SweepCase {
  std::uint64_t seed = 0;
  Parameters parameters = test::PlainParameters();
  MatcherOptions options;
  int pixel_type = 0;  // 0: 8-bit gray, 1: 16-bit gray, 2: colour
  int content = 0;     // 0: constant, 1: noise, 2: noise of two values, 3: stripes, others: shifted noise
};

// Drawn with raw engine output only: the distributions of <random> differ between standard libraries.
class SweepRandom {
 public:
  explicit SweepRandom(std::uint64_t seed) : engine_(seed) {}
  // Takes two of a fuzzer's bytes for each number, and zeros after the last one.
  explicit SweepRandom(std::span<const std::uint8_t> bytes) : bytes_(bytes), has_bytes_(true) {}
  // Uniform enough in low .. high.
  int Between(int low, int high) {
    return low + static_cast<int>(Next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool OneIn(int n) { return Between(1, n) == 1; }
  template <typename... T>
  auto OneOf(T... values) {
    const std::common_type_t<T...> all[] = {values...};
    return all[Between(0, static_cast<int>(sizeof...(T)) - 1)];
  }

 private:
  std::uint64_t Next() {
    if (!has_bytes_) return engine_();
    std::uint64_t number = 0;
    for (int i = 0; i < 2 && !bytes_.empty(); ++i, bytes_ = bytes_.subspan(1))
      number = number << 8 | bytes_[0];
    return number;
  }

  std::mt19937_64 engine_;
  std::span<const std::uint8_t> bytes_;
  bool has_bytes_ = false;
};

// Sizes 1x1 .. 300x200, D 1 .. 300 (now and then up to 1024 on a small image), negative min_disparity, every
// window, path count, penalty regime and filter.
inline SweepCase DrawSweepCase(SweepRandom& random) {
  SweepCase c;
  const int shape = random.Between(0, 9);
  const int largest_width = shape < 2 ? 8 : shape < 8 ? 100 : 300;
  const int largest_height = shape < 2 ? 8 : shape < 8 ? 60 : 200;
  c.options.width = random.OneIn(25) ? 1 : random.Between(1, largest_width);
  c.options.height = random.OneIn(25) ? 1 : random.Between(1, largest_height);
  c.pixel_type = random.OneOf(0, 0, 0, 1, 2);
  c.content = random.Between(0, 7);

  Parameters& p = c.parameters;
  p.census_transform.window = static_cast<CensusWindow>(random.Between(0, 3));
  int& num_disparities = p.matching_cost.num_disparities;
  switch (random.Between(0, 7)) {
    case 0:
      num_disparities = random.Between(1, 8);
      break;
    case 1:
      num_disparities = random.OneOf(16, 32, 64, 96, 128, 192, 256);
      break;
    case 2:
      num_disparities = random.OneOf(31, 33, 63, 65, 127, 129, 255, 257);
      break;
    case 3:
      num_disparities = random.Between(1, 300);
      break;
    default:
      num_disparities = random.Between(1, 140);
      break;
  }
  if (c.options.width * c.options.height < 2000 && random.OneIn(5))
    num_disparities = random.Between(300, 1024);
  p.matching_cost.min_disparity =
      random.OneOf(0, 0, 0, random.Between(-40, 40), random.Between(-400, 400), -5, 7);
  p.aggregation.num_paths = random.OneOf(4, 8, 8);
  switch (random.Between(0, 4)) {
    case 0:
      p.aggregation.p1 = random.Between(0, 20), p.aggregation.p2 = p.aggregation.p1;
      break;
    case 1:
      p.aggregation.p1 = random.Between(0, 8000), p.aggregation.p2 = random.Between(p.aggregation.p1, 8000);
      break;
    case 2:
      p.aggregation.p1 = random.Between(0, 30), p.aggregation.p2 = random.Between(180, 260);
      break;
    default:
      p.aggregation.p1 = random.Between(0, 30), p.aggregation.p2 = random.Between(p.aggregation.p1, 190);
      break;
  }
  if (random.OneIn(2)) {
    p.aggregation.p2_slope = static_cast<float>(random.Between(0, 400)) / 64.0F;
    p.aggregation.p2_min = random.Between(0, p.aggregation.p2);
  }
  p.selection.uniqueness_percent = random.OneOf(0, 0, 5, 10, 15, 99, random.Between(0, 99));
  p.selection.subpixel = static_cast<Subpixel>(random.Between(0, 2));
  p.consistency.max_difference = random.OneOf(-1, 0, 1, 1, 2, random.Between(0, 1024));
  p.filter.speckle_size = random.OneOf(0, 1, 2, 10, 50, 200, random.Between(0, 5000));
  p.filter.speckle_range = random.OneOf(0.0F, 0.5F, 1.0F, 1.0F, 2.0F, 1024.0F);
  p.filter.fill = !random.OneIn(4);
  p.filter.median = random.OneOf(0, 3, 3, 5);
  p.refinement.planes = random.OneIn(2);
  p.refinement.plane_step = random.OneOf(1, 2, 3, 4, 4, 16);
  p.refinement.plane_tile = p.refinement.plane_step * random.OneOf(4, 4, 64 / p.refinement.plane_step);
  p.refinement.plane_tolerance = random.OneOf(0.0625F, 0.5F, 1.0F, 1.0F, 64.0F);
  p.refinement.smoothing_passes = random.OneOf(0, 0, 1, 2, 3);
  p.refinement.smoothing_range = random.OneOf(0.0625F, 1.0F, 4.0F, 4.0F, 64.0F);
  if (random.OneIn(2)) {
    p.census_transform.window = random.OneOf(CensusWindow::kTwoScale, CensusWindow::kCenterSymmetricTwoScale);
  }
  if (random.OneIn(2)) {
    int& weight = p.matching_cost.gradient_weight;
    weight = random.OneOf(1, 1, 2, 4, random.Between(0, kLargestGradientCost));
    p.matching_cost.gradient_cap =
        random.Between(1, std::min(15, kLargestGradientCost / std::max(1, weight)));
  }
  if (random.OneIn(2)) {
    p.aggregation.p1_ground_percent = random.OneOf(100, 67, 0, random.Between(0, 100));
    p.aggregation.p2_vertical_percent = random.OneOf(100, 130, random.Between(25, 400));
  }
  if (random.OneIn(2)) {
    // Noise differs by some 30 gray levels; the rest of the images less.
    p.matching_cost.even_percent = random.OneOf(33, 1, random.Between(1, 100));
    p.matching_cost.even_below = random.OneOf(0.9F, 20.0F, 100.0F, static_cast<float>(random.Between(0, 60)));
  }
  if (random.OneIn(3)) p.refinement.trees = random.OneIn(2) ? TreeSet::kDriving : TreeSet::kGeneral;
  return c;
}

inline SweepCase MakeSweepCase(std::uint64_t seed) {
  SweepRandom random(seed * 2 + 1);
  SweepCase c = DrawSweepCase(random);
  c.seed = seed;
  return c;
}

// The same case for AD-Census, with every constant and switch of it.
inline void DrawAdCensus(SweepRandom& random, SweepCase& c) {
  c.parameters.method = Method::kAdCensus;
  c.parameters.filter.speckle_size = random.OneOf(0, 0, 10, c.parameters.filter.speckle_size);
  AdCensusParameters& a = c.parameters.ad_census;
  a.cost = random.OneOf(AdCensusCost::kBoth, AdCensusCost::kBoth, AdCensusCost::kAd, AdCensusCost::kCensus);
  a.color_difference = random.OneOf(ColorDifference::kMean, ColorDifference::kMaximum);
  a.lambda_ad = random.OneOf(10.0F, 1.0F, static_cast<float>(random.Between(1, 1000)));
  a.lambda_census = random.OneOf(30.0F, 1.0F, static_cast<float>(random.Between(1, 1000)));
  a.arm_length = random.OneOf(34, 34, 1, random.Between(1, 34));
  a.arm_length_strict = random.OneOf(17, random.Between(0, 34));
  // Noise has long arms only where the thresholds are high.
  a.arm_threshold = random.OneOf(20, 256, 150, random.Between(0, 256));
  a.arm_threshold_strict = random.OneOf(6, 256, 120, random.Between(0, 256));
  a.support = random.OneOf(SupportRegion::kBoth, SupportRegion::kLeft);
  a.iterations = random.OneOf(4, 4, 0, 1, 2, 3, 5);
  a.scanlines = !random.OneIn(6);
  a.p1 = static_cast<float>(random.Between(0, 64)) / 32.0F;
  a.p2 = random.OneOf(a.p1, 16.0F, a.p1 + static_cast<float>(random.Between(0, 96)) / 32.0F);
  a.step_threshold = random.OneOf(15, 0, 256, random.Between(0, 256));
  a.right_winner = random.OneOf(RightWinner::kDiagonal, RightWinner::kDiagonal, RightWinner::kOwn);
  a.voting_iterations = random.OneOf(5, 0, 1, 2);
  a.voting_min_votes = random.OneOf(20, 0, random.Between(0, 200));
  a.voting_min_percent = random.OneOf(40, 0, random.Between(0, 100));
  a.discontinuities = !random.OneIn(4);
  c.parameters.refinement.planes = random.OneIn(4);
  c.parameters.refinement.smoothing_passes = random.OneOf(0, 0, 1, 2);
}

inline SweepCase MakeAdCensusSweepCase(std::uint64_t seed) {
  SweepCase c = MakeSweepCase(seed);
  SweepRandom random(seed * 2 + 1 + (std::uint64_t{1} << 32));
  DrawAdCensus(random, c);
  // The reference adds up every support region pixel by pixel, which takes seconds on larger images.
  c.options.width = std::min(c.options.width, 150);
  c.options.height = std::min(c.options.height, 100);
  return c;
}

struct SweepPair {
  CameraImage left, right;
};

inline SweepPair MakeSweepPair(const SweepCase& c, SweepRandom random) {
  const int width = c.options.width, height = c.options.height;
  const int dmin = c.parameters.matching_cost.min_disparity, num = c.parameters.matching_cost.num_disparities;
  const int largest = c.pixel_type == 1 ? 65535 : 255;
  // Values 0 .. largest of both images; colour adds a tint.
  HostImage<int> left(width, height), right(width, height);
  const int constant = random.Between(0, largest), period = random.Between(2, 9),
            blocks = random.Between(1, 40);
  for (int y = 0; y < height; ++y) {
    const auto draw = [&](int x) {
      switch (c.content) {
        case 0:
          return constant;
        case 2:
          return random.Between(0, 1) * (largest / 3);
        case 3:
          return (x / period % 2) * largest / 2;
        case 4:
          return (random.Between(0, largest) + x * 257) % (largest + 1) / 4;
        default:
          return random.Between(0, largest);
      }
    };
    for (int x = 0; x < width; ++x) right(x, y) = draw(x);
    for (int x = 0; x < width; ++x) {
      // Blocks of one disparity each, with some pixels that match nothing.
      const int d = dmin + (x / blocks * 37 + y / blocks * 11) % std::max(1, num);
      const int x_right = x - d;
      const bool shifted = c.content > 3 && x_right >= 0 && x_right < width && !random.OneIn(12);
      left(x, y) = shifted ? right(x_right, y) : draw(x);
    }
  }
  const auto convert = [&](const HostImage<int>& values) -> CameraImage {
    const auto fill = [&](auto image, auto convert_value) {
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) image(x, y) = convert_value(values(x, y));
      }
      return CameraImage(std::move(image));
    };
    if (c.pixel_type == 0) {
      return fill(HostImage<std::uint8_t>(width, height), [](int v) { return static_cast<std::uint8_t>(v); });
    }
    if (c.pixel_type == 1) {
      return fill(HostImage<std::uint16_t>(width, height),
                  [](int v) { return static_cast<std::uint16_t>(v); });
    }
    return fill(HostImage<Rgb8>(width, height), [](int v) {
      return Rgb8{static_cast<std::uint8_t>(v), static_cast<std::uint8_t>(v * 7 + 3),
                  static_cast<std::uint8_t>(255 - v)};
    });
  };
  return {convert(left), convert(right)};
}

inline SweepPair MakeSweepPair(const SweepCase& c) { return MakeSweepPair(c, SweepRandom(c.seed * 2 + 2)); }

// The same pixels as somebody else's memory has them: rows padded with junk, to 4 bytes or by whole and half
// pixels, every third image upside down.
class BorrowedImage {
 public:
  BorrowedImage(const CameraImage& image, std::uint64_t seed)
      : view_(std::visit([&](const auto& pixels) { return Borrow(pixels, seed); }, image)) {}
  const CameraImageView& view() const { return view_; }

 private:
  template <typename T>
  CameraImageView Borrow(const HostImage<T>& image, std::uint64_t seed) {
    const std::size_t row_bytes = static_cast<std::size_t>(image.width()) * sizeof(T);
    const std::size_t height = static_cast<std::size_t>(image.height());
    const std::size_t gaps_bytes[] = {0, (4 - row_bytes % 4) % 4, alignof(T), 3 * sizeof(T) + alignof(T)};
    const std::size_t stride_bytes =
        row_bytes + (gaps_bytes[seed % 4] + alignof(T) - 1) / alignof(T) * alignof(T);
    bytes_.assign(stride_bytes * height, std::byte{0xA5});
    const bool upside_down = seed % 3 == 0;
    std::byte* const first = bytes_.data() + (upside_down ? (height - 1) * stride_bytes : 0);
    const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(stride_bytes) * (upside_down ? -1 : 1);
    for (int y = 0; y < image.height(); ++y) std::memcpy(first + y * step, image.Row(y), row_bytes);
    return HostImageView<const T>(reinterpret_cast<const T*>(first), image.width(), image.height(), step);
  }

  std::vector<std::byte> bytes_;
  CameraImageView view_;
};

inline std::string Describe(const SweepCase& c) {
  const Parameters& p = c.parameters;
  std::ostringstream text;
  text << "seed " << c.seed << ": " << c.options.width << 'x' << c.options.height << ", pixel type "
       << c.pixel_type << ", content " << c.content;
  VisitParameters(p, [&](const ParameterInfo& info, const auto& value) {
    using T = std::remove_cvref_t<decltype(value)>;
    text << ", " << info.key << ' ';
    if constexpr (std::is_enum_v<T>) {
      text << EnumNames(value)[static_cast<std::size_t>(value)];
    } else {
      text << value;
    }
  });
  return text.str();
}

// What the reference makes of a case.
struct SweepTruth {
  StageResults stages;
  DisparityMap map;
};

inline SweepTruth MakeSweepTruth(const SweepCase& c, const SweepPair& pair) {
  SweepTruth truth;
  const auto make = c.parameters.method == Method::kSgm ? MakeReferenceMatcher : MakeReferenceAdCensusMatcher;
  make(c.parameters, c.options)
      ->Compute(ViewOf(pair.left), ViewOf(pair.right), truth.map, nullptr, &truth.stages);
  return truth;
}

// The size that a case's matcher is made for: every other one is larger than the images.
inline MatcherOptions LargestSizeOf(const SweepCase& c) {
  MatcherOptions largest = c.options;
  SweepRandom random(c.seed * 2 + 7);
  if (c.seed % 2 == 0 || largest.memory_limit_bytes > 0) return largest;
  largest.width += random.OneIn(4) ? 0 : random.Between(0, 40);
  largest.height += random.OneIn(4) ? 0 : random.Between(0, 40);
  return largest;
}

// Times as an earlier frame may have left them: no number, which adding to it does not make one.
inline StageTimes TimesOfAnotherFrame() {
  StageTimes times;
  times.ms.fill(std::numeric_limits<double>::quiet_NaN());
  return times;
}

// Every back end forgets the times that it is given and fills in its own: empty, or which stage's it kept.
inline std::string WhatIsWrongWith(const StageTimes& times) {
  std::string text;
  double sum_ms = 0;
  for (std::size_t i = 0; i < times.ms.size(); ++i) {
    if (std::isnan(times.ms[i]))
      text += "time of " + std::string(kStageNames[i]) + ": that of an earlier frame\n";
    sum_ms += times.ms[i];
  }
  return text.empty() && !(sum_ms > 0) ? "times: of no stage\n" : text;
}

// Runs one case twice: with stages and times handed out, and without them (back ends may fuse more then),
// from borrowed memory. Returns every difference from the reference, or nothing.
inline std::string RunSweepCase(const MatcherFactory& make_matcher, const SweepCase& c, const SweepPair& pair,
                                const SweepTruth& truth) {
  StageResults actual_stages;
  DisparityMap actual, actual_fused;
  const MatcherOptions largest = LargestSizeOf(c);
  const std::unique_ptr<StereoMatcher> matcher = make_matcher(c.parameters, largest);
  if (largest.width > c.options.width || largest.height > c.options.height) {
    SweepCase before = c;  // what a frame of the largest size leaves behind must not show
    before.options = largest, before.seed += 1'000'000;
    const SweepPair larger = MakeSweepPair(before);
    matcher->Compute(ViewOf(larger.left), ViewOf(larger.right), actual);
  }
  const BorrowedImage left(pair.left, c.seed), right(pair.right, c.seed + 1);
  matcher->Compute(left.view(), right.view(), actual_fused);
  StageTimes times = TimesOfAnotherFrame();
  matcher->Compute(ViewOf(pair.left), ViewOf(pair.right), actual, &times, &actual_stages);
  return WhatIsWrongWith(times) + DifferenceOf(truth.stages, actual_stages) +
         DifferenceOf("result", truth.map, actual) +
         DifferenceOf("result without stages handed out", truth.map, actual_fused);
}

inline std::string RunSweepCase(const MatcherFactory& make_matcher, const SweepCase& c) {
  const SweepPair pair = MakeSweepPair(c);
  return RunSweepCase(make_matcher, c, pair, MakeSweepTruth(c, pair));
}

}  // namespace parallax::test
