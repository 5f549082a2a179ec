#include "app/scores/middlebury_weights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/nan.h"

namespace parallax::app {
namespace {

FrameScores Frame(const char* name, double bad1, double rms) {
  FrameScores frame{name, {}};
  frame.scores.Add("bad1_nonocc", bad1);
  frame.scores.Add("rms_all", rms);
  frame.scores.Add("time_ms", 9);
  return frame;
}

TEST(MiddleburyWeights, FiveOfTheFifteenScenesCountHalf) {
  std::vector<FrameScores> frames;
  for (const char* whole : {"Adirondack", "ArtL", "Jadeplant", "Motorcycle", "MotorcycleE", "Piano", "Pipes",
                            "PlaytableP", "Recycle", "Teddy"}) {
    frames.push_back(Frame(whole, 10, 1));
  }
  for (const char* half : {"PianoL", "Playroom", "Playtable", "Shelves", "Vintage"}) {
    frames.push_back(Frame(half, 20, 1));
  }
  ASSERT_EQ(frames.size(), std::size_t{kNumMiddleburyTrainingScenes});
  const auto mean = MiddleburyWeightedMean(frames);
  ASSERT_TRUE(mean);
  EXPECT_DOUBLE_EQ(*mean->Find("bad1_nonocc"), 12);  // (10 * 10 + 2.5 * 20) / 12.5; the plain mean is 13.3
  EXPECT_DOUBLE_EQ(*mean->Find("rms_all"), 1);
  EXPECT_FALSE(mean->Find("time_ms"));
}

TEST(MiddleburyWeights, FewerScenesKeepTheirWeights) {
  const FrameScores frames[] = {Frame("Teddy", 3, kNan), Frame("Shelves", 6, 1)};
  const auto mean = MiddleburyWeightedMean(frames);
  ASSERT_TRUE(mean);
  EXPECT_DOUBLE_EQ(*mean->Find("bad1_nonocc"), 4);
  EXPECT_TRUE(std::isnan(*mean->Find("rms_all")));
}

TEST(MiddleburyWeights, OtherScenesAndScenesTwiceHaveNone) {
  EXPECT_FALSE(MiddleburyWeightedMean({}));
  const FrameScores other[] = {Frame("Teddy", 3, 1), Frame("teddy", 3, 1)};
  EXPECT_FALSE(MiddleburyWeightedMean(other));
  const FrameScores twice[] = {Frame("Teddy", 3, 1), Frame("Teddy", 3, 1)};
  EXPECT_FALSE(MiddleburyWeightedMean(twice));
}

}  // namespace
}  // namespace parallax::app
