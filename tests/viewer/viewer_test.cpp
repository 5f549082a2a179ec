// Drives `parallax view` and `run --view` on a screen in memory and looks at the pictures of the window.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "app/pictures/colormap.h"
#include "app/view/window_layout.h"
#include "datasets/formats/cloud_file.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "tests/support/built_paths.h"
#include "tests/support/run_program.h"
#include "tests/viewer/virtual_display.h"

namespace parallax::app {
namespace {

using test::RunParallax;
constexpr int kWidth = 1200, kHeight = 600;  // of the window: a processor draws it
constexpr int kBar = 40;                     // at most, of its status line
constexpr int kCaption = 32;

using Color = std::tuple<int, int, int>;
Color AsTuple(Rgb8 c) { return {c.r, c.g, c.b}; }
bool IsGray(Rgb8 c) { return c.r == c.g && c.g == c.b; }

// The middle of a pane below its caption, away from its borders.
PaneFrame Inside(const PaneFrame& pane) {
  return {pane.x + pane.width / 10, pane.y + kCaption + (pane.height - kCaption) / 10, pane.width * 8 / 10,
          (pane.height - kCaption) * 8 / 10};
}

std::vector<Rgb8> PixelsOf(const HostImage<Rgb8>& picture, const PaneFrame& frame) {
  std::vector<Rgb8> pixels;
  for (int y = frame.y; y < frame.y + frame.height; ++y) {
    for (int x = frame.x; x < frame.x + frame.width; ++x) pixels.push_back(picture(x, y));
  }
  return pixels;
}

std::size_t NumColors(const std::vector<Rgb8>& pixels) {
  std::set<Color> colors;
  for (const Rgb8 c : pixels) colors.insert(AsTuple(c));
  return colors.size();
}

template <typename Predicate>
double ShareOf(const std::vector<Rgb8>& pixels, Predicate&& predicate) {
  return static_cast<double>(std::count_if(pixels.begin(), pixels.end(), predicate)) /
         static_cast<double>(pixels.size());
}

// Where the pixels of a colour lie; count 0 when there is none.
struct Blob {
  double x = 0, y = 0;
  std::size_t count = 0;
};
Blob BlobOf(const HostImage<Rgb8>& picture, Rgb8 color) {
  Blob blob;
  for (int y = 0; y < picture.height() - kBar; ++y) {
    for (int x = 0; x < picture.width(); ++x) {
      if (!(picture(x, y) == color)) continue;
      blob.x += x, blob.y += y, ++blob.count;
    }
  }
  if (blob.count > 0) blob.x /= static_cast<double>(blob.count), blob.y /= static_cast<double>(blob.count);
  return blob;
}

class ViewerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!display_.problem().empty()) GTEST_SKIP() << "no window was tested: " << display_.problem();
  }

  // `parallax view ARGUMENTS --screenshot`; an empty picture when it failed.
  HostImage<Rgb8> View(std::vector<std::string> arguments) {
    const std::filesystem::path path = folder_.path() / ("shot" + std::to_string(++num_shots_) + ".png");
    arguments.insert(arguments.begin(), "view");
    arguments.insert(arguments.end(), {"--screenshot", path.string()});
    if (std::find(arguments.begin(), arguments.end(), "--size") == arguments.end())
      arguments.insert(arguments.end(), {"--size", std::to_string(kWidth), std::to_string(kHeight)});
    const test::ProgramResult result = RunParallax(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.out, "wrote " + path.string() + "\n");
    if (result.exit_code != 0) return {};
    return std::get<HostImage<Rgb8>>(ReadImage(path));
  }
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }

  // A wall 5 m away: the left half red, the right one green, a blue band at the top.
  static PointCloud Wall() {
    PointCloud cloud;
    for (int y = -100; y < 100; ++y) {
      for (int x = -150; x < 150; ++x) {
        cloud.points.push_back({0.01f * static_cast<float>(x), 0.01f * static_cast<float>(y), 5.0f});
        cloud.colors.push_back(y < -60 ? Rgb8{0, 0, 255} : x < 0 ? Rgb8{255, 0, 0} : Rgb8{0, 255, 0});
      }
    }
    return cloud;
  }

  test::VirtualDisplay display_;
  test::TemporaryFolder folder_;
  int num_shots_ = 0;
};

TEST_F(ViewerTest, ShowsImageDisparityAndCloudOfAFrame) {
  const HostImage<Rgb8> shot = View({"synthetic:boxes,width=160,height=120,samples=1"});
  ASSERT_EQ(shot.width(), kWidth);
  ASSERT_EQ(shot.height(), kHeight);
  const WindowLayout layout =
      LayOutWindow({0, 0, kWidth, kHeight - kBar}, {true, true, true, 160.0f / 120}, kCaption);
  const std::vector<Rgb8> image = PixelsOf(shot, Inside(layout.image));
  const std::vector<Rgb8> disparity = PixelsOf(shot, Inside(layout.disparity));
  const std::vector<Rgb8> cloud = PixelsOf(shot, Inside(layout.cloud));
  EXPECT_GT(NumColors(image), 30u);
  EXPECT_GT(ShareOf(image, IsGray), 0.99);  // the scene is gray
  EXPECT_GT(NumColors(disparity), 10u);
  EXPECT_LT(ShareOf(disparity, IsGray), 0.3);  // the colour map has no grays
  EXPECT_GT(NumColors(cloud), 30u);
  const Rgb8 background = shot(kWidth - 3, layout.cloud.y + kCaption + 3);
  const double covered = ShareOf(cloud, [&](Rgb8 c) { return !(c == background); });
  EXPECT_GT(covered, 0.1);
  EXPECT_LT(covered, 1.0);
}

TEST_F(ViewerTest, ShowsWhatTheMethodOfAPresetMatches) {
  const std::string source = "synthetic:boxes,width=160,height=120,samples=1",
                    disparities = "matching_cost.num_disparities=64";
  const HostImage<Rgb8> sgm = View({source, "--set", disparities});
  const HostImage<Rgb8> ad_census = View({source, "--config", "ad_census", "--set", disparities});
  ASSERT_EQ(ad_census.width(), kWidth);
  ASSERT_EQ(sgm.width(), kWidth);
  const WindowLayout layout =
      LayOutWindow({0, 0, kWidth, kHeight - kBar}, {true, true, true, 160.0f / 120}, kCaption);
  const PaneFrame image = Inside(layout.image), disparity = Inside(layout.disparity);
  EXPECT_TRUE(PixelsOf(ad_census, image) == PixelsOf(sgm, image));
  const std::vector<Rgb8> shown = PixelsOf(ad_census, disparity), of_sgm = PixelsOf(sgm, disparity);
  EXPECT_GT(NumColors(shown), 10u);
  EXPECT_LT(ShareOf(shown, IsGray), 0.3);
  // The same boxes, by other costs.
  EXPECT_FALSE(shown == of_sgm);
}

TEST_F(ViewerTest, ShowsTheLastOfSeveralFrames) {
  const std::string source = "synthetic:drive,width=160,height=48,samples=1,frames=3";
  const HostImage<Rgb8> first = View({source, "--max-frames", "1"});
  const HostImage<Rgb8> third = View({source, "--max-frames", "3"});
  ASSERT_EQ(third.width(), first.width());
  const WindowLayout layout =
      LayOutWindow({0, 0, kWidth, kHeight - kBar}, {true, true, true, 160.0f / 48}, kCaption);
  for (const PaneFrame& pane : {layout.image, layout.disparity, layout.cloud}) {
    const std::vector<Rgb8> before = PixelsOf(first, Inside(pane)), after = PixelsOf(third, Inside(pane));
    EXPECT_GT(NumColors(after), 10u);
    EXPECT_FALSE(std::equal(before.begin(), before.end(), after.begin()))
        << "pane at " << pane.x << ", " << pane.y;
  }
}

TEST_F(ViewerTest, ACloudStandsUprightInItsOwnColors) {
  WriteCloud(Path("wall.ply"), Wall());
  const HostImage<Rgb8> shot = View({Path("wall.ply")});
  ASSERT_EQ(shot.width(), kWidth);
  const Blob red = BlobOf(shot, {255, 0, 0}), green = BlobOf(shot, {0, 255, 0}),
             blue = BlobOf(shot, {0, 0, 255});
  EXPECT_GT(red.count, 5500u);
  EXPECT_GT(green.count, 5500u);
  EXPECT_GT(blue.count, 2750u);
  EXPECT_LT(red.x, green.x - 66);  // x to the right
  EXPECT_LT(blue.y, red.y - 33);   // y down
  EXPECT_LT(blue.y, green.y - 33);
}

TEST_F(ViewerTest, FarOutliersDoNotShrinkACloud) {
  PointCloud cloud = Wall();
  WriteCloud(Path("wall.pcd"), cloud);
  for (int i = 0; i < 300; ++i) {
    cloud.points.push_back({static_cast<float>(i) * 1e4f, -1e6f, 1e7f});
    cloud.colors.push_back({255, 0, 0});
  }
  WriteCloud(Path("outliers.ply"), cloud);
  const Blob clean = BlobOf(View({Path("wall.pcd")}), {0, 255, 0});
  const Blob with_outliers = BlobOf(View({Path("outliers.ply")}), {0, 255, 0});
  EXPECT_GT(static_cast<double>(with_outliers.count), 0.8 * static_cast<double>(clean.count));
}

TEST_F(ViewerTest, ADisparityFileIsColoredAndHolesStayBlack) {
  HostImage<float> disparity(200, 100);
  for (int y = 0; y < 100; ++y) {
    for (int x = 0; x < 200; ++x) {
      disparity(x, y) = x < 100 ? std::numeric_limits<float>::quiet_NaN() : 10 + 0.1f * static_cast<float>(y);
    }
  }
  WritePfm(Path("disparity.pfm"), disparity.ConstView());
  const HostImage<Rgb8> shot = View({Path("disparity.pfm")});
  ASSERT_EQ(shot.width(), kWidth);
  EXPECT_GT(BlobOf(shot, kInvalidColor).count, 27500u);
  EXPECT_GT(BlobOf(shot, ColorOf(0)).count, 55u);
  EXPECT_GT(BlobOf(shot, ColorOf(1)).count, 55u);
  EXPECT_LT(BlobOf(shot, ColorOf(0)).y, BlobOf(shot, ColorOf(1)).y);  // far above near
}

TEST_F(ViewerTest, APairWithoutCalibrationHasACloudOfANominalCamera) {
  HostImage<std::uint8_t> left(120, 80), right(120, 80);
  for (int y = 0; y < 80; ++y) {
    for (int x = 0; x < 120; ++x) {
      const auto texture = [&](int u) {
        return static_cast<std::uint8_t>((u * 7919 + y * 104729 + u * y * 31) % 251);
      };
      left(x, y) = texture(x);
      right(x, y) = texture(x + 12);
    }
  }
  WritePng(Path("left.png"), left.ConstView());
  WritePng(Path("right.png"), right.ConstView());
  const HostImage<Rgb8> shot =
      View({Path("left.png"), Path("right.png"), "--set", "matching_cost.num_disparities=32"});
  ASSERT_EQ(shot.width(), kWidth);
  const WindowLayout layout =
      LayOutWindow({0, 0, kWidth, kHeight - kBar}, {true, true, true, 1.5f}, kCaption);
  EXPECT_GT(NumColors(PixelsOf(shot, Inside(layout.image))), 100u);
  EXPECT_GT(NumColors(PixelsOf(shot, Inside(layout.cloud))), 100u);
}

TEST_F(ViewerTest, AnImageAndAnEmptyCloudAreShownToo) {
  HostImage<Rgb8> image(60, 40, Rgb8{200, 100, 50});
  WritePng(Path("image.png"), image.ConstView());
  EXPECT_GT(BlobOf(View({Path("image.png"), "--size", "600", "400"}), {200, 100, 50}).count, 100000u);
  WriteCloud(Path("empty.ply"), {});
  EXPECT_EQ(View({Path("empty.ply"), "--size", "600", "400"}).width(), 600);
}

TEST_F(ViewerTest, RunShowsFramesAndEndsWhenTheWindowIsClosed) {
  const std::string source = "synthetic:drive,width=320,height=160,samples=1,frames=10000";
  const pid_t program = test::StartProgram(test::kProgram,
                                           {"run", source, "--view", "--output", Path("out"), "--rig-watch",
                                            "1", "--view-state", Path("state.json")},
                                           Path("out.txt"), Path("err.txt"));
  const auto window = test::FindWindow("parallax run " + source, 40);
  EXPECT_TRUE(window);
  if (window) {
    EXPECT_EQ(window->width, 1440);
    EXPECT_EQ(window->height, 900);
    EXPECT_TRUE(test::AwaitWhileRunning(
        program, [&] { return std::filesystem::exists(Path("out/disparity/000002_10.png")); }));
    EXPECT_TRUE(test::AwaitWhileRunning(program, [&] {
      return test::ReadText(Path("state.json")).find("rig turned by ") != std::string::npos;
    }));
    test::CloseWindow(*window);
  } else {
    kill(program, SIGKILL);
  }
  EXPECT_EQ(test::WaitForProgram(program), 0) << test::ReadText(Path("err.txt"));
  EXPECT_TRUE(std::filesystem::exists(Path("out/summary.json")));
  EXPECT_NE(test::ReadText(Path("out.txt")).find("the window was closed after"), std::string::npos);
}

// Needs no screen.
TEST(ViewerErrors, NoDisplayIsOneLineWithTheRemedy) {
  const test::TemporaryFolder folder;
  WritePng(folder.path() / "image.png", HostImage<std::uint8_t>(4, 4, std::uint8_t{9}).ConstView());
  for (const char* display : {"", ":4242"}) {
    setenv("DISPLAY", display, 1);
    const test::ProgramResult result = RunParallax({"view", (folder.path() / "image.png").string()});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.err.find("xvfb-run"), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
  }
}

TEST(ViewerErrors, ABadFileIsToldBeforeAWindowOpens) {
  setenv("DISPLAY", "", 1);
  for (const char* name : {"/nowhere/cloud.ply", "/nowhere/image.png"}) {
    const test::ProgramResult result = RunParallax({"view", name});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.err.find(name), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

TEST(ViewerErrors, AScreenshotThatCannotBeWrittenIsToldBeforeAWindowOpens) {
  setenv("DISPLAY", "", 1);
  const test::TemporaryFolder folder;
  WritePng(folder.path() / "image.png", HostImage<std::uint8_t>(4, 4, std::uint8_t{9}).ConstView());
  const std::string image = (folder.path() / "image.png").string();
  const test::ProgramResult ending = RunParallax({"view", image, "--screenshot", "shot.jpg"});
  EXPECT_EQ(ending.exit_code, 2);
  EXPECT_EQ(ending.err, "parallax: shot.jpg: pictures are written as .png files\n");
  const test::ProgramResult nowhere = RunParallax({"view", image, "--screenshot", "/nowhere/shot.png"});
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_NE(nowhere.err.find("the folder /nowhere does not exist"), std::string::npos) << nowhere.err;
}

}  // namespace
}  // namespace parallax::app
