// What a run says of itself.
#include "app/run/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

namespace parallax::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

FrameReport Done(const std::string& name, double match_ms) {
  FrameReport report;
  report.name = name;
  report.match_ms = match_ms;
  report.times[Stage::kAggregation] = match_ms / 2;
  return report;
}

RunSummary Example() {
  RunSummary summary({.source = {"data"},
                      .kind = "pair",
                      .backend = "reference",
                      .config = "default",
                      .assignments = {},
                      .outputs = {}});
  summary.Add(Done("a", 10));
  summary.Add(Done("b", 40));
  summary.Add(Done("c", 20));
  summary.Add({.name = "d", .outcome = FrameOutcome::kSkipped});
  summary.Add({.name = "e", .outcome = FrameOutcome::kFailed, .error = "e.png: \"broken\""});
  summary.Finish(2.0, false);
  return summary;
}

TEST(RunSummary, CountsAndTimesOnlyWhatWasDone) {
  const RunSummary summary = Example();
  EXPECT_EQ(summary.Count(FrameOutcome::kDone), 3U);
  EXPECT_THAT(summary.Text(), HasSubstr("5 frames: 3 done, 1 skipped, 1 failed; 2.00 s, 1.50 frames/s"));
  const YAML::Node json = YAML::Load(summary.Json());
  EXPECT_NEAR(json["ms"]["match"]["mean"].as<double>(), 70.0 / 3, 1e-12);
  EXPECT_EQ(json["ms"]["match"]["median"].as<double>(), 20);
  EXPECT_EQ(json["ms"]["aggregation"]["median"].as<double>(), 10);
  EXPECT_EQ(json["frames_per_s"].as<double>(), 1.5);
  EXPECT_EQ(json["num_skipped"].as<int>(), 1);
  EXPECT_EQ(json["frames"][4]["reason"].as<std::string>(), "e.png: \"broken\"");
}

TEST(RunSummary, TheMedianOfAnEvenNumberIsBetweenTheMiddleTwo) {
  RunSummary summary;
  for (const double ms : {1.0, 100.0, 4.0, 2.0}) summary.Add(Done("x", ms));
  summary.Finish(1, false);
  EXPECT_EQ(YAML::Load(summary.Json())["ms"]["match"]["median"].as<double>(), 3);
}

TEST(RunSummary, TellsANoteOfManyFramesOnce) {
  RunSummary summary;
  for (int i = 0; i < 4; ++i) {
    FrameReport report = Done("f" + std::to_string(i), 1);
    report.notes.push_back(std::to_string(i + 7) + " pixels left out");
    if (i == 2) report.notes.push_back("no depth");
    summary.Add(report);
  }
  summary.Finish(1, false);
  EXPECT_THAT(summary.Text(), AllOf(HasSubstr("f0: 7 pixels left out (and 3 more, see"),
                                    HasSubstr("f2: no depth\n"), Not(HasSubstr("8 pixels"))));
}

TEST(RunSummary, FramesStandInTheOrderOfTheSource) {
  RunSummary summary;
  for (const std::size_t index : {2U, 0U, 1U})
    summary.Add({.name = "f" + std::to_string(index), .index = index});
  summary.Finish(1, false);
  ASSERT_EQ(summary.frames().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(summary.frames()[i].index, i);
}

TEST(RunSummary, NothingDoneIsNoTable) {
  RunSummary summary;
  summary.Finish(0, true);
  EXPECT_THAT(summary.Text(), Not(HasSubstr("median")));
  EXPECT_TRUE(YAML::Load(summary.Json())["interrupted"].as<bool>());
}

}  // namespace
}  // namespace parallax::app
