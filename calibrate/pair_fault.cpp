#include "calibrate/pair_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "calibrate/gray_mat.h"
#include "calibrate/row_offsets.h"
#include "calibrate/statistics.h"

namespace parallax {
namespace {

using Kind = PairFault::Kind;

constexpr double kLongestSide_px = 800,
                 kShortestSide_px = 200;  // the shorter side decides if both cannot hold
constexpr PointSearch kSearch{
    .num_features = 600, .max_row_px = 1e6, .min_disparity = -1, .max_disparity = 1};

// Limits between the faults of tests/app/calibrate/pair_check_test.cpp and the right pairs of eight data sets,
// which keep 8 to 76 % of their features; pictures of two scenes keep 3 %, seldom 8.
constexpr int kFewestFeatures = 150, kFewestOfOneScene = 40;
constexpr double kShareOfOneScene = 0.1, kShareOfTwoScenes = 0.06;
constexpr double kMedianRow_px = 1.3, kRowInPlaces_px = 2.5, kRowOfRig_px = 1;
constexpr std::size_t kFewestInPart = 12, kFewestInPartOfRig = 20;
constexpr double kSameRow_px = 3;          // of the small images
constexpr double kShareOutside = 0.1;      // of matches outside the range of disparities
constexpr double kBrightnessFactor = 2.5;  // right pairs: at most 1.2

bool ShowOneScene(const PointMatches& found) {
  return std::ssize(found.matches) >= kFewestOfOneScene &&
         static_cast<double>(found.matches.size()) >= kShareOfOneScene * found.num_features;
}

// If a picture of both images was cut the wrong way, the halves of the result show one scene.
PairFault TwoScenes(const SmallPicture& left, const PointMatches& found, const PairFacts& facts) {
  if (facts.layout) {
    const bool was_beside = IsSideBySide(*facts.layout);
    const int width = left.gray.cols / (was_beside ? 1 : 2), height = left.gray.rows / (was_beside ? 2 : 1);
    const PointMatches halves =
        MatchPoints(left.Part({0, 0, width, height}),
                    left.Part({was_beside ? 0 : width, was_beside ? height : 0, width, height}), kSearch);
    if (ShowOneScene(halves) && was_beside)
      return {Kind::kTopBottom, "the picture holds one image above the other"};
    if (ShowOneScene(halves)) return {Kind::kSideBySide, "the picture holds two images side by side"};
  }
  return {Kind::kTwoScenes,
          fmt::format("left and right show different scenes ({} of {} points are found again)",
                      found.matches.size(), found.num_features)};
}

PairFault RowFault(const std::vector<PointMatch>& matches, int width, int height, const PairFacts& facts) {
  const RowOffsets rows =
      RowOffsetsOf(matches, width, height, facts.is_rectified_here ? kFewestInPartOfRig : kFewestInPart);
  const double median_px = std::abs(rows.median_px);
  if (facts.is_rectified_here) {
    const double worst_px = std::max(median_px, rows.largest_px);
    if (worst_px < kRowOfRig_px) return {};
    return {
        Kind::kRowsOfRig,
        fmt::format("the rig does not fit these images: rows of left and right differ by {:.1f} px in places",
                    worst_px)};
  }
  if (median_px < kMedianRow_px && rows.median_absolute_px < kMedianRow_px &&
      rows.largest_px < kRowInPlaces_px)
    return {};
  return {Kind::kRows,
          fmt::format("rows of left and right differ by {:.1f} px (median), up to {:.1f}: the pair is not "
                      "rectified, or one image is shifted",
                      rows.median_absolute_px, std::max(rows.largest_px, rows.median_absolute_px))};
}

// A focal length of another image size comes with its principal point, which is near the centre of that size.
PairFault SizeFault(const StereoRig& rig, int width, int height) {
  const std::optional<double> scale = ScaleOfOtherSize(rig.cx_px, rig.cy_px, width, height);
  if (!scale) return {};
  return {Kind::kRigSize,
          fmt::format("the calibration's principal point ({:.0f}, {:.0f}) fits images of about "
                      "{:.0f}x{:.0f} px, but these are {}x{}",
                      rig.cx_px, rig.cy_px, 2 * rig.cx_px, 2 * rig.cy_px, width, height),
          1 / *scale};
}

double MultipleOf16(double value) { return 16 * std::ceil(value / 16); }

// Finds the fault in the sorted disparities of matches on equal rows.
PairFault DisparityFault(const std::vector<double>& disparities, const PairFacts& facts) {
  if (std::ssize(disparities) < kFewestOfOneScene) return {};
  const auto at = [&](double share) { return QuantileOfSorted(disparities, share); };
  const int end = facts.min_disparity + facts.num_disparities;
  const double below = ShareBelow(disparities, facts.min_disparity - 1.0),
               above = 1 - ShareBelow(disparities, end);
  if (LookExchanged(disparities, facts)) {
    return {Kind::kExchanged,
            fmt::format("left and right look exchanged: {:.0f} % of the matches have disparities below {}",
                        100 * below, facts.min_disparity)};
  }
  if (below > kShareOutside) {
    return {Kind::kBelowRange,
            fmt::format("{:.0f} % of the matches have disparities below {} (down to {:.0f} px): the right "
                        "image is shifted or the pair not rectified",
                        100 * below, facts.min_disparity, at(0.02)),
            -MultipleOf16(-at(0.02))};
  }
  if (above > kShareOutside) {
    return {Kind::kAboveRange,
            fmt::format("{:.0f} % of the matches have disparities beyond the {} that are searched (up to "
                        "{:.0f} px), so near things come out wrong",
                        100 * above, facts.num_disparities, at(0.98)),
            MultipleOf16(at(0.98) + 1 - facts.min_disparity)};
  }
  return {};
}

struct Judgement {
  PairFault fault;
  std::vector<double> disparities;  // of matches in equal rows, sorted; empty if the pair is not of one scene
};

std::optional<Judgement> Judge(const SmallPicture& left, const SmallPicture& right, const PairFacts& facts) {
  constexpr double kNothing = 2, kSomething = 15;  // deviations of gray
  if (std::min(left.width, left.height) < kSmallestSide_px) return std::nullopt;
  for (const auto& [a, b, name] : {std::tuple(&left, &right, "left"), std::tuple(&right, &left, "right")}) {
    if (a->deviation > kNothing || b->deviation < kSomething) continue;
    return Judgement{{Kind::kEmptyImage,
                      fmt::format("the {} image shows nothing (gray {:.0f} throughout)", name, a->mean)},
                     {}};
  }
  PointMatches found = MatchPoints(left.View(), right.View(), kSearch);
  if (found.num_features < kFewestFeatures) return std::nullopt;
  if (static_cast<double>(found.matches.size()) < kShareOfTwoScenes * found.num_features)
    return Judgement{TwoScenes(left, found, facts), {}};
  if (!ShowOneScene(found)) return std::nullopt;
  Judgement judgement;
  for (PointMatch& match : found.matches) {
    for (Vector2* point : {&match.left, &match.right})
      *point = {left.scale * point->x, left.scale * point->y};
    if (std::abs(match.right.y - match.left.y) <= kSameRow_px * left.scale)
      judgement.disparities.push_back(match.left.x - match.right.x);
  }
  std::sort(judgement.disparities.begin(), judgement.disparities.end());
  PairFault& fault = judgement.fault;
  const auto is_none = [&] { return fault.kind == Kind::kNone; };
  // Exchanged images of raw cameras are rectified by each other's lens, so their rows differ as well.
  if (facts.is_rectified_here && LookExchanged(judgement.disparities, facts))
    fault = DisparityFault(judgement.disparities, facts);
  if (is_none()) fault = RowFault(found.matches, left.width, left.height, facts);
  if (is_none()) fault = DisparityFault(judgement.disparities, facts);
  if (is_none() && facts.rig && !facts.is_rectified_here)
    fault = SizeFault(*facts.rig, left.width, left.height);
  const double factor = std::max(left.mean, 1.0) / std::max(right.mean, 1.0);
  if (is_none() && std::max(factor, 1 / factor) > kBrightnessFactor) {
    fault = {Kind::kBrightness,
             fmt::format("the left image is {:.1f} times as bright as the right one", factor)};
  }
  return judgement;
}

}  // namespace

std::optional<double> ScaleOfOtherSize(double cx_px, double cy_px, int width, int height) {
  constexpr double kLow = 0.78, kHigh = 1.28;  // principal point by centre, of one size
  const double x = 2 * cx_px / width, y = 2 * cy_px / height;
  if (std::min(x, y) <= kHigh && std::max(x, y) >= kLow) return std::nullopt;
  return x > 0.8 * y && y > 0.8 * x ? std::optional((x + y) / 2) : std::nullopt;
}

bool LookExchanged(const std::vector<double>& disparities, const PairFacts& facts) {
  const double below = ShareBelow(disparities, facts.min_disparity - 1.0);
  const double above = 1 - ShareBelow(disparities, facts.min_disparity + 1.0);
  return below > 0.3 && above < below / 4 &&
         QuantileOfSorted(disparities, 0.5) < -(facts.rig ? facts.rig->doffs_px : 0);
}

SmallPicture Shrunk(const CameraImageView& image) {
  SmallPicture small{.width = WidthOf(image), .height = HeightOf(image), .gray = GrayMat(image)};
  const auto [shorter, longer] = std::minmax(small.gray.cols, small.gray.rows);
  small.scale = std::max(1.0, std::min(longer / kLongestSide_px, shorter / kShortestSide_px));
  if (small.scale > 1) {
    const cv::Size size(std::max(1, static_cast<int>(std::lround(small.gray.cols / small.scale))),
                        std::max(1, static_cast<int>(std::lround(small.gray.rows / small.scale))));
    cv::Mat resized;
    cv::resize(small.gray, resized, size, 0, 0, cv::INTER_AREA);
    small.gray = resized;
  }
  cv::Scalar mean, deviation;
  cv::meanStdDev(small.gray, mean, deviation);
  small.mean = mean[0];
  small.deviation = deviation[0];
  small.gray = WithUsualContrast(small.gray, small.mean, small.deviation);
  return small;
}

std::optional<PairFault> FaultOf(const SmallPicture& left, const SmallPicture& right,
                                 const PairFacts& facts) {
  std::optional<Judgement> judgement = Judge(left, right, facts);
  return judgement ? std::optional(std::move(judgement->fault)) : std::nullopt;
}

SearchRange RangeFor(std::vector<double> disparities) {
  constexpr int kStep = 16, kMost = 1024;
  constexpr double kBeyond = 2, kMargin_px = 4;
  const auto steps = [](double px) { return kStep * static_cast<int>(std::ceil(px / kStep)); };
  std::sort(disparities.begin(), disparities.end());
  SearchRange range;
  if (disparities.empty()) return range;
  const double low = QuantileOfSorted(disparities, 0.02), high = QuantileOfSorted(disparities, 0.98);
  if (low < -1) range.min_disparity = -steps(kMargin_px - low);
  range.num_disparities =
      std::clamp(steps(std::max(high, 0.0) * kBeyond + kMargin_px) - range.min_disparity, kStep, kMost);
  return range;
}

std::optional<SearchRange> RangeOf(const SmallPicture& left, const SmallPicture& right,
                                   const PairFacts& facts) {
  const std::optional<Judgement> judgement = Judge(left, right, facts);
  if (!judgement || std::ssize(judgement->disparities) < kFewestOfOneScene ||
      judgement->fault.kind == Kind::kRows || LookExchanged(judgement->disparities, facts))
    return std::nullopt;
  PointSearch search = kSearch;
  search.num_features = 3000;  // what is nearest may have few
  std::vector<double> disparities;
  for (const PointMatch& match : MatchPoints(left.View(), right.View(), search).matches) {
    if (std::abs(match.right.y - match.left.y) <= kSameRow_px)
      disparities.push_back(left.scale * (match.left.x - match.right.x));
  }
  return RangeFor(std::move(disparities));
}

}  // namespace parallax
