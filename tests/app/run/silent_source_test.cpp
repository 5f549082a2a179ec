// A run whose source gives no further frame: Ctrl-C ends it all the same.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/support/avi_video.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Waits until done() or a minute has passed; false then.
template <typename Done>
bool Await(const Done& done) {
  const auto end = Clock::now() + std::chrono::minutes(1);
  while (!done()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// The video is a pipe that is never closed: OpenCV waits in read(2) for its next picture.
TEST(SilentSource, AnInterruptedRunEndsThoughItsSourceDoesNotReturn) {
  const fs::path folder = fs::path(testing::TempDir()) / ("silent_source_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string video = folder / "drive.avi", out = folder / "out";
  ASSERT_EQ(mkfifo(video.c_str(), 0600), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const int quiet = open((folder / "said.txt").c_str(), O_WRONLY | O_CREAT, 0600);
    dup2(quiet, STDOUT_FILENO);
    dup2(quiet, STDERR_FILENO);
    execl(PARALLAX_PROGRAM, PARALLAX_PROGRAM, "run", video.c_str(), "--write", "disparity", "--set",
          "matching_cost.num_disparities=16", "--output", out.c_str(), nullptr);
    _exit(127);
  }
  const int pipe = open(video.c_str(), O_WRONLY);
  const std::string pictures = test::AviVideo(1000, 40);
  ASSERT_EQ(write(pipe, pictures.data(), pictures.size()), static_cast<ssize_t>(pictures.size()));
  int status = 0;
  bool has_ended = false;
  const auto ended = [&] { return has_ended = has_ended || waitpid(child, &status, WNOHANG) == child; };
  EXPECT_TRUE(Await([&] { return fs::exists(fs::path(out) / "disparity" / "drive_000039.png") || ended(); }));
  EXPECT_FALSE(has_ended) << "it should be waiting";
  kill(child, SIGINT);
  EXPECT_TRUE(Await(ended)) << "it waits for the source";
  if (!has_ended) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  EXPECT_TRUE(WIFEXITED(status)) << "it was killed";
  EXPECT_TRUE(fs::exists(fs::path(out) / "summary.json"));
  close(pipe);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace parallax::app
