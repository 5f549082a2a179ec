#include "pipeline/metrics/kitti_quantization.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/pipeline/metrics/image_of.h"

namespace parallax {
namespace {

TEST(KittiPngValue, Truncates) {
  EXPECT_EQ(KittiPngValue(1.0F), 256);
  EXPECT_EQ(KittiPngValue(10.0F + 0.999F / 256), 2560);
}
TEST(KittiPngValue, KeepsZeroAsAValue) {
  EXPECT_EQ(KittiPngValue(0.0F), 1);
  EXPECT_EQ(KittiPngValue(0.001F), 1);
}
TEST(KittiPngValue, NoValueAndNegativeAreZero) {
  EXPECT_EQ(KittiPngValue(kMissing), 0);
  EXPECT_EQ(KittiPngValue(-0.5F), 0);
}
TEST(KittiPngValue, LargeOnesStopAtTheLargestValue) {
  EXPECT_EQ(KittiPngValue(255.999F), 65535);
  EXPECT_EQ(KittiPngValue(256.0F), 65535);
  EXPECT_EQ(KittiPngValue(std::numeric_limits<float>::infinity()), 65535);
}
TEST(KittiPngValue, EveryValueReadsBackAsItself) {
  for (int value = 1; value <= 65535; ++value) {
    ASSERT_EQ(KittiPngValue(DisparityOfKittiPngValue(static_cast<std::uint16_t>(value))), value);
  }
  EXPECT_TRUE(std::isnan(DisparityOfKittiPngValue(0)));
}
TEST(QuantizeAsKittiPng, IsWhatIsReadBack) {
  const auto quantized = QuantizeAsKittiPng(Map(3, {0.0F, 5.003F, kMissing}).ConstView());
  EXPECT_EQ(quantized(0, 0), 1.0F / 256);
  EXPECT_EQ(quantized(1, 0), 5.0F);
  EXPECT_TRUE(std::isnan(quantized(2, 0)));
}

}  // namespace
}  // namespace parallax
