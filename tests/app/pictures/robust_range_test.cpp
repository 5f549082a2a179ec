#include "app/pictures/robust_range.h"
#include "tests/support/nan.h"

#include <gtest/gtest.h>

namespace parallax::app {
namespace {

TEST(RobustRange, LeavesOutOnePercentAtEachEnd) {
  HostImage<float> disparity(101, 10);
  for (int y = 0; y < 10; ++y) {
    for (int x = 0; x <= 100; ++x) disparity(x, y) = static_cast<float>(x);
  }
  disparity(50, 5) = kNan;
  disparity(51, 5) = 1e6f;
  const ValueRange range = RobustRange(disparity.ConstView());
  EXPECT_NEAR(range.low, 1.0f, 1.0f);
  EXPECT_NEAR(range.high, 99.0f, 1.0f);
}

TEST(RobustRange, NoValueAtAll) {
  const HostImage<float> none(4, 3, kNan);
  const ValueRange range = RobustRange(none.ConstView());
  EXPECT_EQ(range.low, 0.0f);
  EXPECT_EQ(range.high, 1.0f);
}

}  // namespace
}  // namespace parallax::app
