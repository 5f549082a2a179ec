#include "datasets/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <csignal>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/error.h"
#include "tests/datasets/test_files.h"

namespace {
std::vector<std::string>* g_calls = nullptr;  // of the next two, in their order
}

// In place of the C library's, for this program.
extern "C" int fsync(int descriptor) {
  if (g_calls != nullptr) g_calls->emplace_back("fsync");
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}
extern "C" int rename(const char* from, const char* to) noexcept {
  if (g_calls != nullptr) g_calls->emplace_back("rename");
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

namespace parallax {
namespace {

using test::TemporaryFolder;

std::size_t NumFiles(const TemporaryFolder& dir) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(dir.path()), {}));
}

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const TemporaryFolder dir;
  AtomicFile file(dir / "a.txt");
  file.stream() << "whole";
  EXPECT_FALSE(std::filesystem::exists(dir / "a.txt"));
  file.Commit();
  EXPECT_EQ(test::ReadText(dir / "a.txt"), "whole");
  EXPECT_EQ(NumFiles(dir), 1U);
}

TEST(AtomicFile, WithoutCommitKeepsTheOldFileAndLeavesNothing) {
  const TemporaryFolder dir;
  test::WriteText(dir / "a.txt", "old");
  {
    AtomicFile file(dir / "a.txt");
    file.stream() << "half";
  }
  EXPECT_EQ(test::ReadText(dir / "a.txt"), "old");
  EXPECT_EQ(NumFiles(dir), 1U);
}

// After a power cut a file under its own name is whole.
TEST(AtomicFile, IsOnTheDiskBeforeItTakesItsName) {
  const TemporaryFolder dir;
  std::vector<std::string> calls;
  g_calls = &calls;
  WriteFileAtomically(dir / "a.txt", {});
  g_calls = nullptr;
  EXPECT_EQ(calls, (std::vector<std::string>{"fsync", "rename"}));
  calls.clear();
  g_calls = &calls;
  {
    const WithoutWaitingForDisk checksums_tell;
    WriteFileAtomically(dir / "a.txt", {});
  }
  g_calls = nullptr;
  EXPECT_EQ(calls, std::vector<std::string>{"rename"});
}

TEST(AtomicFile, RemembersWhatItWroteWhereSomebodyKeepsChecksums) {
  const TemporaryFolder dir;
  const std::vector<std::uint8_t> bytes(100'000, 7), other = {1, 2, 3};
  std::filesystem::create_symlink("target", dir / "link");
  {
    const WithoutWaitingForDisk checksums_tell;
    EXPECT_FALSE(ContentWritten(dir / "a"));
    WriteFileAtomically(dir / "a", bytes);
    WriteFileAtomically(dir / "b", {});
    WriteFileAtomically(dir / "link", bytes);
    EXPECT_EQ(ContentWritten(dir / "a"), ContentOf(dir / "a"));
    EXPECT_EQ(ContentWritten(dir / "b"), (FileContent{0, 0}));
    EXPECT_FALSE(ContentWritten(dir / "link")) << "the file has another name";
    WriteFileAtomically(dir / "a", other);
    EXPECT_EQ(ContentWritten(dir / "a"), ContentOf(dir / "a"));
    EXPECT_EQ(ContentWritten(dir / "a")->size_bytes, 3U);
    { const WithoutWaitingForDisk within; }
    EXPECT_TRUE(ContentWritten(dir / "b"));
    std::optional<FileContent> elsewhere = FileContent{};
    std::thread([&] { elsewhere = ContentWritten(dir / "a"); }).join();
    EXPECT_FALSE(elsewhere);
  }
  EXPECT_FALSE(ContentWritten(dir / "a"));
  WriteFileAtomically(dir / "a", bytes);
  EXPECT_FALSE(ContentWritten(dir / "a")) << "nobody asks for it";
}

TEST(AtomicFile, WhatAKilledProgramLeftIsRemoved) {
  const TemporaryFolder dir;
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile file(dir / "a.txt");
    file.stream() << "half" << std::flush;
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(NumFiles(dir), 1U);  // .a.txt.PID-0.part
  test::WriteText(dir / (".a.txt." + std::to_string(getppid()) + "-0.part"), "of one at work");
  test::WriteText(dir / ".a.txt.x.part", "somebody's");
  WriteFileAtomically(dir / "a.txt", {});
  EXPECT_EQ(NumFiles(dir), 3U);
}

TEST(AtomicFile, ALinkToNothingGetsItsFileAndALoopIsNamed) {
  const TemporaryFolder dir;
  std::filesystem::create_symlink("target", dir / "link");
  WriteFileAtomically(dir / "link", {});
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link"));
  EXPECT_TRUE(std::filesystem::is_regular_file(dir / "target"));
  std::filesystem::create_symlink("loop", dir / "loop");
  EXPECT_THAT(test::ErrorOf([&] { WriteFileAtomically(dir / "loop", {}); }),
              testing::HasSubstr("loop: cannot be written (Too many levels of symbolic links)"));
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "loop"));
}

TEST(AtomicFile, CommitReplaces) {
  const TemporaryFolder dir;
  test::WriteText(dir / "a.txt", "something longer");
  const std::uint8_t bytes[] = {'n', 'e', 'w'};
  WriteFileAtomically(dir / "a.txt", bytes);
  EXPECT_EQ(test::ReadText(dir / "a.txt"), "new");
}

TEST(AtomicFile, ALinkStaysAndItsFileIsReplaced) {
  const TemporaryFolder dir;
  std::filesystem::create_directory(dir / "far");
  test::WriteText(dir / "far/a.txt", "old");
  std::filesystem::create_symlink("far/a.txt", dir / "link.txt");
  const std::uint8_t bytes[] = {'n', 'e', 'w'};
  WriteFileAtomically(dir / "link.txt", bytes);
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link.txt"));
  EXPECT_EQ(test::ReadText(dir / "far/a.txt"), "new");
  EXPECT_EQ(NumFiles(dir), 2U);
}

TEST(AtomicFile, ADeviceIsWrittenToAndStays) {
  if (!std::filesystem::is_character_file("/dev/null")) GTEST_SKIP() << "this system has no /dev/null";
  const TemporaryFolder dir;
  std::filesystem::create_symlink("/dev/null", dir / "null");
  {
    AtomicFile file(dir / "null");
    file.stream() << "gone";
  }
  const std::uint8_t bytes[] = {'g', 'o', 'n', 'e'};
  WriteFileAtomically(dir / "null", bytes);
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "null"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(NumFiles(dir), 1U);
}

TEST(AtomicFile, APipeTakesTheBytes) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe(ends), 0);
  const std::uint8_t bytes[] = {'n', 'e', 'w'};
  WriteFileAtomically("/proc/self/fd/" + std::to_string(ends[1]), bytes);
  char read_back[8] = {};
  EXPECT_EQ(read(ends[0], read_back, sizeof(read_back)), 3);
  EXPECT_STREQ(read_back, "new");
  close(ends[0]);
  close(ends[1]);
}

TEST(AtomicFile, AFileThatIsOpenAlreadyIsNotReplacedUnderItsOtherName) {
  const TemporaryFolder dir;
  test::WriteText(dir / "log.txt", "log");
  const int descriptor = open((dir / "log.txt").c_str(), O_WRONLY | O_APPEND);
  ASSERT_GE(descriptor, 0);
  const std::string name = "/proc/self/fd/" + std::to_string(descriptor);
  EXPECT_THAT(test::ErrorOf([&] { AtomicFile file(name); }),
              testing::HasSubstr(name + ": stands for a file"));
  close(descriptor);
  EXPECT_EQ(test::ReadText(dir / "log.txt"), "log");
}

TEST(AtomicFile, MissingFolderIsNamed) {
  const TemporaryFolder dir;
  EXPECT_THAT(test::ErrorOf([&] { AtomicFile file(dir / "nowhere/a.txt"); }),
              testing::HasSubstr("nowhere/a.txt: cannot be written (No such file"));
}

TEST(AtomicFile, FullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const TemporaryFolder dir;
  AtomicFile file(dir / "a.txt");
  static_cast<std::ofstream&>(file.stream()).close();
  static_cast<std::ofstream&>(file.stream()).open("/dev/full");
  file.stream() << "some bytes";
  EXPECT_THAT(test::ErrorOf([&] { file.Commit(); }), testing::HasSubstr("No space left"));
  EXPECT_FALSE(std::filesystem::exists(dir / "a.txt"));
}

// More than a stream keeps: the write fails before Commit, which cannot know why and must not say "Success".
TEST(AtomicFile, AFullDiskFoundWhileWritingIsAnErrorWithoutAReason) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  AtomicFile file("/dev/full");
  file.stream() << std::string(1 << 20, 'x');
  EXPECT_EQ(test::ErrorOf([&] { file.Commit(); }), "/dev/full: writing failed; is the disk full?");
}

}  // namespace
}  // namespace parallax
