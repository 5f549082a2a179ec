// What a run says of itself while it goes on.
#include "app/run/run_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace parallax::app {
namespace {

using ::testing::HasSubstr;

std::string ValueOf(const RosStatus& status, std::string_view key) {
  const auto found =
      std::ranges::find_if(status.values, [&](const auto& value) { return value.first == key; });
  return found == status.values.end() ? "none" : found->second;
}

TEST(RunStatus, HoldsTheFiguresOfTheRun) {
  RunSummary summary;
  summary.Add({.name = "a"});
  summary.Add({.name = "b"});
  summary.Add({.name = "c", .outcome = FrameOutcome::kFailed});
  RunStatus status;
  const LiveCounts live{.num_replaced = 3, .num_late = 2, .num_damaged = 4};
  const RosStatus first = status.Now(summary, live, {}, "");
  EXPECT_EQ(first.level, RosLevel::kOk);
  EXPECT_THAT(first.message, HasSubstr("frames a second"));
  EXPECT_EQ(ValueOf(first, "frames matched"), "2");
  EXPECT_EQ(ValueOf(first, "frames failed"), "1");
  EXPECT_EQ(ValueOf(first, "frames lost on the way"), "4");
  EXPECT_EQ(ValueOf(first, "frames dropped for newer ones"), "5");
  EXPECT_GT(std::stod(ValueOf(first, "frames a second")), 0);
  EXPECT_EQ(ValueOf(first, "latency, median, ms"), "none");
  EXPECT_EQ(ValueOf(first, "rows differ by, px"), "none");
  // Frames a second are those since then.
  EXPECT_EQ(ValueOf(status.Now(summary, live, {}, ""), "frames a second"), "0");
}

TEST(RunStatus, AFaultOfTheRigIsAWarning) {
  RunSummary summary;
  for (int i = 0; i < 100; ++i) summary.AddLatency(50);
  RigDrift rig;
  rig.num_frames = 1;
  rig.turn = {0, 0, 0.01};
  const RosStatus status = RunStatus().Now(summary, {}, rig, "the right camera has turned");
  EXPECT_EQ(status.level, RosLevel::kWarning);
  EXPECT_EQ(status.message, "the right camera has turned");
  EXPECT_EQ(ValueOf(status, "rig turned about z, degrees"), "0.573");
  EXPECT_NEAR(std::stod(ValueOf(status, "latency, 99 %, ms")), 50, 1.2);
}

}  // namespace
}  // namespace parallax::app
