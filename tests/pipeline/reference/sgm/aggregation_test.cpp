#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "pipeline/reference/stages.h"
#include "tests/support/images.h"
#include "tests/support/plain_parameters.h"

namespace parallax::reference {
namespace {

MatchingTables Tables(int num_paths, int p1, int p2, int p2_min = 0, float slope = 0) {
  Parameters parameters = test::PlainParameters();
  parameters.aggregation = {num_paths, p1, p2, p2_min, slope, 100, 100};
  return MakeMatchingTables(parameters);
}

HostCostVolume<std::uint8_t> VolumeOf(int width, int height,
                                      const std::vector<std::vector<std::uint8_t>>& pixels) {
  HostCostVolume<std::uint8_t> volume(width, height, static_cast<int>(pixels[0].size()));
  for (int i = 0; i < width * height; ++i) {
    std::copy(pixels[static_cast<std::size_t>(i)].begin(), pixels[static_cast<std::size_t>(i)].end(),
              volume.View().Cell(i % width, i / width));
  }
  return volume;
}

HostCostVolume<std::uint16_t> Aggregate(const HostCostVolume<std::uint8_t>& costs,
                                        const HostImage<std::uint8_t>& guide, const MatchingTables& tables) {
  ThreadPool threads(2);
  HostCostVolume<std::uint16_t> sums(costs.View().width, costs.View().height, costs.View().num_disparities);
  AggregateCosts(costs.View(), guide.ConstView(), tables, sums.View(), threads);
  return sums;
}

TEST(AggregateCosts, ThreePixelsWorkedByHand) {
  // Paths to the right:  (1,5) (4,1) (3,2).  To the left: (2,2) (4,0) (2,5).  Up and down start here: C
  // twice.
  const auto costs = VolumeOf(3, 1, {{1, 5}, {4, 0}, {2, 2}});
  const HostImage<std::uint8_t> guide(3, 1, 0);
  const auto sums = Aggregate(costs, guide, Tables(4, 1, 3));
  const auto s = sums.ConstView();
  EXPECT_EQ(s(0, 0, 0), 1 + 2 + 1 + 1);
  EXPECT_EQ(s(0, 0, 1), 5 + 5 + 5 + 5);
  EXPECT_EQ(s(1, 0, 0), 4 + 4 + 4 + 4);
  EXPECT_EQ(s(1, 0, 1), 1 + 0 + 0 + 0);
  EXPECT_EQ(s(2, 0, 0), 3 + 2 + 2 + 2);
  EXPECT_EQ(s(2, 0, 1), 2 + 2 + 2 + 2);
}

TEST(AggregateCosts, DiagonalsOfTwoByTwoWorkedByHand) {
  // Eight paths of a 2x2 image with one disparity: every path just adds its own cost, 8 C.
  const auto costs = VolumeOf(2, 2, {{3}, {5}, {7}, {9}});
  const HostImage<std::uint8_t> guide(2, 2, 0);
  const auto sums = Aggregate(costs, guide, Tables(8, 2, 4));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(sums.ConstView()(i % 2, i / 2, 0), 8 * (3 + 2 * i));
}

// Least energy of a labelling of pixels 0..last of one path that ends in disparity end: the definition
// (Hirschmueller 2008, eq. 11) tried out in full, without the recurrence.
int LeastEnergy(const std::vector<std::vector<std::uint8_t>>& path, const std::vector<int>& p2, int p1,
                int last, int end) {
  const int num_disparities = static_cast<int>(path[0].size());
  int labellings = 1;
  for (int i = 0; i < last; ++i) labellings *= num_disparities;
  int least = std::numeric_limits<int>::max();
  for (int code = 0; code < labellings; ++code) {
    std::vector<int> d;
    for (int i = 0, rest = code; i < last; ++i, rest /= num_disparities) d.push_back(rest % num_disparities);
    d.push_back(end);
    int energy = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
      energy += path[i][static_cast<std::size_t>(d[i])];
      if (i > 0) {
        const int jump = std::abs(d[i] - d[i - 1]);
        energy += jump == 0 ? 0 : jump == 1 ? p1 : p2[i];
      }
    }
    least = std::min(least, energy);
  }
  return least;
}

TEST(AggregateCosts, EqualsTheLeastEnergyOverAllLabellingsOfAPath) {
  // A column of 6 pixels: the vertical paths run through it, the horizontal ones start and end at once.
  constexpr int kLength = 6, kNumDisparities = 4, kP1 = 3;
  const auto tables = Tables(4, kP1, 20, 5, 0.25F);
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    std::vector<std::vector<std::uint8_t>> pixels;
    HostImage<std::uint8_t> guide(1, kLength);
    for (int i = 0; i < kLength; ++i) {
      guide(0, i) = test::NoiseAt(i, 99, seed);
      pixels.emplace_back();
      for (int d = 0; d < kNumDisparities; ++d) {
        pixels.back().push_back(static_cast<std::uint8_t>(test::NoiseAt(i, d, seed) % 31));
      }
    }
    const auto sums = Aggregate(VolumeOf(1, kLength, pixels), guide, tables);

    const auto path_costs = [&](bool down) {  // L of every pixel, by the definition
      std::vector<std::vector<std::uint8_t>> path(pixels);
      std::vector<int> p2(kLength);
      if (!down) std::reverse(path.begin(), path.end());
      const auto guide_at = [&](int i) { return static_cast<int>(guide(0, down ? i : kLength - 1 - i)); };
      for (int i = 1; i < kLength; ++i) {
        p2[static_cast<std::size_t>(i)] =
            std::max(20 - static_cast<int>(std::lround(0.25 * std::abs(guide_at(i) - guide_at(i - 1)))), 5);
      }
      std::vector<std::vector<int>> result;
      for (int i = 0; i < kLength; ++i) {
        result.emplace_back();
        int least_before = i == 0 ? 0 : std::numeric_limits<int>::max();
        for (int d = 0; i > 0 && d < kNumDisparities; ++d) {
          least_before = std::min(least_before, LeastEnergy(path, p2, kP1, i - 1, d));
        }
        for (int d = 0; d < kNumDisparities; ++d) {
          result.back().push_back(LeastEnergy(path, p2, kP1, i, d) - least_before);
        }
      }
      if (!down) std::reverse(result.begin(), result.end());
      return result;
    };
    const auto down = path_costs(true), up = path_costs(false);
    for (int i = 0; i < kLength; ++i) {
      for (int d = 0; d < kNumDisparities; ++d) {
        const auto at = [&](const auto& v) {
          return static_cast<int>(v[static_cast<std::size_t>(i)][static_cast<std::size_t>(d)]);
        };
        EXPECT_EQ(sums.ConstView()(0, i, d), 2 * at(pixels) + at(down) + at(up))
            << "pixel " << i << " d " << d;
      }
    }
  }
}

TEST(AggregateCosts, WithoutPenaltiesEveryPathIsTheCostItself) {
  const auto costs = VolumeOf(3, 3, {{1, 5}, {4, 0}, {2, 2}, {9, 1}, {3, 3}, {0, 7}, {6, 2}, {1, 1}, {5, 8}});
  const HostImage<std::uint8_t> guide(3, 3, 0);
  const auto sums = Aggregate(costs, guide, Tables(8, 0, 0));
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 3; ++x) {
      for (int d = 0; d < 2; ++d) EXPECT_EQ(sums.ConstView()(x, y, d), 8 * costs.View()(x, y, d));
    }
  }
}

TEST(AggregateCosts, GroundStepsDownAColumnWorkedByHand) {
  // P1 4, but 2 from d - 1 going down and from d + 1 going up. Down: (0 5 5), then (5 0 5) + (0 2 5).
  // Up: (5 0 5), then (0 5 5) + (2 0 4). The paths along rows begin at each pixel.
  const auto costs = VolumeOf(1, 2, {{0, 5, 5}, {5, 0, 5}});
  const HostImage<std::uint8_t> guide(1, 2, 0);
  Parameters parameters = test::PlainParameters();
  parameters.aggregation = {4, 4, 9, 0, 0, 50, 100};
  const auto sums = Aggregate(costs, guide, MakeMatchingTables(parameters));
  const auto s = sums.ConstView();
  EXPECT_EQ(s(0, 0, 0), 3 * 0 + 0 + 2);
  EXPECT_EQ(s(0, 0, 1), 3 * 5 + 5 + 0);
  EXPECT_EQ(s(0, 0, 2), 3 * 5 + 5 + 4);
  EXPECT_EQ(s(0, 1, 0), 3 * 5 + 5 + 0);
  EXPECT_EQ(s(0, 1, 1), 3 * 0 + 0 + 2);
  EXPECT_EQ(s(0, 1, 2), 3 * 5 + 5 + 5);
}

TEST(AggregateCosts, ColumnsHaveAP2OfTheirOwn) {
  // Two pixels of a column, then of a row: the jump from d = 0 to d = 2 costs 8, and 4.
  Parameters parameters = test::PlainParameters();
  parameters.aggregation = {4, 3, 4, 0, 0, 100, 200};
  const MatchingTables tables = MakeMatchingTables(parameters);
  EXPECT_EQ(Aggregate(VolumeOf(1, 2, {{0, 9, 9}, {9, 9, 0}}), HostImage<std::uint8_t>(1, 2, 0), tables)
                .ConstView()(0, 1, 2),
            8);
  EXPECT_EQ(Aggregate(VolumeOf(2, 1, {{0, 9, 9}, {9, 9, 0}}), HostImage<std::uint8_t>(2, 1, 0), tables)
                .ConstView()(1, 0, 2),
            4);
}

TEST(MatchingTables, PenaltiesOfColumnsAreRoundedAndBounded) {
  Parameters parameters = test::PlainParameters();
  parameters.aggregation = {8, 10, 121, 30, 1, 67, 130};
  EXPECT_EQ(MakeMatchingTables(parameters).p1_ground, 7);
  EXPECT_EQ(MakeMatchingTables(parameters).p2_vertical[0], 157);  // 157.3
  EXPECT_EQ(MakeMatchingTables(parameters).p2_vertical[255], 39);
  EXPECT_EQ(MakeMatchingTables(parameters).largest_p2_vertical, 157);
  parameters.aggregation = {8, 10, 30, 0, 0, 100, 25};
  EXPECT_EQ(MakeMatchingTables(parameters).p2_vertical[0], 10);  // never below P1
  parameters.aggregation = {8, 10, 7000, 0, 0, 100, 200};
  EXPECT_EQ(MakeMatchingTables(parameters).p2_vertical[0], 8000);
}

TEST(MatchingTables, P2FallsWithTheGradientDownToItsFloor) {
  const auto tables = Tables(8, 10, 120, 30, 1.0F);
  EXPECT_EQ(tables.p2[0], 120);
  EXPECT_EQ(tables.p2[40], 80);
  EXPECT_EQ(tables.p2[90], 30);
  EXPECT_EQ(tables.p2[255], 30);
  EXPECT_EQ(Tables(8, 10, 120, 0, 1.0F).p2[255], 10);  // never below P1
  EXPECT_EQ(Tables(8, 10, 120).p2[255], 120);          // slope 0: constant
  EXPECT_EQ(tables.largest_p2, 120);
}

}  // namespace
}  // namespace parallax::reference
