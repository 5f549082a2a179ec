#include <gtest/gtest.h>

#include "pipeline/reference/stages.h"
#include "pipeline/rules/pixel_math.h"
#include "tests/support/images.h"

namespace parallax::reference {
namespace {

struct Selected {
  int winner;
  float disparity;
  int validity, confidence;
};

Selected Select(std::vector<std::uint16_t> sums, int min_disparity = 0, SelectionParameters parameters = {}) {
  ThreadPool threads(1);
  HostCostVolume<std::uint16_t> volume(1, 1, static_cast<int>(sums.size()));
  std::copy(sums.begin(), sums.end(), volume.View().Cell(0, 0));
  HostImage<std::uint16_t> winner(1, 1);
  DisparityMap map{{1, 1}, {1, 1}, {1, 1}};
  SelectDisparities(volume.ConstView(), min_disparity, parameters, winner.View(), map, threads);
  return {winner(0, 0), map.disparity(0, 0), map.validity(0, 0), map.confidence(0, 0)};
}

TEST(SelectDisparities, LowestCostThenLowestDisparity) {
  EXPECT_EQ(Select({9, 4, 7, 4}).winner, 1);
  EXPECT_EQ(Select({5, 5, 5}).winner, 0);
  EXPECT_EQ(Select({65535, 65534}).winner, 1);
  EXPECT_EQ(Select({3}).winner, 0);
}

TEST(SelectDisparities, SubpixelWorkedByHand) {
  // a = 5, b = 1: parabola (5 - 1) / (2 * 6), equiangular (5 - 1) / (2 * 5).
  EXPECT_EQ(Select({10, 5, 6, 50}, 0, {0, Subpixel::kParabola}).disparity, 1.0F + 4.0F / 12.0F);
  EXPECT_EQ(Select({10, 5, 6, 50}, 0, {0, Subpixel::kEquiangular}).disparity, 1.0F + 4.0F / 10.0F);
  EXPECT_EQ(Select({10, 5, 6, 50}, 0, {0, Subpixel::kNone}).disparity, 1.0F);
  EXPECT_EQ(Select({10, 5, 6, 50}, -7, {0, Subpixel::kEquiangular}).disparity, -6.0F + 4.0F / 10.0F);
  EXPECT_EQ(Select({5, 5, 9, 50}, 0, {0, Subpixel::kEquiangular}).disparity,
            0.0F);  // an end has no neighbour
  EXPECT_EQ(Select({9, 0, 1, 50}, 0, {0, Subpixel::kEquiangular}).disparity, 1.0F);  // a perfect match
  EXPECT_EQ(Select({9, 8, 7}, 3, {0, Subpixel::kParabola}).disparity, 5.0F);
}

TEST(SelectDisparities, SubpixelStaysWithinHalfAPixel) {
  for (int a = 0; a < 40; ++a) {
    for (int b = 0; b < 40; ++b) {
      for (const Subpixel method : {Subpixel::kParabola, Subpixel::kEquiangular}) {
        const float offset = SubpixelOffset(1, a, b, method);
        EXPECT_LE(std::fabs(offset), 0.5F);
        EXPECT_EQ(offset, -SubpixelOffset(1, b, a, method));  // mirror images
        if (a > b) {
          EXPECT_GT(offset, 0);
        }
      }
    }
  }
}

TEST(SelectDisparities, UniquenessComparesWithTheBestThatIsNotBesideTheWinner) {
  const auto with = [](int percent) { return SelectionParameters{percent, Subpixel::kNone}; };
  // 55 is the rival of 50; 51 beside the winner does not count.
  EXPECT_EQ(Select({51, 50, 100, 55}, 0, with(9)).validity, kValid);       // 55 * 91 = 5005 >= 5000
  EXPECT_EQ(Select({51, 50, 100, 55}, 0, with(10)).validity, kNotUnique);  // 55 * 90 = 4950 < 5000
  EXPECT_TRUE(std::isnan(Select({51, 50, 100, 55}, 0, with(10)).disparity));
  EXPECT_EQ(Select({51, 50, 51}, 0, with(99)).validity, kValid);  // no rival
  EXPECT_EQ(Select({0, 9, 0}, 0, with(0)).validity, kValid);      // 0 keeps all, ties too
}

TEST(SelectDisparities, ConfidenceIsTheRivalsDistance) {
  EXPECT_EQ(Select({10, 5, 6, 50}).confidence, 229);  // 255 * 45 / 50
  EXPECT_EQ(Select({5, 9, 5}).confidence, 0);
  EXPECT_EQ(Select({0, 9, 0}).confidence, 0);
  EXPECT_EQ(Select({0, 9, 1}).confidence, 255);
  EXPECT_EQ(Select({4, 9}).confidence, 255);  // no rival
  EXPECT_EQ(Select({1, 9, 65535}).confidence, 254);
}

HostImage<std::uint16_t> RightWinners(const std::vector<std::vector<std::uint16_t>>& row, int min_disparity) {
  ThreadPool threads(1);
  const int width = static_cast<int>(row.size());
  HostCostVolume<std::uint16_t> sums(width, 1, static_cast<int>(row[0].size()));
  for (int x = 0; x < width; ++x) {
    std::copy(row[static_cast<std::size_t>(x)].begin(), row[static_cast<std::size_t>(x)].end(),
              sums.View().Cell(x, 0));
  }
  HostImage<std::uint16_t> winners(width, 1);
  SelectRightWinners(sums.ConstView(), min_disparity, winners.View(), threads);
  return winners;
}

TEST(SelectRightWinners, FollowTheDiagonalOfTheSums) {
  // Right pixel 0 sees S(0,0) = 9 and S(1,1) = 3; pixel 1: S(1,0) = 1, S(2,1) = 1 (tie); pixel 2: S(2,0)
  // only.
  const auto winners = RightWinners({{9, 0}, {1, 3}, {7, 1}}, 0);
  EXPECT_EQ(winners(0, 0), 1);
  EXPECT_EQ(winners(1, 0), 0);
  EXPECT_EQ(winners(2, 0), 0);
}

TEST(SelectRightWinners, RangesThatLeaveTheImage) {
  const auto far = RightWinners({{1, 2}, {3, 4}, {5, 6}}, 5);
  for (int x = 0; x < 3; ++x) EXPECT_EQ(far(x, 0), kNoWinner);
  // min -1: right pixel 0 sees x = -1 (outside) and x = 0 with d = 1.
  const auto negative = RightWinners({{1, 2}, {3, 4}, {5, 6}}, -1);
  EXPECT_EQ(negative(0, 0), 1);
  EXPECT_EQ(negative(1, 0), 0);  // S(0, d=0) = 1 < S(1, d=1) = 4
}

}  // namespace
}  // namespace parallax::reference
