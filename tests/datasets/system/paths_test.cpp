#include "datasets/system/paths.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/datasets/test_files.h"

namespace parallax {
namespace {

TEST(NaturalLess, NumbersCountAsNumbers) {
  const std::vector<std::string> sorted = {"",      "a",      "a1", "a2",   "a10", "a10b",
                                           "a10b2", "a10b10", "b",  "b01x", "b1y"};
  std::vector<std::string> shuffled = sorted;
  std::reverse(shuffled.begin(), shuffled.end());
  std::sort(shuffled.begin(), shuffled.end(), NaturalLess);
  EXPECT_EQ(shuffled, sorted);
  EXPECT_TRUE(NaturalLess("a01", "a1") != NaturalLess("a1", "a01"));  // some order
  EXPECT_FALSE(NaturalLess("a1", "a1"));
  EXPECT_TRUE(NaturalLess("99999999999999999999998", "99999999999999999999999"));  // beyond 64 bits
}

TEST(FileNameSafe, KeepsNamesAndReplacesTrouble) {
  EXPECT_EQ(FileNameSafe("000046_10"), "000046_10");
  EXPECT_EQ(FileNameSafe("a b/c\\d:e"), "a_b_c_d_e");
  EXPECT_EQ(FileNameSafe("..%"), "_.._");
  EXPECT_EQ(FileNameSafe(""), "_");
  EXPECT_EQ(FileNameSafe("\xC3\xA4"), "\xC3\xA4");  // UTF-8
}

TEST(FrameNumber, DigitsAtTheEnd) {
  EXPECT_EQ(FrameNumber("0000000013"), 13U);
  EXPECT_EQ(FrameNumber("left07"), 7U);
  EXPECT_EQ(FrameNumber("left"), std::nullopt);
  EXPECT_EQ(FrameNumber("1234567890123456789012345"), std::nullopt);
}

TEST(NameOfFolder, DotsAndTrailingSlashes) {
  const test::TemporaryFolder dir;
  std::filesystem::create_directories(dir / "scene/sub");
  EXPECT_EQ(NameOfFolder(dir / "scene/"), "scene");
  EXPECT_EQ(NameOfFolder(dir / "scene/."), "scene");
  EXPECT_EQ(NameOfFolder(dir / "scene/sub/.."), "scene");
}

TEST(ListImages, NaturalOrderWithoutWhatIsHiddenOrNoFile) {
  namespace fs = std::filesystem;
  const test::TemporaryFolder dir;
  for (const char* name : {"b10.png", "b9.PNG", ".c.png", "d.txt"}) test::WriteText(dir / name, "?");
  fs::create_directories(dir / "e.png");
  fs::create_symlink("b10.png", dir / "a.jpg");
  fs::create_symlink("e.png", dir / "f.png");
  fs::create_symlink("nothing", dir / "g.png");
  fs::create_symlink("ring", dir / "ring");
  EXPECT_EQ(ListImages(dir.path()), (std::vector<fs::path>{dir / "a.jpg", dir / "b9.PNG", dir / "b10.png"}));
  EXPECT_EQ(ListFolders(dir.path()), (std::vector<fs::path>{dir / "e.png", dir / "f.png"}));
  for (const fs::path& none : {dir / "none", dir / "d.txt", dir / "ring", dir / std::string(300, 'x')})
    EXPECT_TRUE(ListImages(none).empty()) << none;
  EXPECT_EQ(FindImage(dir.path(), "b10"), dir / "b10.png");
  EXPECT_EQ(FindImage(dir.path(), "e"), std::nullopt);
  EXPECT_EQ(NameOfFolder(dir / "ring"), "ring");
  EXPECT_EQ(NameOfFolder("/"), "");
}

}  // namespace
}  // namespace parallax
