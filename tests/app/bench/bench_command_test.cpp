// `parallax bench` as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/bench/bench_report.h"
#include "tests/support/run_program.h"

namespace parallax {
namespace {

using testing::HasSubstr;

TEST(Quantile, IsTheNearestSample) {
  EXPECT_EQ(app::Quantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(app::Quantile({5, 1, 4, 2, 3}, 0.1), 1);
  EXPECT_EQ(app::Quantile({5, 1, 4, 2, 3}, 0.9), 5);
  EXPECT_EQ(app::Quantile({}, 0.5), 0);
}

TEST(BenchTable, SaysHowManyTimesAsFastAsOpencvAtTheSameSizeOnly) {
  app::BenchRow ours{"cpu", 100, 50, 32, 8, "frame", {2, 2, 2}, 1, {}, {}};
  app::BenchRow opencv{"opencv:hh", 100, 50, 32, 8, "frame", {18, 20, 22}, 0, {}, {}};
  app::BenchRow other{"opencv:sgbm", 200, 50, 32, 8, "frame", {30}, 0, {}, {}};
  const std::string table = app::BenchTable({ours, opencv, other});
  EXPECT_THAT(table, HasSubstr("hh 10.00x"));
  EXPECT_EQ(table.find("sgbm 15"), std::string::npos) << table;
}

TEST(BenchCommand, WritesARowForEveryBackEndAndPathCount) {
  const test::TemporaryFolder folder;
  const std::string json = (folder.path() / "bench.json").string();
  const test::ProgramResult result =
      test::RunParallax({"bench", "--sizes", "64x32", "--disparities", "16", "--paths", "4,8", "--backends",
                         "cpu,reference", "--repeat", "2", "--json", json});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("synthetic:drive"));
  const std::string text = test::ReadText(json);
  for (const char* part :
       {"\"rows\"", "\"backend\": \"cpu\"", "\"backend\": \"reference\"", "\"paths\": 4", "\"paths\": 8",
        "\"stage\": \"frame\"", "\"median_ms\"", "\"p10_ms\"", "\"p90_ms\"", "\"memory_mb\"", "\"machine\"",
        "\"disparities\": 16", "\"width\": 64"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

// OpenCV ends the process on images no wider than the disparities.
TEST(BenchCommand, MeasuresNarrowImagesWithoutOpencv) {
  for (const std::string size : {"1x1", "16x9"}) {
    const test::ProgramResult narrow = test::RunParallax(
        {"bench", "--sizes", size, "--disparities", "16", "--backends", "cpu", "--repeat", "1", "--opencv"});
    EXPECT_EQ(narrow.exit_code, 0) << narrow.err;
    EXPECT_THAT(narrow.out, testing::AllOf(HasSubstr(size + " with 16 disparities: without OpenCV"),
                                           testing::Not(HasSubstr("opencv:hh"))));
  }
  const test::ProgramResult wide =
      test::RunParallax({"bench", "--sizes", "17x1", "--disparities", "16", "--repeat", "1"});
  EXPECT_EQ(wide.exit_code, 0) << wide.err;
}

TEST(BenchCommand, RefusesWhatIsNoSizeAndALimitThatCannotBeKept) {
  const test::ProgramResult size = test::RunParallax({"bench", "--sizes", "640by480"});
  EXPECT_EQ(size.exit_code, 2);
  EXPECT_THAT(size.err, HasSubstr("640by480"));
  const test::ProgramResult limit =
      test::RunParallax({"bench", "--sizes", "640x480", "--backends", "cpu", "--memory-limit", "1"});
  EXPECT_EQ(limit.exit_code, 2);
  EXPECT_THAT(limit.err, HasSubstr("limit of 1 MB"));
  for (const std::vector<std::string>& command : {std::vector<std::string>{"bench"}, {"bench", "cloud"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--json", "no/such/folder/rows.json"});
    const test::ProgramResult json = test::RunParallax(arguments);  // before anything is measured
    EXPECT_EQ(json.exit_code, 1);
    EXPECT_EQ(json.out, "");
    EXPECT_THAT(json.err, HasSubstr("the folder no/such/folder does not exist"));
  }
}

}  // namespace
}  // namespace parallax
