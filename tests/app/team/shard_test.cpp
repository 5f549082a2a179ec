// Which frames a shard takes, and how ranges are dealt out.
#include "app/team/shard.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "app/team/frame_deal.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

// Variables of a scheduler while a test runs.
class Environment {
 public:
  explicit Environment(std::map<std::string, std::string> variables) : variables_(std::move(variables)) {
    for (const auto& [name, value] : variables_) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const auto& [name, value] : variables_) unsetenv(name.c_str());
  }

 private:
  std::map<std::string, std::string> variables_;
};

std::vector<std::size_t> FramesOf(const Shard& shard, std::size_t total) {
  std::vector<std::size_t> frames;
  const NextRange next = shard.Frames(total);
  for (FrameRange range = next(); !range.empty(); range = next()) {
    for (std::size_t i = range.begin; i < range.end; ++i) frames.push_back(i);
  }
  return frames;
}

TEST(Shard, TakesEveryNthFrameAndAllShardsTakeEachOnce) {
  EXPECT_EQ(FramesOf(ParseShard("1/3"), 8), (std::vector<std::size_t>{1, 4, 7}));
  for (std::size_t count = 1; count < 9; ++count) {
    std::vector<int> taken(7);
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<std::size_t> frames = FramesOf({i, count}, taken.size());
      EXPECT_EQ(Shard({i, count}).NumFrames(taken.size()), frames.size());
      for (const std::size_t frame : frames) ++taken[frame];
    }
    EXPECT_EQ(taken, std::vector<int>(taken.size(), 1)) << count;
  }
}

TEST(Shard, IsReadStrictly) {
  EXPECT_EQ(ParseShard("2/7"), (Shard{2, 7}));
  EXPECT_EQ(ParseShard("2/7").FolderName(), "shard-2-of-7");
  for (const char* text :
       {"", "2", "7/7", "8/7", "-1/7", "1/0", "a/7", "1/7/7", "1/7x", " 1/7", "auto", "auto/7"})
    EXPECT_THROW(ParseShard(text), InvalidArgument) << text;
}

TEST(Shard, TakesItsIndexFromTheScheduler) {
  {
    const Environment kubernetes(std::map<std::string, std::string>{{"JOB_COMPLETION_INDEX", "4"}});
    EXPECT_EQ(ParseShard("auto/7"), (Shard{4, 7}));
    EXPECT_THROW(ParseShard("auto/4"), InvalidArgument);
    EXPECT_THROW(ParseShard("auto"), InvalidArgument);  // it does not tell how many there are
  }
  const std::map<std::string, std::string> array{{"SLURM_ARRAY_TASK_ID", "3"},
                                                 {"SLURM_ARRAY_TASK_COUNT", "7"},
                                                 {"SLURM_ARRAY_TASK_MIN", "0"},
                                                 {"SLURM_ARRAY_TASK_MAX", "6"}};
  {
    const Environment slurm(array);
    EXPECT_EQ(ParseShard("auto"), (Shard{3, 7}));
    EXPECT_EQ(ParseShard("auto/9"), (Shard{3, 9}));
  }
  // Some tasks of an array, started again, do not tell how many there were.
  std::map<std::string, std::string> again = array;
  again["SLURM_ARRAY_TASK_COUNT"] = "1";
  again["SLURM_ARRAY_TASK_MIN"] = again["SLURM_ARRAY_TASK_MAX"] = "3";
  const Environment slurm(again);
  EXPECT_THROW(ParseShard("auto"), InvalidArgument);
  EXPECT_EQ(ParseShard("auto/7"), (Shard{3, 7}));
}

TEST(Dealer, DealsEveryFrameOnceInRangesThatGetShorter) {
  Dealer dealer(1000, 4);
  std::size_t next = 0, last_length = 1000;
  for (FrameRange range = dealer.Next(); !range.empty(); range = dealer.Next()) {
    EXPECT_EQ(range.begin, next);
    EXPECT_LE(range.end - range.begin, last_length);
    next = range.end;
    last_length = range.end - range.begin;
  }
  EXPECT_EQ(next, 1000U);
  EXPECT_EQ(last_length, 1U);
}

TEST(Dealer, DealsOnWhereTheNumberOfFramesIsNotKnownAndStopsWhenTold) {
  Dealer dealer(std::nullopt, 2);
  EXPECT_EQ(dealer.Next().begin, 0U);
  EXPECT_EQ(dealer.Next().begin, 1U);
  dealer.Stop();
  EXPECT_TRUE(dealer.Next().empty());
}

}  // namespace
}  // namespace parallax::app
