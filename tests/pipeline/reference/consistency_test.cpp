#include <gtest/gtest.h>

#include "pipeline/reference/stages.h"
#include "tests/support/images.h"

namespace parallax::reference {
namespace {

using test::ImageOf;

DisparityMap Check(const HostImage<std::uint16_t>& left, const HostImage<std::uint16_t>& right,
                   int min_disparity, int num_disparities, int max_difference) {
  ThreadPool threads(1);
  DisparityMap map{{left.width(), left.height(), 1.0F},
                   {left.width(), left.height(), 0},
                   {left.width(), left.height(), 9}};
  CheckConsistency(left.ConstView(), right.ConstView(), min_disparity, num_disparities, {max_difference}, map,
                   threads);
  return map;
}

TEST(CheckConsistency, TellsOccludedMismatchedAndOutOfRange) {
  // Right winners: pixel 0 -> 1, the others -> 0.
  const auto map =
      Check(ImageOf<std::uint16_t>({{0, 0, 1, 0}}), ImageOf<std::uint16_t>({{1, 0, 0, 0}}), 0, 2, 0);
  EXPECT_EQ(map.validity(0, 0), kOccluded);  // right 0 says 1; disparity 1 would be outside: nobody claims it
  EXPECT_EQ(map.validity(1, 0), kValid);
  EXPECT_EQ(map.validity(2, 0), kMismatched);  // right 1 says 0, but right 2 claims it with 0
  EXPECT_EQ(map.validity(3, 0), kValid);
  EXPECT_TRUE(std::isnan(map.disparity(0, 0)));
  EXPECT_TRUE(std::isnan(map.disparity(2, 0)));
  EXPECT_EQ(map.disparity(1, 0), 1.0F);
  EXPECT_EQ(map.confidence(0, 0), 9);  // kept

  const auto outside = Check(ImageOf<std::uint16_t>({{1, 1}}), ImageOf<std::uint16_t>({{1, 1}}), 0, 2, 0);
  EXPECT_EQ(outside.validity(0, 0), kOutOfRange);
  EXPECT_EQ(outside.validity(1, 0), kValid);
}

TEST(CheckConsistency, DifferenceUpToTheLimitIsKept) {
  const auto left = ImageOf<std::uint16_t>({{0, 0, 0, 2}});
  const auto right = ImageOf<std::uint16_t>({{0, 4, 0, 0}});
  EXPECT_EQ(Check(left, right, 0, 5, 1).validity(3, 0),
            kMismatched);  // 2 against 4; right 3 claims it with 0
  EXPECT_EQ(Check(left, right, 0, 5, 2).validity(3, 0), kValid);
  EXPECT_EQ(Check(left, right, 0, 5, -1).validity(3, 0), kValid);  // no check
}

TEST(CheckConsistency, PixelsWithoutAWinnerAgreeWithNobody) {
  const auto map =
      Check(ImageOf<std::uint16_t>({{0, 0}}), ImageOf<std::uint16_t>({{kNoWinner, kNoWinner}}), 0, 1, 1024);
  EXPECT_EQ(map.validity(0, 0), kOccluded);
}

}  // namespace
}  // namespace parallax::reference
