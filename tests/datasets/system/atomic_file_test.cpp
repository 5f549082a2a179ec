#include "datasets/system/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <csignal>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "parallax/error.h"
#include "tests/datasets/test_files.h"

namespace {
std::vector<std::string>* g_calls = nullptr;  // of the next two, in their order
int g_num_tidied = 0;                         // so many of the next locked files lose their name before
}  // namespace

// In place of the C library's, for this program.
extern "C" int fsync(int descriptor) {
  if (g_calls != nullptr) g_calls->emplace_back("fsync");
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}
extern "C" int LockFile(int descriptor, int operation) noexcept
    __asm__("flock");  // a struct has that name, too
extern "C" int LockFile(int descriptor, int operation) noexcept {
  if (g_num_tidied > 0) {
    --g_num_tidied;
    std::filesystem::remove(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)));
  }
  return static_cast<int>(syscall(SYS_flock, descriptor, operation));
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
  EXPECT_EQ(NumFiles(dir), 1U);  // .parallax-<digits>.part
  AtomicFile at_work(dir / "b.txt");
  EXPECT_EQ(NumFiles(dir), 1U) << "one that begins to write tidies up";
  test::WriteText(dir / ".mine.part", "somebody's");
  WriteFileAtomically(dir / "a.txt", {});
  EXPECT_EQ(NumFiles(dir), 3U);
  at_work.Commit();
  RemoveAbandoned(dir.path());
  EXPECT_EQ(NumFiles(dir), 3U);
}

TEST(AtomicFile, OneThatIsTidiedUpBeforeItsLockIsMadeAgain) {
  const TemporaryFolder dir;
  g_num_tidied = 3;
  AtomicFile file(dir / "a.txt");
  g_num_tidied = 0;
  file.stream() << "whole";
  file.Commit();
  EXPECT_EQ(test::ReadText(dir / "a.txt"), "whole");
  EXPECT_EQ(NumFiles(dir), 1U);
}

TEST(AtomicFile, ALinkWithATemporaryNameIsNotFollowed) {
  const TemporaryFolder dir;
  test::WriteText(dir / "elsewhere", "kept");
  std::filesystem::create_symlink("elsewhere", dir / ".parallax-0123456789abcdef.part");
  WriteFileAtomically(dir / "a.txt", {});
  RemoveAbandoned(dir.path(), true);
  EXPECT_EQ(test::ReadText(dir / "elsewhere"), "kept");
  EXPECT_TRUE(std::filesystem::is_symlink(dir / ".parallax-0123456789abcdef.part"))
      << "opened through the link";
  // No two names are alike, so that nobody can plant the next one.
  const TemporaryFile one = MakeTemporaryFile(dir / "a.txt"), two = MakeTemporaryFile(dir / "a.txt");
  const FileDescriptor first(one.descriptor), second(two.descriptor);
  EXPECT_GE(one.descriptor, 0);
  EXPECT_GE(two.descriptor, 0);
  EXPECT_NE(one.path, two.path);
  EXPECT_EQ(one.path.filename().string().size(), two.path.filename().string().size());
}

TEST(AtomicFile, ANameMayBeAsLongAsTheSystemTakes) {
  const TemporaryFolder dir;
  const std::string longest(255, 'n');
  WriteFileAtomically(dir / longest, {});
  EXPECT_TRUE(std::filesystem::exists(dir / longest));
  EXPECT_THAT(test::ErrorOf([&] { WriteFileAtomically(dir / (longest + 'n'), {}); }),
              testing::HasSubstr("File name too long): choose a shorter name"));
  EXPECT_EQ(NumFiles(dir), 1U);
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
              testing::HasSubstr(name + ": is an already open file"));
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
  for (const std::size_t size : {10U, 1U << 20}) {  // within what a stream keeps, and more
    AtomicFile file("/dev/full");
    file.stream() << std::string(size, 'x');
    EXPECT_EQ(test::ErrorOf([&] { file.Commit(); }),
              "/dev/full: writing failed (No space left on device); is the disk full?");
  }
}

TEST(AtomicFile, AFileLargerThanAllowedIsAnErrorAndLeavesNothing) {
  const TemporaryFolder dir;
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string error = test::ErrorOf([&] {
      AtomicFile file(dir / "a.txt");
      file.stream() << std::string(1 << 20, 'x') << "more";
      file.Commit();
    });
    _exit(error.find("a.txt: writing failed (File too large)") != std::string::npos ? 7 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(NumFiles(dir), 0U);
}

TEST(AtomicFile, TheStreamGivesItsBytesInTheirOrder) {
  const TemporaryFolder dir;
  std::string expected;
  AtomicFile file(dir / "a.txt");
  for (std::size_t size = 0; size < 40'000; size = size * 3 / 2 + 1) {
    const std::string bytes(size, static_cast<char>('a' + size % 26));
    file.stream() << bytes << 'z' << size;
    expected += bytes + 'z' + std::to_string(size);
  }
  file.Commit();
  EXPECT_EQ(test::ReadText(dir / "a.txt"), expected);
}

}  // namespace
}  // namespace parallax
