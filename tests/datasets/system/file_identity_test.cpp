#include "datasets/system/file_identity.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "datasets/source.h"
#include "tests/support/kitti_folder.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;

TEST(FileIdentity, ContentIsSizeAndChecksum) {
  const TemporaryFolder folder;
  WriteText(folder.path() / "a", "123456789");
  const FileContent known{9, 0xCBF43926};  // the check value of CRC-32
  EXPECT_EQ(ContentOf(folder.path() / "a"), known);
  WriteText(folder.path() / "b", "");
  EXPECT_EQ(ContentOf(folder.path() / "b"), (FileContent{0, 0}));
  WriteText(folder.path() / "long", std::string(1'000'000, 'x'));
  const std::string text(1'000'000, 'x');
  EXPECT_EQ(ContentOf(folder.path() / "long")->crc32,
            Crc32({reinterpret_cast<const std::uint8_t*>(text.data()) + 10, text.size() - 10},
                  Crc32({reinterpret_cast<const std::uint8_t*>(text.data()), 10})));
}

TEST(FileIdentity, WhatIsNoFileHasNoContent) {
  const TemporaryFolder folder;
  EXPECT_FALSE(ContentOf(folder.path()));
  EXPECT_FALSE(ContentOf(folder.path() / "missing"));
  EXPECT_FALSE(ContentOf("/dev/null"));
  WriteText(folder.path() / "a", "x");
  fs::create_symlink("a", folder.path() / "link");
  EXPECT_FALSE(ContentOf(folder.path() / "link"));
  ASSERT_EQ(mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(ContentOf(folder.path() / "pipe"));
}

TEST(FileIdentity, NamesOfOneFile) {
  const TemporaryFolder folder;
  const fs::path a = folder.path() / "a.ply", b = folder.path() / "b.ply";
  WriteText(a, "x");
  EXPECT_TRUE(IsSameFile(a, folder.path() / "." / "a.ply"));
  EXPECT_FALSE(IsSameFile(a, b));
  fs::create_hard_link(a, b);
  EXPECT_TRUE(IsSameFile(a, b));
  fs::create_symlink("a.ply", folder.path() / "link");
  EXPECT_TRUE(IsSameFile(a, folder.path() / "link"));
  EXPECT_FALSE(IsSameFile("/dev/null", "/dev/null"));
}

TEST(FileIdentity, NamesOfOneFileThatIsNotThereYet) {
  const TemporaryFolder folder;
  const fs::path real = folder.path() / "real";
  fs::create_directories(real);
  fs::create_directory_symlink("real", folder.path() / "alias");
  EXPECT_TRUE(IsSameFile(real / "new", folder.path() / "alias" / "new"));
  EXPECT_TRUE(IsSameFile(real / "new", real / ".." / "real" / "new"));
  EXPECT_FALSE(IsSameFile(real / "new", real / "newer"));
  fs::create_symlink("real/new", folder.path() / "link");  // leads to nothing yet
  EXPECT_TRUE(IsSameFile(real / "new", folder.path() / "link"));
}

TEST(FileIdentity, AStampChangesWithTheFile) {
  const TemporaryFolder folder;
  const fs::path a = folder.path() / "a";
  WriteText(a, "x");
  const std::string before = StampOf({a});
  EXPECT_EQ(StampOf({folder.path() / "." / "a"}), before);
  EXPECT_NE(StampOf({a, folder.path() / "missing"}), before);
  fs::last_write_time(a, fs::last_write_time(a) + std::chrono::seconds(1));
  EXPECT_NE(StampOf({a}), before);
}

TEST(FileIdentity, AStampNamesTheFileWithoutLinks) {
  const TemporaryFolder folder;
  const fs::path root = fs::canonical(folder.path());
  for (const char* name : {"one", "two"}) {
    fs::create_directories(root / name);
    WriteText(root / name / "a", "x");
    fs::last_write_time(root / name / "a", fs::file_time_type{});
  }
  const fs::path link = root / "link";
  fs::create_directory_symlink("one", link);
  EXPECT_EQ(StampOf({link / "a"}), StampOf({root / "one" / "a"}));
  EXPECT_EQ(StampOf({link / "." / "a"}), StampOf({root / "one" / "a"}));
  EXPECT_EQ(StampOf({root / "two" / ".." / "link" / "a"}), StampOf({root / "one" / "a"}));
  EXPECT_EQ(StampOf({link / "missing" / "." / "b"}), (root / "one" / "missing" / "b -").string());
  fs::remove(link);
  fs::create_directory_symlink("two", link);  // the same name is another folder now
  EXPECT_EQ(StampOf({link / "a"}), StampOf({root / "two" / "a"}));
  fs::create_symlink("../one/a", root / "two" / "b");
  EXPECT_EQ(StampOf({link / "b"}), StampOf({root / "one" / "a"}));
  fs::remove(root / "one" / "a");
  EXPECT_EQ(StampOf({link / "b"}), (root / "one" / "a -").string());
}

TEST(FileIdentity, SourcesTellWhatTheirFramesAreMadeOf) {
  const TemporaryFolder folder;
  MakeKittiFolder(folder.path(), 2);
  const auto source = OpenSource({folder.path().string()});
  EXPECT_EQ(source->InputFiles().size(), 2U * 3U);
  EXPECT_EQ(OpenSource({folder.path().string()}, {.kind = "", .with_truth = true})->InputFiles().size(),
            2U * 5U);
  const std::string first = source->NextOrigin();
  EXPECT_NE(first.find("image_0/000000_10.png "), std::string::npos) << first;
  EXPECT_NE(first.find("calib/000000.txt "), std::string::npos) << first;
  EXPECT_EQ(source->Read().origin, first);
  EXPECT_NE(source->NextOrigin(), first);

  const auto scene = OpenSource({"synthetic:shift,frames=2,width=32,height=16"});
  EXPECT_EQ(scene->NextOrigin(), "synthetic:shift,frames=2,width=32,height=16 #0");
  EXPECT_EQ(scene->Read().origin, "synthetic:shift,frames=2,width=32,height=16 #0");
  EXPECT_TRUE(scene->InputFiles().empty());
}

TEST(FileIdentity, RingsOfLinksAndDots) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("b", folder / "a");
  std::filesystem::create_symlink("a", folder / "b");
  EXPECT_TRUE(StampOf({folder / "a"}).ends_with("/a -")) << StampOf({folder / "a"});
  EXPECT_FALSE(IsSameFile(folder / "a", folder / "c"));
  std::filesystem::create_symlink("y/new", folder / "link");  // through a folder that is not there
  EXPECT_TRUE(IsSameFile(folder / "x/../y/new", folder / "link"));
  EXPECT_TRUE(IsSameFile("no such/new", std::filesystem::current_path() / "no such" / "new"));
  EXPECT_TRUE(IsSameFile("/no such/new", "/no such/./new"));
}

}  // namespace
}  // namespace parallax::test
