#include "datasets/live/pair_maker.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "tests/support/fake_camera.h"

namespace parallax {
namespace {

using test::PictureAt;
using Counts = std::array<std::size_t, 2>;

TEST(PairMaker, PicturesOfOneTimeAreAPair) {
  PairMaker maker(0.001);
  EXPECT_FALSE(maker.Add(PictureAt(10, 0)));
  const auto pair = maker.Add(PictureAt(10.0005, 1));
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->left.time_s, 10);
  EXPECT_EQ(pair->right.time_s, 10.0005);
  EXPECT_FALSE(maker.Add(PictureAt(11, 1)));
  EXPECT_EQ(maker.Add(PictureAt(11, 0))->right.time_s, 11);  // whichever comes first
  EXPECT_EQ(maker.num_unpaired(), (Counts{0, 0}));
}

TEST(PairMaker, TheUsualToleranceIsHalfTheTimeBetweenPicturesOfTheFasterCamera) {
  PairMaker maker(0);
  EXPECT_FALSE(maker.tolerance_s());
  std::size_t num_pairs = 0;
  // 20 a second, and half as many 24 ms later: within 25 ms.
  for (int i = 0; i < 40; ++i) {
    maker.Add(PictureAt(0.05 * i, 0));
    if (i % 2 == 0) num_pairs += maker.Add(PictureAt(0.05 * i + 0.024, 1)).has_value();
  }
  EXPECT_NEAR(maker.tolerance_s().value(), 0.025, 1e-9);
  EXPECT_NEAR(maker.interval_s(0), 0.05, 1e-9);
  EXPECT_NEAR(maker.interval_s(1), 0.1, 1e-9);
  EXPECT_EQ(num_pairs, 19U);  // of 20: the first ones came before the time between pictures was known
  EXPECT_EQ(maker.num_unpaired()[0] + num_pairs, 39U);  // the last left one still waits
}

TEST(PairMaker, OutOfStepCamerasMakeNoPairAndItIsKnownHowFarTheyAreApart) {
  PairMaker maker(0.010);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(maker.Add(PictureAt(0.04 * i, 0)));
    EXPECT_FALSE(maker.Add(PictureAt(0.04 * i + 0.015, 1)));
  }
  EXPECT_NEAR(maker.nearest_s().value(), 0.015, 1e-9);
  // Memory is bounded: all but a few are given up.
  EXPECT_GE(maker.num_unpaired()[0], 90U);
  EXPECT_GE(maker.num_unpaired()[1], 90U);
}

TEST(PairMaker, JitterDelaysAndLossesOfOneSide) {
  // Both see the same instants, 30 a second; times jitter by 3 ms, a tenth of the right ones is lost, and
  // they arrive two frames late.
  std::mt19937 random(3);
  std::uniform_real_distribution<double> jitter(-0.003, 0.003);
  PairMaker maker(0);
  std::deque<LivePicture> late;
  std::size_t num_pairs = 0, num_lost = 0;
  const auto check = [&](const std::optional<PicturePair>& pair) {
    if (!pair) return;
    ++num_pairs;
    EXPECT_LT(std::abs(pair->left.time_s - pair->right.time_s), 0.0061);
  };
  for (int i = 0; i < 600; ++i) {
    check(maker.Add(PictureAt(i / 30.0 + jitter(random), 0)));
    late.push_back(PictureAt(i / 30.0 + jitter(random), 1));
    if (late.size() <= 2) continue;
    if (random() % 10 == 0) {
      ++num_lost;
    } else {
      check(maker.Add(std::move(late.front())));
    }
    late.pop_front();
  }
  EXPECT_EQ(num_pairs, 598U - num_lost);
  EXPECT_EQ(maker.num_unpaired()[1], 0U);
}

TEST(PairMaker, ASideThatLagsByMoreThanCanWaitStillGetsPartners) {
  // Both see the same instants, 20 a second; the right ones arrive 30 frames late, as from a starved thread.
  PairMaker maker(0);
  std::size_t num_pairs = 0;
  for (int i = 0; i < 600; ++i) {
    maker.Add(PictureAt(0.05 * i, 0));
    if (i < 30) continue;
    const auto pair = maker.Add(PictureAt(0.05 * (i - 30), 1));
    if (!pair) continue;
    ++num_pairs;
    EXPECT_EQ(pair->left.time_s, pair->right.time_s);
  }
  EXPECT_GE(num_pairs, 570U / 31 * 8);
  // One that comes back after a silence finds a partner at once.
  maker.Forget(1);
  maker.Add(PictureAt(100, 1));
  EXPECT_TRUE(maker.Add(PictureAt(100, 0)));
}

TEST(PairMaker, AClockThatIsSetBackBeginsAnew) {
  PairMaker maker(0.01);
  maker.Add(PictureAt(100, 0));
  maker.Add(PictureAt(5, 0));
  EXPECT_EQ(maker.num_unpaired(), (Counts{1, 0}));
  EXPECT_TRUE(maker.Add(PictureAt(5, 1)));
  maker.Add(PictureAt(6, 0));
  maker.Forget(0);
  EXPECT_EQ(maker.num_unpaired(), (Counts{2, 0}));
}

}  // namespace
}  // namespace parallax
