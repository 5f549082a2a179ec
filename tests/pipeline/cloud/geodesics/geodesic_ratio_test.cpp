#include "pipeline/cloud/geodesics/geodesic_ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "parallax/error.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "tests/support/nan.h"

namespace parallax::test {
namespace {

constexpr int kGridWidth = 60, kGridHeight = 40;
const StereoRig kRig{.fx_px = 100, .cx_px = 30, .cy_px = 20, .baseline_m = 0.1};

GeodesicRatio Compare(const HostImage<float>& estimate, const HostImage<float>& truth,
                      const GeodesicRatioOptions& options = {}) {
  return CompareGeodesics(estimate.ConstView(), truth.ConstView(), kRig, options, *MakeCpuCloudMeasures(1));
}

TEST(GeodesicRatio, OfTheTruthItselfIsOne) {
  HostImage<float> truth(kGridWidth, kGridHeight);
  for (int y = 0; y < kGridHeight; ++y) {
    for (int x = 0; x < kGridWidth; ++x)
      truth(x, y) = 4.0F + 0.3F * std::sin(0.2F * static_cast<float>(x + y));
  }
  truth(10, 10) = kNan;
  const GeodesicRatio same = Compare(truth, truth);
  EXPECT_GE(same.num_pairs, 8 * 32 - 4);  // a source that is also the target makes no pair
  EXPECT_LE(same.num_pairs, 8 * 32);
  EXPECT_EQ(same.num_compared, same.num_pairs);
  EXPECT_EQ(same.median_ratio, 1);
  EXPECT_EQ(same.median_estimate, same.median_truth);
  EXPECT_GE(same.median_truth, 1);
  EXPECT_EQ(same.ShareOfShortcuts(), 0);
  EXPECT_EQ(same.ShareTorn(), 0);
  // Other pixels for another seed, the same for the same.
  EXPECT_EQ(Compare(truth, truth).median_truth, same.median_truth);
  EXPECT_NE(Compare(truth, truth, {.seed = 5}).median_truth, same.median_truth);
}

TEST(GeodesicRatio, BridgesAndCracks) {
  // Two walls beside each other, and a ramp from one to the other.
  HostImage<float> walls(kGridWidth, kGridHeight), ramp(kGridWidth, kGridHeight);
  for (int y = 0; y < kGridHeight; ++y) {
    for (int x = 0; x < kGridWidth; ++x) {
      walls(x, y) = x < kGridWidth / 2 ? 3.0F : 6.0F;
      ramp(x, y) = 3.0F * std::pow(2.0F, static_cast<float>(x) / (kGridWidth - 1));
    }
  }
  HostImage<float> step(kGridWidth, kGridHeight);  // by 7 %; the default max_jump is 5 %
  for (int y = 0; y < kGridHeight; ++y) {
    for (int x = 0; x < kGridWidth; ++x) step(x, y) = x < kGridWidth / 2 ? 3.0F : 3.21F;
  }
  EXPECT_GT(Compare(step, ramp).num_torn, 60);
  EXPECT_EQ(Compare(step, ramp, {.max_jump = 0.1F}).num_torn, 0);
  const GeodesicRatio bridged = Compare(ramp, walls);
  EXPECT_GT(bridged.num_bridged, 60);  // about half of the pairs
  EXPECT_EQ(bridged.num_bridged + bridged.num_compared, bridged.num_pairs);
  EXPECT_GT(bridged.ShareOfShortcuts(), 0.25);
  const GeodesicRatio torn = Compare(walls, ramp);
  EXPECT_EQ(torn.num_torn, bridged.num_bridged);
  EXPECT_EQ(torn.num_bridged, 0);
  EXPECT_DOUBLE_EQ(torn.ShareTorn(),
                   static_cast<double>(torn.num_torn) / static_cast<double>(torn.num_pairs));
}

TEST(GeodesicRatio, ShortcutsThroughAFence) {
  // A wall with a fence of nearer pixels from the top almost to the bottom; the estimate has smoothed it
  // away.
  HostImage<float> fence(kGridWidth, kGridHeight, 5.0F), wall(kGridWidth, kGridHeight, 5.0F);
  for (int y = 0; y < kGridHeight - 2; ++y) fence(kGridWidth / 2, y) = 2.0F;
  const GeodesicRatio ratio = Compare(wall, fence, {.num_sources = 20, .num_targets = 20});
  EXPECT_GT(ratio.num_shortcuts, 20);
  EXPECT_LT(ratio.median_estimate, ratio.median_truth);
  EXPECT_LE(ratio.median_ratio, 1);
}

TEST(GeodesicRatio, NoiseMakesWaysLonger) {
  HostImage<float> wall(kGridWidth, kGridHeight, 5.0F), noisy(kGridWidth, kGridHeight);
  std::mt19937 random(1);
  for (int y = 0; y < kGridHeight; ++y) {
    for (int x = 0; x < kGridWidth; ++x)
      noisy(x, y) = 5.0F + 0.05F * static_cast<float>(random() % 100) / 100.0F;
  }
  const GeodesicRatio ratio = Compare(noisy, wall);
  EXPECT_GT(ratio.median_ratio, 1.02);
  EXPECT_EQ(ratio.num_shortcuts, 0);
}

TEST(GeodesicRatio, OnlyWhereBothHaveADepth) {
  HostImage<float> left(4, 1, 5.0F), right(4, 1, 5.0F);
  left(0, 0) = kNan;
  right(1, 0) = 0;
  // Pixels 2 and 3 are left: two pairs, of both ways.
  const GeodesicRatio two = Compare(left, right);
  EXPECT_EQ(two.num_pairs, 2);
  EXPECT_EQ(two.num_compared, 2);
  EXPECT_NEAR(two.median_truth, 1, 1e-6);
  const GeodesicRatio none = Compare(HostImage<float>(4, 1, kNan), right);
  EXPECT_EQ(none.num_pairs, 0);
  EXPECT_TRUE(std::isnan(none.median_ratio));
  EXPECT_TRUE(std::isnan(none.ShareOfShortcuts()));
}

TEST(GeodesicRatio, BadInputIsRefused) {
  const HostImage<float> a(4, 3, 1.0F), b(3, 4, 1.0F);
  EXPECT_THROW(Compare(a, b), InvalidArgument);
  EXPECT_THROW(Compare(a, a, {.num_sources = 0}), InvalidArgument);
  EXPECT_THROW(Compare(a, a, {.shortcut = kNan}), InvalidArgument);
  EXPECT_THROW(Compare(a, a, {.max_jump = -1}), InvalidArgument);
}

}  // namespace
}  // namespace parallax::test
