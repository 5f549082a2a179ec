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
#include "config/frame_parameters.h"

namespace parallax {
namespace {

constexpr double kLongestSide_px = 800, kShortestSide_px = 200;  // the latter wins
constexpr PointSearch kSearch{
    .num_features = 600, .max_row_px = 1e6, .min_disparity = -1, .max_disparity = 1};

// Limits between the faults of tests/app/calibrate/pair_check_test.cpp and the right pairs of eight data sets,
// which keep 8 to 76 % of their features; pictures of two scenes keep 3 %, seldom 8.
constexpr int kFewestFeatures = 150, kFewestOfOneScene = 40;
constexpr double kShareOfOneScene = 0.1, kShareOfTwoScenes = 0.06;
constexpr double kMedianRow_px = 1.3, kRowInPlaces_px = 2.5, kRowOfRig_px = 1;
constexpr std::size_t kFewestInPart = 12, kFewestInPartOfRig = 20;
constexpr double kSameRow_px = 3;                              // of the small images
constexpr double kShareOutside = 0.1;                          // of matches outside the range of disparities
constexpr double kBrightnessFactor = 2.5;                      // right pairs: at most 1.2
constexpr double kSameSize_low = 0.78, kSameSize_high = 1.28;  // principal point / centre

bool ShowOneScene(const PointMatches& found) {
  return std::ssize(found.matches) >= kFewestOfOneScene &&
         static_cast<double>(found.matches.size()) >= kShareOfOneScene * found.num_features;
}

// If a picture of both images was cut the wrong way, the halves of the result show one scene.
std::string TwoScenes(const SmallPicture& left, const PointMatches& found, const PairFacts& facts) {
  std::string text = fmt::format("left and right show different scenes ({} of {} points are found again): ",
                                 found.matches.size(), found.num_features);
  if (!facts.layout) return text + "do the two belong together?";
  const bool was_beside = IsSideBySide(*facts.layout);
  const int width = left.gray.cols / (was_beside ? 1 : 2), height = left.gray.rows / (was_beside ? 2 : 1);
  const PointMatches halves =
      MatchPoints(left.Part({0, 0, width, height}),
                  left.Part({was_beside ? 0 : width, was_beside ? height : 0, width, height}), kSearch);
  if (ShowOneScene(halves)) {
    return was_beside ? "the picture holds one image above the other: use --layout top-bottom"
                      : "the picture holds two images side by side: use --layout side-by-side";
  }
  return text + "does the picture hold both images? Two videos are LEFT RIGHT, two cameras camera:LEFT,RIGHT";
}

std::string RowFault(const std::vector<PointMatch>& matches, int width, int height, const PairFacts& facts) {
  const RowOffsets rows =
      RowOffsetsOf(matches, width, height, facts.is_rectified_here ? kFewestInPartOfRig : kFewestInPart);
  const double median_px = std::abs(rows.median_px);
  if (facts.is_rectified_here) {
    const double worst_px = std::max(median_px, rows.largest_px);
    if (worst_px < kRowOfRig_px) return "";
    return fmt::format(
        "the rig does not fit these images: rows of left and right differ by {:.1f} px in places; see "
        "parallax doctor",
        worst_px);
  }
  if (median_px < kMedianRow_px && rows.median_absolute_px < kMedianRow_px &&
      rows.largest_px < kRowInPlaces_px)
    return "";
  return fmt::format(
      "rows of left and right differ by {:.1f} px (median), up to {:.1f}: the pair is not rectified, or one "
      "image is shifted; calibrate the cameras (parallax calibrate) and name them with --rig FILE",
      rows.median_absolute_px, std::max(rows.largest_px, rows.median_absolute_px));
}

// A focal length of another image size comes with its principal point, which is near the centre of that size.
std::string SizeFault(const StereoRig& rig, int width, int height) {
  const double x = 2 * rig.cx_px / width, y = 2 * rig.cy_px / height;
  const bool is_larger = std::min(x, y) > kSameSize_high, is_smaller = std::max(x, y) < kSameSize_low;
  if (!(is_larger || is_smaller) || !(x > 0.8 * y && y > 0.8 * x)) return "";
  return fmt::format(
      "the calibration's principal point ({:.0f}, {:.0f}) is that of images of about {:.0f}x{:.0f} px, and "
      "these are {}x{}: take the calibration of this size, or scale FX, CX and CY by {:.2f}",
      rig.cx_px, rig.cy_px, 2 * rig.cx_px, 2 * rig.cy_px, width, height, 2 / (x + y));
}

int MultipleOf16(double value) { return 16 * static_cast<int>(std::ceil(value / 16)); }

// What is wrong with the disparities of matches in equal rows.
std::string DisparityFault(std::vector<double> disparities, const PairFacts& facts) {
  if (std::ssize(disparities) < kFewestOfOneScene) return "";
  std::sort(disparities.begin(), disparities.end());
  const auto num = static_cast<double>(disparities.size());
  const auto at = [&](double share) { return disparities[static_cast<std::size_t>(share * (num - 1))]; };
  const auto share_below = [&](double limit) {
    return static_cast<double>(std::lower_bound(disparities.begin(), disparities.end(), limit) -
                               disparities.begin()) /
           num;
  };
  const int end = facts.min_disparity + facts.num_disparities;
  const double below = share_below(facts.min_disparity - 1.0), above = 1 - share_below(end);
  const double doffs_px = facts.rig ? facts.rig->doffs_px : 0;
  if (below > 0.3 && 1 - share_below(facts.min_disparity + 1.0) < below / 4 && at(0.5) < -doffs_px) {
    return fmt::format(
        "left and right look exchanged: {:.0f} % of the matches have disparities below {}; give the other "
        "image first{}",
        100 * below, facts.min_disparity, facts.layout ? " (--layout right-left or bottom-top)" : "");
  }
  if (below > kShareOutside) {
    return fmt::format(
        "{:.0f} % of the matches have disparities below {} (down to {:.0f} px): the right image is shifted "
        "or "
        "the pair not rectified; rectify it with --rig FILE, or use --set matching_cost.min_disparity={}",
        100 * below, facts.min_disparity, at(0.02), -MultipleOf16(-at(0.02)));
  }
  if (above > kShareOutside) {
    return fmt::format(
        "{:.0f} % of the matches have disparities beyond the {} that are searched (up to {:.0f} px), so near "
        "things come out wrong: use --set {}={}",
        100 * above, facts.num_disparities, at(0.98), kNumDisparitiesKey,
        MultipleOf16(at(0.98) + 1 - facts.min_disparity));
  }
  return "";
}

}  // namespace

SmallPicture Shrunk(const CameraImageView& image) {
  constexpr double kUsualDeviation = 50, kUsualMean = 128, kMostGain = 8;
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
  const double gain = std::min(kMostGain, kUsualDeviation / std::max(1.0, small.deviation));
  small.gray.convertTo(small.gray, -1, gain, kUsualMean - gain * small.mean);
  return small;
}

std::optional<std::string> FaultOf(const SmallPicture& left, const SmallPicture& right,
                                   const PairFacts& facts) {
  constexpr double kNothing = 2, kSomething = 15;  // deviations of gray
  if (std::min(left.width, left.height) < kSmallestSide_px) return std::nullopt;
  for (const auto& [a, b, name] : {std::tuple(&left, &right, "left"), std::tuple(&right, &left, "right")}) {
    if (a->deviation > kNothing || b->deviation < kSomething) continue;
    return fmt::format("the {} image shows nothing (gray {:.0f} throughout): look at that camera", name,
                       a->mean);
  }
  PointMatches found = MatchPoints(left.View(), right.View(), kSearch);
  if (found.num_features < kFewestFeatures) return std::nullopt;
  if (static_cast<double>(found.matches.size()) < kShareOfTwoScenes * found.num_features)
    return TwoScenes(left, found, facts);
  if (!ShowOneScene(found)) return std::nullopt;
  std::vector<double> disparities;
  for (PointMatch& match : found.matches) {
    for (Vector2* point : {&match.left, &match.right})
      *point = {left.scale * point->x, left.scale * point->y};
    if (std::abs(match.right.y - match.left.y) <= kSameRow_px * left.scale)
      disparities.push_back(match.left.x - match.right.x);
  }
  std::string fault = RowFault(found.matches, left.width, left.height, facts);
  if (fault.empty()) fault = DisparityFault(std::move(disparities), facts);
  if (fault.empty() && facts.rig && !facts.is_rectified_here)
    fault = SizeFault(*facts.rig, left.width, left.height);
  const double factor = std::max(left.mean, 1.0) / std::max(right.mean, 1.0);
  if (fault.empty() && std::max(factor, 1 / factor) > kBrightnessFactor) {
    fault = fmt::format(
        "the left image is {:.1f} times as bright as the right one: use one exposure for both cameras",
        factor);
  }
  return fault;
}

}  // namespace parallax
