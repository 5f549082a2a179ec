// Whether sigma holds on the data sets at hand: frames whose fellows each table was fitted to (docs/benchmarks.md has
// the figures of frames that were left out).
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>

#include "tests/datasets/test_files.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

TEST(RealUncertainty, TwoThirdsOfTheErrorsLieWithinSigma) {
  PARALLAX_NEEDS_REAL_DATA();
  constexpr double kPromised_percent = 68, kOff_percent = 5;
  const struct {
    const char *preset, *data_set;
  } kPairs[] = {{"kitti", "kitti2012"},   {"middlebury", "middlebury/MiddEval3"},
                {"default", "kitti2012"}, {"default", "eth3d"},
                {"default", "kitti2015"}, {"default", "middlebury/MiddEval3"},
                {"realtime", "eth3d"}};
  const TemporaryFolder folder;
  const std::string json = (folder.path() / "eval.json").string();
  for (const auto& [preset, data_set] : kPairs) {
    SCOPED_TRACE(std::string(preset) + " on " + data_set);
    const ProgramResult result = RunParallax(
        {"eval", (RealData() / data_set).string(), "--config", preset, "--uncertainty", "--json", json});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const double within_percent = YAML::LoadFile(json)["total"]["within_sigma"].as<double>();
    EXPECT_NEAR(within_percent, kPromised_percent, kOff_percent);
  }
}

}  // namespace
}  // namespace parallax::test
