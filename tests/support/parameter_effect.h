// No parameter is silently without effect: changing it changes a result of the back end that is handed in.
// (A setter that did nothing on the GPU is among the complaints about other matchers.)
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/parameter_text.h"
#include "pipeline/cloud/reprojection.h"
#include "pipeline/live/decimation.h"
#include "pipeline/live/live_filters.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "pipeline/types/frame.h"
#include "tests/support/images.h"
#include "tests/support/matcher_sweep.h"
#include "tests/support/plain_parameters.h"

namespace parallax::test {

struct Change {
  std::string key, value;
  std::vector<std::pair<std::string, std::string>> beside = {};  // what must be set for it to matter
};
inline const std::vector<std::pair<std::string, std::string>> kLongArms = {
    {"ad_census.arm_threshold", "90"}, {"ad_census.arm_threshold_strict", "90"}};
inline const std::vector<Change> kChanges = {
    {"method", "ad_census"},
    {"census_transform.window", "5x5"},
    {"matching_cost.min_disparity", "-3"},
    {"matching_cost.num_disparities", "10"},
    {"matching_cost.gradient_weight", "2"},
    {"matching_cost.gradient_cap", "4", {{"matching_cost.gradient_weight", "2"}}},
    {"matching_cost.even_percent", "40", {{"matching_cost.even_below", "100"}}},
    {"matching_cost.even_below", "100", {{"matching_cost.even_percent", "40"}}},
    {"aggregation.num_paths", "4"},
    {"aggregation.p1", "1"},
    {"aggregation.p2", "200"},
    {"aggregation.p2_min", "60", {{"aggregation.p2_slope", "4"}}},
    {"aggregation.p2_slope", "4"},
    {"aggregation.p1_ground_percent", "20"},
    {"aggregation.p2_vertical_percent", "200"},
    {"ad_census.cost", "ad"},
    {"ad_census.color_difference", "maximum"},
    {"ad_census.lambda_ad", "3"},
    {"ad_census.lambda_census", "5"},
    {"ad_census.arm_length", "3"},
    {"ad_census.arm_length_strict", "1"},
    {"ad_census.arm_threshold", "60"},
    {"ad_census.arm_threshold_strict", "20", {{"ad_census.arm_length_strict", "1"}}},
    {"ad_census.support", "left"},
    {"ad_census.iterations", "1"},
    {"ad_census.scanlines", "false"},
    {"ad_census.p1", "0.25"},
    {"ad_census.p2", "8"},
    {"ad_census.step_threshold", "3"},
    {"ad_census.right_winner", "own"},
    {"ad_census.voting_iterations", "0", kLongArms},
    {"ad_census.voting_min_votes", "400", kLongArms},
    {"ad_census.voting_min_percent", "100", kLongArms},
    {"ad_census.discontinuities", "false"},
    {"selection.uniqueness_percent", "30"},
    {"selection.subpixel", "none"},
    {"consistency.max_difference", "-1"},
    {"filter.speckle_size", "0"},
    {"filter.speckle_range", "0.05"},
    {"filter.fill", "false"},
    {"filter.median", "5"},
    {"refinement.trees", "driving"},
    {"refinement.planes", "true"},
    {"refinement.plane_tile", "4", {{"refinement.planes", "true"}}},
    {"refinement.plane_step", "1", {{"refinement.planes", "true"}}},
    {"refinement.plane_tolerance", "0.25", {{"refinement.planes", "true"}}},
    {"refinement.smoothing_passes", "1"},
    {"refinement.smoothing_range", "1", {{"refinement.smoothing_passes", "1"}}},
    {"live.decimation", "2"},
    {"live.spatial", "true"},
    {"live.spatial_alpha", "0.9", {{"live.spatial", "true"}}},
    {"live.spatial_delta", "2", {{"live.spatial", "true"}}},
    {"live.spatial_iterations", "1", {{"live.spatial", "true"}}},
    {"live.temporal", "true"},
    {"live.temporal_alpha", "0.9", {{"live.temporal", "true"}}},
    {"live.temporal_delta", "1", {{"live.temporal", "true"}}},
    {"live.persistence", "off", {{"live.temporal", "true"}, {"filter.fill", "false"}}},
    {"live.holes", "nearest"},
    {"live.near_m", "6"},
    {"live.far_m", "6"},
    {"live.min_confidence", "100"},
    {"live.min_texture", "5"},
    {"live.darkest", "60"},
    {"live.brightest", "150"},
    {"reprojection.min_depth_m", "6"},
    {"reprojection.max_depth_m", "6"},
};

inline constexpr int kEffectWidth = 90, kEffectHeight = 50;

// A square at disparity 12 before a wall at 5; noise of each camera's own, and a band without texture.
inline std::uint8_t Texture(int x, int y) {
  return static_cast<std::uint8_t>(y > 38 ? 100 : 40 + NoiseAt(x, y) / 2);
}
inline HostImage<std::uint8_t> Camera(int near_shift, int far_shift, std::uint32_t seed) {
  return ImageFrom<std::uint8_t>(kEffectWidth, kEffectHeight, [&](int x, int y) {
    const bool near = x - near_shift >= 30 && x - near_shift < 60 && y >= 10 && y < 35;
    const int value = near ? Texture(x - near_shift + 1000, y) : Texture(x - far_shift, y);
    return value + NoiseAt(x, y, seed) / 24;
  });
}

// Channels that differ, so that their mean is not their maximum.
inline HostImage<Rgb8> Tinted(const HostImage<std::uint8_t>& gray) {
  return ImageFrom<Rgb8>(kEffectWidth, kEffectHeight, [&](int x, int y) {
    const std::uint8_t v = gray(x, y);
    return Rgb8{v, static_cast<std::uint8_t>(v / 2), 90};
  });
}

// All that three frames give, each with noise of its own, as one text to compare. A square of the second and
// third right image is gone.
inline std::string ResultsOf(const MatcherFactory& make_matcher, const Parameters& parameters) {
  constexpr int kNumFrames = 3;
  std::string results;
  LiveFilters live(1);
  for (int i = 0; i < kNumFrames; ++i) {
    const auto seed = static_cast<std::uint32_t>(2 * i + 2);
    HostImage<std::uint8_t> left = Camera(0, 0, seed), right = Camera(-12, -5, seed + 1);
    for (int y = 15; i > 0 && y < 25; ++y) std::fill_n(right.Row(y) + 40, 10, std::uint8_t{128});
    StereoFrame frame;
    frame.rig = StereoRig{.fx_px = 100, .baseline_m = 0.5};
    if (parameters.method == Method::kAdCensus) {
      frame.left = Tinted(left), frame.right = Tinted(right);
    } else {
      frame.left = std::move(left), frame.right = std::move(right);
    }
    Decimate(parameters.live.decimation, frame);
    const CameraImageView left_view = ViewOf(frame.left);
    const int width = WidthOf(left_view), height = HeightOf(left_view);
    DisparityMap map;
    make_matcher(ForMatcher(parameters), {.width = width, .height = height})
        ->Compute(left_view, ViewOf(frame.right), map, nullptr, nullptr);
    live.Apply(parameters, left_view, frame.rig, map);
    HostImage<float> depth(width, height);
    DepthFromDisparity(map.disparity.ConstView(), *frame.rig, parameters.reprojection, depth.View());
    for (int y = 0; y < height; ++y) {
      const auto append = [&](const auto* row) {
        results.append(reinterpret_cast<const char*>(row), static_cast<std::size_t>(width) * sizeof(*row));
      };
      append(map.disparity.Row(y)), append(map.validity.Row(y)), append(depth.Row(y));
    }
    // Only the filters of sequences look at a second frame.
    if (parameters.live == LiveParameters{}) break;
  }
  return results;
}

// methods: those that the back end has. Depth is worked out on the host, from the back end's disparities.
inline void ExpectThatEveryParameterHasAnEffect(const MatcherFactory& make_matcher,
                                                const std::vector<Method>& methods) {
  for (const std::string& key : ParameterKeys()) {
    const auto change =
        std::find_if(kChanges.begin(), kChanges.end(), [&](const Change& c) { return c.key == key; });
    ASSERT_NE(change, kChanges.end()) << key << ": add a value that changes the result to kChanges";
    Parameters before = test::PlainParameters();
    before.matching_cost.num_disparities = 20;
    if (key.starts_with("ad_census.")) before.method = Method::kAdCensus;
    for (const auto& [other, value] : change->beside) ASSERT_FALSE(SetParameter(before, other, value));
    Parameters after = before;
    ASSERT_FALSE(SetParameter(after, key, change->value)) << key;
    EXPECT_TRUE(Validate(after).empty()) << key;
    if (std::find(methods.begin(), methods.end(), after.method) == methods.end()) continue;
    EXPECT_TRUE(ResultsOf(make_matcher, before) != ResultsOf(make_matcher, after)) << key << " had no effect";
  }
}

}  // namespace parallax::test
