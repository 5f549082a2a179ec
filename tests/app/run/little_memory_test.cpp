// parallax run where memory is short: one line with what is needed, what there is, and whose limit it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "tests/support/built_paths.h"
#include "tests/support/run_program.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which take all addresses there are
namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using ::testing::MatchesRegex;

// A group of processes with a limit of memory, as containers are, where this machine lets us make one.
class MemoryGroup {
 public:
  MemoryGroup() {
    for (const char* root : {"/sys/fs/cgroup/memory", "/sys/fs/cgroup"}) {  // version 1, version 2
      const fs::path folder = fs::path(root) / ("parallax_test_" + std::to_string(getpid()));
      std::error_code error;
      if (!fs::create_directory(folder, error) || error) continue;
      for (const char* file : {"memory.limit_in_bytes", "memory.max"}) {
        if (fs::exists(folder / file, error)) limit_ = folder / file;
      }
      folder_ = folder;
      if (!limit_.empty()) return;
      fs::remove(folder, error);
    }
  }
  ~MemoryGroup() {
    std::error_code error;
    if (!folder_.empty()) fs::remove(folder_, error);
  }
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;

  bool SetLimit(const std::string& bytes) const {
    return !limit_.empty() && static_cast<bool>(std::ofstream(limit_) << bytes << std::flush);
  }
  std::string processes() const { return (folder_ / "cgroup.procs").string(); }

 private:
  fs::path folder_, limit_;
};

// A gray image of zeros, which takes no room on the disk.
fs::path WriteImage(const fs::path& folder, int width, int height) {
  const fs::path file = folder / "large.pgm";
  std::ofstream(file) << "P5 " << width << ' ' << height << " 255\n" << std::flush;
  fs::resize_file(file, fs::file_size(file) + static_cast<std::uintmax_t>(width) * height);
  return file;
}

class RunInLittleMemory : public ::testing::Test {
 protected:
  // parallax run of that image as left and right, 1024 disparities, by a shell that first does `limiting`; $0
  // is `word` there.
  ProgramResult RunWithin(const std::string& limiting, const std::string& word, const fs::path& image) const {
    return RunProgram("/bin/sh", {"-c", limiting + R"( && exec "$@")", word, kProgram, "run", image.string(),
                                  image.string(), "--threads", "2", "--set",
                                  "matching_cost.num_disparities=1024", "--write", "disparity", "--backend",
                                  "cpu", "--output", (folder() / "out").string(), "--overwrite"});
  }
  const fs::path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

constexpr const char* kTooLarge =
    "parallax: frame large: frames of 3000x2000 with 1024 disparities need [0-9]+ MB of working memory, more "
    "than the usable [0-9]+ MB of the [0-9]+ MB left by the limit of ";

// Not killed, not refused somewhere in the middle.
TEST_F(RunInLittleMemory, WithFewAddressesTheFigureThatIsNeededIsTold) {
  const ProgramResult result = RunWithin("ulimit -v 1200000", "", WriteImage(folder(), 3000, 2000));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, MatchesRegex(kTooLarge + std::string("addresses .ulimit -v.: match smaller "
                                                               "images or fewer disparities\n")));
}

// Before a library that prints, or takes a sound file for a damaged one, is refused memory.
TEST_F(RunInLittleMemory, WithFewAddressesALargeImageIsRefusedInOneLine) {
  const fs::path image = WriteImage(folder(), 6000, 3000);
  for (int megabytes = 60; megabytes <= 780; megabytes += 90) {
    const ProgramResult result = RunWithin("ulimit -v " + std::to_string(megabytes * 1000), "", image);
    if (result.exit_code == 127) continue;  // not even its libraries find room
    EXPECT_EQ(result.exit_code, 1) << megabytes;
    EXPECT_THAT(result.err, MatchesRegex("parallax: [^\n]*limit[^\n]*\n")) << megabytes;
  }
}

// Killed by the system it would say nothing.
TEST_F(RunInLittleMemory, InAGroupTheFigureThatIsNeededIsTold) {
  const MemoryGroup group;
  const std::string enter = R"(echo $$ > "$0")";
  if (!group.SetLimit("200000000") || RunProgram("/bin/sh", {"-c", enter, group.processes()}).exit_code != 0)
    GTEST_SKIP() << "no group of processes with a limit of memory can be made here";
  const ProgramResult matching = RunWithin(enter, group.processes(), WriteImage(folder(), 3000, 2000));
  EXPECT_EQ(matching.exit_code, 1);
  EXPECT_THAT(matching.err, MatchesRegex(kTooLarge + std::string("this container or group: .*\n")));
  const ProgramResult reading = RunWithin(enter, group.processes(), WriteImage(folder(), 10000, 6000));
  EXPECT_EQ(reading.exit_code, 1);
  EXPECT_THAT(
      reading.err,
      MatchesRegex("parallax: frame large: .*large.pgm: decoding its pixels needs 180 MB at least, more "
                   "than the [0-9]+ MB left by the limit of this container or group: .*\n"));
}

}  // namespace
}  // namespace parallax::test
#endif
