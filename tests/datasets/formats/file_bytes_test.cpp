#include "datasets/formats/file_bytes.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "datasets/system/file_descriptor.h"
#include "tests/datasets/test_files.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;
using test::ErrorOf;
using test::TemporaryFolder;
using test::WriteText;
using testing::EndsWith;
using testing::HasSubstr;

TEST(FileBytes, AreThoseOfTheFile) {
  const TemporaryFolder folder;
  std::string text(300'000, 'x');
  text[123'456] = '\0';
  WriteText(folder.path() / "a", text);
  EXPECT_EQ(ReadFileText(folder.path() / "a"), text);
  const FileBytes bytes = ReadFileBytes(folder.path() / "a");
  ASSERT_EQ(bytes.size(), text.size());
  EXPECT_EQ(bytes[123'456], 0);
  EXPECT_EQ(bytes.back(), 'x');
  fs::create_symlink("a", folder.path() / "link");
  EXPECT_EQ(ReadFileText(folder.path() / "link"), text);
}

TEST(FileBytes, OfNothing) {
  const TemporaryFolder folder;
  WriteText(folder.path() / "empty", "");
  EXPECT_EQ(ReadFileText(folder.path() / "empty"), "");
  EXPECT_EQ(ReadFileText("/dev/null"), "");
  EXPECT_THAT(ErrorOf([&] { ReadFileBytes(folder.path() / "empty"); }),
              EndsWith("the file is empty (0 bytes)"));
}

TEST(FileBytes, WhatCannotBeReadIsNamed) {
  const TemporaryFolder folder;
  const auto error_of = [&](const fs::path& name) {
    return ErrorOf([&] { ReadFileText(folder.path() / name); });
  };
  EXPECT_THAT(error_of("missing"), EndsWith("missing: no such file"));
  WriteText(folder.path() / "file", "x");
  EXPECT_THAT(error_of("file/below"), EndsWith("below: no such file"));
  EXPECT_THAT(error_of(std::string(300, 'n')), EndsWith("n: no such file"));
  EXPECT_THAT(error_of(""), EndsWith("is a folder, expected a file"));
  fs::create_symlink("loop", folder.path() / "loop");
  EXPECT_THAT(error_of("loop"), HasSubstr("loop: Too many levels of symbolic links"));
  ASSERT_EQ(mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  const FileDescriptor held(
      open((folder.path() / "pipe").c_str(), O_RDWR));  // so that nobody waits for the other
  EXPECT_THAT(error_of("pipe"), EndsWith("is it a regular file?"));
  if (geteuid() == 0) return;  // who may read everything
  fs::permissions(folder.path() / "file", fs::perms::none);
  EXPECT_THAT(error_of("file"), EndsWith("file: cannot be opened (Permission denied)"));
}

}  // namespace
}  // namespace parallax
