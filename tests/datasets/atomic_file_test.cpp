#include "datasets/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/datasets/test_files.h"

namespace parallax {
namespace {

using test::TempDir;

std::size_t NumFiles(const TempDir& dir) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(dir.path()), {}));
}

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const TempDir dir;
  AtomicFile file(dir / "a.txt");
  file.stream() << "whole";
  EXPECT_FALSE(std::filesystem::exists(dir / "a.txt"));
  file.Commit();
  EXPECT_EQ(test::ReadText(dir / "a.txt"), "whole");
  EXPECT_EQ(NumFiles(dir), 1U);
}

TEST(AtomicFile, WithoutCommitKeepsTheOldFileAndLeavesNothing) {
  const TempDir dir;
  test::WriteText(dir / "a.txt", "old");
  {
    AtomicFile file(dir / "a.txt");
    file.stream() << "half";
  }
  EXPECT_EQ(test::ReadText(dir / "a.txt"), "old");
  EXPECT_EQ(NumFiles(dir), 1U);
}

TEST(AtomicFile, CommitReplaces) {
  const TempDir dir;
  test::WriteText(dir / "a.txt", "something longer");
  const std::uint8_t bytes[] = {'n', 'e', 'w'};
  WriteFileAtomically(dir / "a.txt", bytes);
  EXPECT_EQ(test::ReadText(dir / "a.txt"), "new");
}

TEST(AtomicFile, ALinkStaysAndItsFileIsReplaced) {
  const TempDir dir;
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
  const TempDir dir;
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
  const TempDir dir;
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
  const TempDir dir;
  EXPECT_THAT(test::ErrorOf([&] { AtomicFile file(dir / "nowhere/a.txt"); }),
              testing::HasSubstr("nowhere/a.txt: cannot be written (No such file"));
}

TEST(AtomicFile, FullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const TempDir dir;
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
