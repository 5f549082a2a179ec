// matching_cost.num_disparities=auto: the range that a pair needs, and that every part of a run has the same.
#include "app/calibrate/chosen_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/pair_fault.h"
#include "config/frame_parameters.h"
#include "datasets/formats/image_file.h"
#include "datasets/source.h"
#include "tests/app/calibrate/wall_pairs.h"
#include "tests/datasets/test_files.h"
#include "tests/support/run_program.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;
using test::GrayViewOf;
using test::WallPair;
using test::Walls;
using test::operator+;
using ::testing::HasSubstr;
using ::testing::Not;

using Range = std::pair<int, int>;
constexpr Range kNone{0, 0};

Range RangeOfPair(const cv::Mat& left, const cv::Mat& right) {
  const auto range = RangeOf(Shrunk(GrayViewOf(left)), Shrunk(GrayViewOf(right)), {});
  return range ? Range(range->min_disparity, range->num_disparities) : kNone;
}
Range RangeOfWalls(const std::vector<double>& disparities) {
  const WallPair pair = Walls(disparities);
  return RangeOfPair(pair.left, pair.right);
}

TEST(ChosenRange, HoldsTheDisparitiesOfThePairAndTwiceAsLargeOnes) {
  EXPECT_EQ(RangeOfWalls({12, 30, 64}), Range(0, 144));  // 2 * 64 + 4 = 132
  EXPECT_EQ(RangeOfWalls({0, 3, 5}), Range(0, 16));
  EXPECT_EQ(RangeOfWalls({2, 100, 200}), Range(0, 416));
  EXPECT_EQ(RangeOfWalls({-9, 5, 36}), Range(-16, 96));
  EXPECT_EQ(RangeOfWalls({-55, 5, 10}), Range(-64, 96));
}

TEST(ChosenRange, HasAtMostAsManyDisparitiesAsCanBeSearched) {
  const SearchRange wide = RangeFor(std::vector<double>(100, 900)), none = RangeFor({});
  EXPECT_EQ(Range(wide.min_disparity, wide.num_disparities), Range(0, 1024));
  EXPECT_EQ(Range(none.min_disparity, none.num_disparities), Range(0, 128));
}

TEST(ChosenRange, IsNotChosenFromAPairThatShowsTooLittleOrLooksWrong) {
  const WallPair pair = Walls({12, 30, 64}), other = Walls({12, 30, 64}, 7);
  const cv::Mat flat(480, 640, CV_8UC1, cv::Scalar(90));
  EXPECT_EQ(RangeOfPair(flat, flat), kNone);
  EXPECT_EQ(RangeOfPair(pair.right, pair.left), kNone);
  EXPECT_EQ(RangeOfPair(pair.left, other.right), kNone);
  cv::Mat lower;
  cv::copyMakeBorder(pair.right, lower, 25, 0, 0, 0, cv::BORDER_REFLECT);
  EXPECT_EQ(RangeOfPair(pair.left, lower(cv::Rect(0, 0, 640, 480))), kNone);
}

// Frames as two folders of images, and programs that match them.
class AutoRangeCommand : public ::testing::Test {
 protected:
  void Add(const WallPair& pair) {
    for (const auto& [place, image] : {std::pair("a", &pair.left), std::pair("b", &pair.right)}) {
      fs::create_directories(folder_.path() / place);
      WritePng(folder_.path() / place / (std::to_string(num_frames_) + ".png"), GrayViewOf(*image));
    }
    ++num_frames_;
  }
  test::ProgramResult Run(const std::vector<std::string>& more = {}, const std::string& range = "auto",
                          const std::string& out = "out") const {
    return test::RunParallax(test::Arguments{"run", File("a"), File("b"), "--write", "pfm", "--output",
                                             File(out), "--set", "matching_cost.num_disparities=" + range} +
                             more);
  }
  std::string File(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string Text(const std::string& name) const { return test::ReadText(folder_.path() / name); }
  MatchingCostParameters Used(const std::string& out = "out") const {
    return LoadParameters(File(out) + "/parameters.yaml").matching_cost;
  }

  test::TemporaryFolder folder_;
  int num_frames_ = 0;
};

TEST_F(AutoRangeCommand, AShardAndAResumedRunHaveTheRangeOfTheFirstFrame) {
  Add(Walls({-9, 5, 36}));
  for (int i = 1; i < 4; ++i) Add(Walls({1, 2, 3}));  // alone they would have 16 disparities
  const test::ProgramResult whole = Run();
  EXPECT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_EQ(whole.err, "");
  EXPECT_THAT(whole.out, HasSubstr("searches disparities -16 to 79, chosen from frame 0\n"));
  EXPECT_EQ(Used().min_disparity, -16);
  EXPECT_EQ(Used().num_disparities, 96);
  ASSERT_EQ(Run({"--set", "matching_cost.min_disparity=-16"}, "96", "number").exit_code, 0);
  ASSERT_EQ(Run({"--max-frames", "2"}, "auto", "resumed").exit_code, 0);
  const test::ProgramResult resumed = Run({"--resume"}, "auto", "resumed");
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.out, HasSubstr("2 done, 2 skipped"));
  ASSERT_EQ(Run({"--shard", "1/2"}, "auto", "shards").exit_code, 0);
  for (int i = 0; i < 4; ++i) {
    const std::string frame = "/pfm/" + std::to_string(i) + ".pfm";
    EXPECT_TRUE(Text("out" + frame) == Text("number" + frame)) << i;
    EXPECT_TRUE(Text("out" + frame) == Text("resumed" + frame)) << i;
  }
  int num_of_shard = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "shards")) {
    if (entry.path().extension() != ".pfm") continue;
    ++num_of_shard;
    EXPECT_TRUE(test::ReadText(entry.path()) == Text("out/pfm/" + entry.path().filename().string()));
  }
  EXPECT_EQ(num_of_shard, 2);
}

TEST_F(AutoRangeCommand, ASmallestDisparityThatWasSetStays) {
  Add(Walls({-9, 5, 36}));
  EXPECT_THAT(Run({"--set", "matching_cost.min_disparity=-32"}).out,
              HasSubstr("searches disparities -32 to 79, chosen from frame 0\n"));
}

TEST_F(AutoRangeCommand, FramesThatDoNotTellLeaveItToALaterOneOrToThePreset) {
  const cv::Mat flat(480, 640, CV_8UC1, cv::Scalar(90));
  Add({flat, flat});
  Add(Walls({12, 30, 64}));
  Add(Walls({12, 30, 64}));
  EXPECT_THAT(Run().out, HasSubstr("searches disparities 0 to 143, chosen from frame 1\n"));
  test::WriteText(folder_.path() / "a/0.png", "not a picture");
  const test::ProgramResult damaged = Run({"--overwrite"});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(damaged.out, HasSubstr("searches disparities 0 to 143, chosen from frame 1\n"));
  EXPECT_THAT(damaged.out, HasSubstr("3 frames: 2 done, 0 skipped, 1 failed"));
  num_frames_ = 0;
  for (int i = 0; i < 3; ++i) Add({flat, flat});
  EXPECT_THAT(
      Run({"--overwrite", "--config", "kitti"}).out,
      HasSubstr("the first frames do not show which disparities they hold: searches disparities 0 to 255\n"));
  EXPECT_EQ(Used().num_disparities, 256);
}

TEST_F(AutoRangeCommand, PixelsAtTheEndOfTheRangeAreToldOf) {
  Add(Walls({12, 30, 64}));
  EXPECT_THAT(Run({}, "65").out,
              testing::ContainsRegex("3[0-9] % of the measured pixels are at the end of the 65 "
                                     "disparities.*num_disparities=130"));
  EXPECT_THAT(Run({"--overwrite"}).out, Not(HasSubstr("at the end of")));
}

TEST_F(AutoRangeCommand, ExchangedImagesAreToldOfAndNotSearchedBelowZero) {
  const WallPair pair = Walls({12, 30, 64});
  Add({pair.right, pair.left});
  const test::ProgramResult result = Run();
  EXPECT_THAT(result.out, HasSubstr("do not show which disparities they hold"));
  EXPECT_THAT(result.err, HasSubstr("left and right look exchanged"));
}

TEST_F(AutoRangeCommand, EveryCommandOfASourceTakesItAndTheOthersSayWhyNot) {
  Add(Walls({12, 30, 64}));
  const std::string assignment = "matching_cost.num_disparities=auto";
  const std::string line = "searches disparities 0 to 143, chosen from frame 0\n";
  const auto run = [&](const test::Arguments& arguments) {
    return test::RunParallax(arguments + test::Arguments{"--set", assignment});
  };
  const test::ProgramResult doctor = run({"doctor", File("a"), File("b")});
  EXPECT_THAT(doctor.out, HasSubstr(line));
  EXPECT_THAT(doctor.out, HasSubstr("disparities 0 to 143 px are searched"));
  const test::ProgramResult bench = run({"bench", "--sizes", "64x64"});
  EXPECT_EQ(bench.exit_code, 2);
  EXPECT_EQ(bench.err, "parallax: " + assignment +
                           ": matching_cost.num_disparities is 'auto', which is chosen from the first frames "
                           "of a source: here use a whole number, 1 .. 1024\n");
  // The synthetic source states the number, which then counts.
  const std::string stated = "synthetic:planes,width=64,height=48,frames=1,disparities=24";
  const test::ProgramResult synthetic = run({"run", stated, "--output", File("stated"), "--write", "pfm"});
  EXPECT_EQ(synthetic.exit_code, 0) << synthetic.err;
  EXPECT_THAT(synthetic.out, Not(HasSubstr("searches disparities")));
  ASSERT_EQ(test::RunParallax({"run", stated, "--output", File("usual"), "--write", "pfm"}).exit_code, 0);
  EXPECT_EQ(Text("stated/parameters.yaml"), Text("usual/parameters.yaml"));
}

TEST_F(AutoRangeCommand, EvalHasTheSameNumbers) {
  ASSERT_EQ(test::RunParallax({"synth", "slanted", "--width=640", "--height=400", "--frames=2", "--layout",
                               "kitti2012", "--output", File("scene")})
                .exit_code,
            0);
  const test::ProgramResult result = test::RunParallax(
      {"eval", File("scene"), "--json", File("figures.json"), "--set", "matching_cost.num_disparities=auto"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr(", chosen from frame 000000_10\n"));
  EXPECT_THAT(Text("figures.json"), Not(HasSubstr("num_disparities: auto")));
}

// The share of the true disparities that the range holds, over the sets at hand; and how much of 1024 it is.
TEST(ChosenRange, HoldsTheTrueDisparitiesOfTheDataAtHand) {
  PARALLAX_NEEDS_REAL_DATA();
  const ChosenParameters chosen = LoadChosenParameters("default");
  for (const char* name : {"kitti2012", "kitti2015", "eth3d", "instereo2k", "middlebury/MiddEval3"}) {
    std::unique_ptr<FrameSource> source;
    try {
      source = OpenSource({(test::RealData() / name).string()}, {.kind = {}, .with_truth = true});
    } catch (const Error& error) {  // part of the data alone is there
      std::printf("left out: %s\n", error.what());
      continue;
    }
    int num_frames = 0, num_chosen = 0;
    double num_true = 0, num_held = 0, worst = 1, sum = 0;
    while (source->NextName()) {
      StereoFrame frame;
      try {
        frame = source->Read();
      } catch (const Error&) {  // two frames lack a file, and say so
        continue;
      }
      if (!frame.truth) continue;
      ++num_frames;
      const auto range =
          RangeOf(Shrunk(ViewOf(frame.left)), Shrunk(ViewOf(frame.right)), {.rig = frame.rig, .layout = {}});
      if (!range) continue;
      ++num_chosen;
      double of_frame = 0, held = 0;
      const auto& truth = frame.truth->disparity;
      for (int y = 0; y < truth.height(); ++y) {
        for (int x = 0; x < truth.width(); ++x) {
          const float d = truth(x, y);
          if (!(d > 0) || !std::isfinite(d)) continue;
          ++of_frame;
          const auto least = static_cast<float>(range->min_disparity);
          held += d >= least && d <= least + static_cast<float>(range->num_disparities - 1);
        }
      }
      num_true += of_frame, num_held += held, sum += range->num_disparities;
      worst = std::min(worst, held / of_frame);
    }
    std::printf(
        "%s: %d of %d frames, %.0f disparities on average, %.3f %% of the truth, worst frame %.2f %%\n", name,
        num_chosen, num_frames, sum / num_chosen, 100 * num_held / num_true, 100 * worst);
    EXPECT_GT(num_held / num_true, 0.998) << name;
  }
}

}  // namespace
}  // namespace parallax::app
