// What a run says of itself.
#include "app/frames/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <sstream>

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

YAML::Node JsonOf(const RunSummary& summary) {
  std::ostringstream json;
  summary.WriteJson(json);
  return YAML::Load(json.str());
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
  const YAML::Node json = JsonOf(summary);
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
  EXPECT_EQ(JsonOf(summary)["ms"]["match"]["median"].as<double>(), 3);
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
  const YAML::Node frames = JsonOf(summary)["frames"];
  ASSERT_EQ(frames.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(frames[i]["name"].as<std::string>(), "f" + std::to_string(i));
}

// Most of them lie in a file meanwhile: everything of a frame is there in the end, in the order of the
// source.
TEST(RunSummary, OfManyFramesIsThatOfAFew) {
  constexpr std::size_t kCount = 8'000;
  RunSummary summary({}, testing::TempDir());
  for (std::size_t i = 0; i < kCount; ++i) {
    FrameReport report = Done("f" + std::to_string(i ^ 5), static_cast<double>((i ^ 5) % 100));
    report.index = i ^ 5;  // frames end out of turn
    if (report.index == 7'654) report.notes.push_back("no depth");
    if (report.index == 4'321) report.missing.push_back("depth");
    summary.Add(report);
    summary.AddLatency(static_cast<double>(i));
  }
  summary.Add({.name = "broken", .index = 2'000'000, .outcome = FrameOutcome::kFailed, .error = "cut"});
  summary.Finish(2, false);
  EXPECT_EQ(summary.num_frames(), kCount + 1);
  EXPECT_EQ(summary.Count(FrameOutcome::kDone), kCount);
  EXPECT_EQ(summary.num_incomplete(), 1U);
  ASSERT_TRUE(summary.FirstIncomplete());
  EXPECT_EQ(summary.FirstIncomplete()->name, "f4321");
  ASSERT_TRUE(summary.FirstFailed());
  EXPECT_EQ(summary.FirstFailed()->error, "cut");
  EXPECT_THAT(summary.Text(), AllOf(HasSubstr("8001 frames: 8000 done"), HasSubstr("f7654: no depth\n"),
                                    HasSubstr("ms, longest 7999.0 ms")));
  EXPECT_NEAR(summary.latency().Quantile_ms(0.5), 3999.5, 0.022 * 3999.5);
  EXPECT_NEAR(summary.latency().Quantile_ms(0.99), 7919, 0.022 * 7919);
  std::ostringstream json;
  summary.WriteJson(json);
  std::size_t at = 0;
  const std::string text = json.str();
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::size_t next = text.find("\"name\": \"f" + std::to_string(i) + "\"", at);
    ASSERT_NE(next, std::string::npos) << i;
    at = next;
  }
  EXPECT_THAT(text, HasSubstr("\"median\": 49.5"));
}

TEST(RunSummary, CountsLatenciesByBins) {
  RunSummary summary = Example();
  summary.SetLive({});
  for (const double ms : {0.0, 10.0, 10.1, 10.2, 80.0, 1e9}) summary.AddLatency(ms);
  const YAML::Node latency = JsonOf(summary)["live"]["latency_ms"];
  EXPECT_NEAR(latency["median"].as<double>(), 10.1, 0.022 * 10.1);
  EXPECT_EQ(latency["percent_99"].as<double>(), latency["longest"].as<double>());
  EXPECT_EQ(latency["longest"].as<double>(), 1e9);
  double before = 0;
  std::vector<int> counts;
  for (const YAML::Node& bin : latency["histogram"]) {
    EXPECT_GT(bin["up_to"].as<double>(), before);
    before = bin["up_to"].as<double>();
    counts.push_back(bin["count"].as<int>());
    if (counts.size() == 2) {
      EXPECT_NEAR(before, 10.2, 0.19 * 10.2);
    }
  }
  EXPECT_EQ(counts, (std::vector<int>{1, 3, 1, 1}));
}

TEST(RunSummary, TellsTheNearestDistanceAndLatencyFromTimeAFrame) {
  RunSummary summary = Example();
  EXPECT_THAT(summary.Text(), AllOf(HasSubstr("match (latency)        23.33     20.00\n"),
                                    HasSubstr("one frame every       666.67\n"), Not(HasSubstr("nearest"))));
  Parameters parameters;
  parameters.matching_cost.num_disparities = 101;
  summary.SetRange({.fx_px = 500, .baseline_m = 0.1}, parameters);
  parameters.matching_cost.num_disparities = 51;  // the frame that reaches least
  summary.SetRange({.fx_px = 500, .baseline_m = 0.1}, parameters);
  EXPECT_THAT(summary.Text(), HasSubstr("nearest distance 1 m, with 51 disparities: --nearest METRES"));
  summary.SetWarning("a: left and right look exchanged");
  EXPECT_EQ(JsonOf(summary)["warning"].as<std::string>(), "a: left and right look exchanged");
}

TEST(RunSummary, NothingDoneIsNoTable) {
  RunSummary summary;
  summary.Finish(0, true);
  EXPECT_THAT(summary.Text(), Not(HasSubstr("median")));
  EXPECT_TRUE(JsonOf(summary)["interrupted"].as<bool>());
}

}  // namespace
}  // namespace parallax::app
