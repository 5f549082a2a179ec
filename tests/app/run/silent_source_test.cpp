// A run whose source gives no further frame: Ctrl-C ends it all the same.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/support/avi_video.h"
#include "tests/support/built_paths.h"
#include "tests/support/run_program.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;
// The video is a pipe that is never closed: OpenCV waits in read(2) for its next picture.
TEST(SilentSource, AnInterruptedRunEndsThoughItsSourceDoesNotReturn) {
  const test::TemporaryFolder folder;
  const fs::path video = folder.path() / "drive.avi", out = folder.path() / "out";
  ASSERT_EQ(mkfifo(video.c_str(), 0600), 0);
  const pid_t child = test::StartProgram(test::kProgram,
                                         {"run", video.string(), "--write", "disparity", "--set",
                                          "matching_cost.num_disparities=16", "--output", out.string()},
                                         folder.path() / "stdout", folder.path() / "stderr");
  const int pipe = open(video.c_str(), O_WRONLY);
  const std::string pictures = test::AviVideo(1000, 40);
  ASSERT_EQ(write(pipe, pictures.data(), pictures.size()), static_cast<ssize_t>(pictures.size()));
  EXPECT_TRUE(test::AwaitWhileRunning(child, [&] {
    return fs::exists(out / "disparity" / "drive_000039.png");
  })) << "it should be waiting";
  kill(child, SIGINT);
  EXPECT_LT(test::WaitForProgram(child), 128) << "it was killed";
  EXPECT_TRUE(fs::exists(out / "summary.json"));
  close(pipe);
}

}  // namespace
}  // namespace parallax::app
