// The second method as a user asks for it: the same commands, outputs and back ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/built_paths.h"
#include "tests/support/run_program.h"

namespace parallax {
namespace {

using test::ReadText;
using test::RunParallax;
using testing::HasSubstr;

const std::string kStreet = "synthetic:drive,frames=2,width=160,height=80";

TEST(AdCensusProgram, RunsAndWritesTheSameFilesOnBothBackEnds) {
  const test::TemporaryFolder folder;
  for (const std::string backend : {"cpu", "reference"}) {
    const test::ProgramResult result =
        RunParallax({"run", kStreet, "--set", "method=ad_census", "--set", "matching_cost.num_disparities=32",
                     "--backend", backend, "--write", "disparity,pfm", "--output", folder.path() / backend});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(ReadText(folder.path() / backend / "parameters.yaml"), HasSubstr("method: ad_census"));
  }
  int num_files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder.path() / "cpu" / "pfm")) {
    const auto other = folder.path() / "reference" / "pfm" / file.path().filename();
    EXPECT_TRUE(ReadText(file.path()) == ReadText(other)) << file.path();
    ++num_files;
  }
  EXPECT_EQ(num_files, 2);
}

TEST(AdCensusProgram, MatchesAgainFromItsOwnParameters) {
  const test::TemporaryFolder folder;
  const std::string first = folder.path() / "first", second = folder.path() / "second";
  ASSERT_EQ(RunParallax({"run", kStreet, "--config", test::SourcePath("docs/presets/kitti-ad-census.yaml"),
                         "--set", "matching_cost.num_disparities=32", "--max-frames", "1", "--write", "pfm",
                         "--output", first})
                .exit_code,
            0);
  ASSERT_EQ(RunParallax({"run", kStreet, "--config", first + "/parameters.yaml", "--max-frames", "1",
                         "--write", "pfm", "--output", second})
                .exit_code,
            0);
  for (const auto& file : std::filesystem::directory_iterator(first + "/pfm"))
    EXPECT_TRUE(ReadText(file.path()) ==
                ReadText(std::filesystem::path(second) / "pfm" / file.path().filename()));
}

TEST(AdCensusProgram, IsScoredAndMeasured) {
  const test::ProgramResult eval = RunParallax(
      {"eval", kStreet, "--set", "method=ad_census", "--set", "matching_cost.num_disparities=32"});
  EXPECT_EQ(eval.exit_code, 0) << eval.err;
  EXPECT_THAT(eval.out, HasSubstr("method=ad_census"));
  const test::ProgramResult bench =
      RunParallax({"bench", "--sizes", "64x32", "--disparities", "16", "--backends", "cpu,reference",
                   "--repeat", "1", "--set", "method=ad_census"});
  EXPECT_EQ(bench.exit_code, 0) << bench.err;
  EXPECT_THAT(bench.out, HasSubstr("reference"));
  EXPECT_THAT(bench.out, HasSubstr("64x32    16     -  frame"));  // "-" paths, which are SGM's
  const test::ProgramResult paths =
      RunParallax({"bench", "--sizes", "64x32", "--paths", "4", "--config", "ad_census"});
  EXPECT_NE(paths.exit_code, 0);
  EXPECT_THAT(paths.err, HasSubstr("--paths"));
}

TEST(AdCensusProgram, HasAPreset) {
  const test::ProgramResult info = RunParallax({"info", "--preset", "ad_census"});
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("method: ad_census"));
  const test::ProgramResult wrong =
      RunParallax({"run", kStreet, "--set", "method=ad_sensus", "--output", "none"});
  EXPECT_NE(wrong.exit_code, 0);
  EXPECT_THAT(wrong.err, HasSubstr("sgm, ad_census"));
}

}  // namespace
}  // namespace parallax
