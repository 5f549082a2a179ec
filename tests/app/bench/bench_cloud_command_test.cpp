// parallax bench cloud, driven as a user does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

using ::testing::HasSubstr;

TEST(BenchCloudCommand, ARowForEveryJobAndSize) {
  const TemporaryFolder folder;
  const std::string json = (folder.path() / "bench.json").string();
  const ProgramResult result =
      RunParallax({"bench", "cloud", "--jobs", "knn,density,compare,emd", "--points", "200,300",
                   "--emd-points", "64", "--repeat", "2", "--backends", "cpu", "--json", json});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const YAML::Node bench = YAML::Load(ReadText(json));  // JSON is YAML
  std::multiset<std::string> jobs;
  for (const YAML::Node& row : bench["rows"]) {
    jobs.insert(row["job"].as<std::string>());
    EXPECT_EQ(row["backend"].as<std::string>(), "cpu");
    EXPECT_EQ(row["runs"].as<int>(), 2);
    EXPECT_GT(row["median_ms"].as<double>(), 0);
    EXPECT_GT(row["per_second"].as<double>(), 0);
    EXPECT_THAT(result.out, HasSubstr(row["job"].as<std::string>()));
  }
  // Two sizes, uniform and as a depth map.
  EXPECT_EQ(jobs.count("mean distance to 3 neighbours"), 4U);
  EXPECT_EQ(jobs.count("8 nearest neighbours"), 4U);
  EXPECT_EQ(jobs.count("density, 8 neighbours"), 4U);
  EXPECT_EQ(jobs.count("Chamfer, F-score, both ways"), 2U);
  EXPECT_EQ(jobs.count("EMD, gap 0.5 %"), 1U);
  EXPECT_FALSE(bench["machine"]["processor"].as<std::string>().empty());
}

TEST(BenchCloudCommand, WrongUsageIsOneLine) {
  EXPECT_THAT(RunParallax({"bench", "--help"}).out, HasSubstr("cloud"));
  for (const auto& [option, value] : {std::pair{"--jobs", "knns"},
                                      {"--points", "0"},
                                      {"--repeat", "0"},
                                      {"--backends", "reference"},
                                      {"--seconds", "-1"}}) {
    const ProgramResult result = RunParallax({"bench", "cloud", option, value});
    EXPECT_EQ(result.exit_code, 2) << option;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace
}  // namespace parallax::test
