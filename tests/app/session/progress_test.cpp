// The words of the progress bar.
#include "app/session/progress.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/support/run_program.h"

namespace parallax::app {
namespace {

std::string ProgressText(std::size_t num_through, std::size_t num_worked, std::optional<std::size_t> total,
                         double elapsed_s) {
  std::string text;
  AddProgress(num_through, num_worked, total, elapsed_s, text);
  return text;
}

TEST(Progress, RateAndTimeLeft) {
  EXPECT_EQ(ProgressText(12, 12, 200, 6.0), "12 of 200 frames, 2.00 frames/s, 94 s left");
  EXPECT_EQ(ProgressText(200, 200, 200, 10.0), "200 of 200 frames, 20 frames/s");
  EXPECT_EQ(ProgressText(12, 12, std::nullopt, 1.0), "12 frames, 12 frames/s");
  EXPECT_EQ(ProgressText(10, 10, 3610, 10.0), "10 of 3610 frames, 1.00 frames/s, 60 min left");
  EXPECT_EQ(ProgressText(10, 10, 36010, 10.0), "10 of 36010 frames, 1.00 frames/s, 10.0 h left");
}

TEST(Progress, SkippedFramesSayNothingOfTheRate) {
  EXPECT_EQ(ProgressText(100, 0, 200, 1.0), "100 of 200 frames");
  EXPECT_EQ(ProgressText(110, 10, 200, 10.0), "110 of 200 frames, 1.00 frames/s, 90 s left");
}

TEST(Progress, AFileGetsNoBarAndFewLines) {
  const test::TemporaryFolder folder;
  std::FILE* file = std::fopen((folder.path() / "log").c_str(), "w");
  {
    Progress progress(1000, file);
    for (int i = 0; i < 1000; ++i) progress.Advance(true);
    progress.Print("a line");
  }
  std::fclose(file);
  EXPECT_EQ(test::ReadText(folder.path() / "log"), "a line\n");
}

}  // namespace
}  // namespace parallax::app
