#include "datasets/atomic_file.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace parallax
