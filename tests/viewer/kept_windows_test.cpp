// What a window saves, folders of results, and live sources, driven by keys and mouse.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "datasets/formats/cloud_file.h"
#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "tests/viewer/driven_window.h"
#include "tests/viewer/virtual_display.h"

namespace parallax::app {
namespace {

using test::DrivenWindow;
using test::RunParallax;
using Json = DrivenWindow::Json;

constexpr char kSmallScene[] = "synthetic:drive,width=160,height=48,samples=1,frames=3";

class KeptWindows : public testing::Test {
 protected:
  void SetUp() override {
    if (!display_.problem().empty()) GTEST_SKIP() << "no window was tested: " << display_.problem();
    if (!DrivenWindow::CanBeDriven()) GTEST_SKIP() << "no control was tested: xdotool is missing";
  }
  test::VirtualDisplay display_;
  test::TemporaryFolder folder_;
};

TEST_F(KeptWindows, ASnapshotHoldsThePictureAndTheDataBehindIt) {
  const std::string run = (folder_.path() / "run").string();
  const test::ProgramResult result = RunParallax(
      {"run", kSmallScene, "--max-frames", "1", "--write", "pfm,cloud,sigma,confidence", "--output", run});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  DrivenWindow window(
      {kSmallScene, "--paused", "--size", "700", "500", "--save-to", folder_.path().string()});
  window.PressKey("ctrl+0");
  EXPECT_TRUE(
      window.Await([](const Json& state) { return state["pictures"]["second"]["view"] == "uncertainty"; }));
  window.PressKey("w");
  ASSERT_TRUE(window.Await([](const Json& state) { return state["snapshot"] != ""; }));
  const std::filesystem::path saved = window.State()["snapshot"].get<std::string>();
  EXPECT_EQ(window.Close(), 0);
  EXPECT_EQ(window.Errors(), "");
  EXPECT_EQ(saved, folder_.path() / "parallax-snapshot");
  const auto picture = std::get<HostImage<Rgb8>>(ReadImage(saved / "window.png"));
  EXPECT_EQ(picture.width(), 700);
  EXPECT_EQ(picture.height(), 500);
  // The bits that `run` writes.
  const auto same = [&](const char* ours, const char* theirs) {
    return test::ReadText(saved / ours) == test::ReadText(std::filesystem::path(run) / theirs);
  };
  EXPECT_TRUE(same("disparity.pfm", "pfm/000000_10.pfm"));
  EXPECT_TRUE(same("sigma.pfm", "sigma/000000_10.pfm"));
  EXPECT_TRUE(same("confidence.png", "confidence/000000_10.png"));
  const PointCloud cloud = ReadCloud(saved / "cloud.ply"), wanted = ReadCloud(run + "/cloud/000000_10.ply");
  EXPECT_EQ(cloud.size(), wanted.size());
  for (const char* file : {"left.png", "right.png", "depth.pfm", "validity.png", "parameters.yaml"})
    EXPECT_TRUE(std::filesystem::exists(saved / file)) << file;
  const Json state = Json::parse(test::ReadText(saved / "state.json"));
  EXPECT_EQ(state["pictures"]["second"]["view"], "uncertainty");
}

TEST_F(KeptWindows, AFolderOfResultsIsPagedThroughBesideItsSource) {
  const std::string pairs = (folder_.path() / "pairs").string(), run = (folder_.path() / "run").string();
  ASSERT_EQ(RunParallax({"synth", std::string(kSmallScene).substr(10), "--output", pairs}).exit_code, 0);
  const test::ProgramResult result =
      RunParallax({"run", pairs, "--write", "disparity,confidence", "--output", run});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  {
    DrivenWindow window({run, "--size", "700", "500"});
    EXPECT_EQ(window.State()["frame"], "000000_10");
    EXPECT_EQ(window.State()["pictures"]["first"]["view"], "left");
    EXPECT_EQ(window.State()["time"]["num_frames"], 3);
    window.PressKey("End");
    EXPECT_TRUE(window.Await([](const Json& state) { return state["frame"] == "000002_10"; }));
    window.PressKey("Left");
    EXPECT_TRUE(window.Await([](const Json& state) { return state["frame"] == "000001_10"; }));
    window.PressKey("ctrl+5");
    EXPECT_TRUE(
        window.Await([](const Json& state) { return state["pictures"]["second"]["view"] == "confidence"; }));
    EXPECT_GT(window.State()["cloud"]["num_points"], 1000);
    EXPECT_EQ(window.Close(), 0);
    EXPECT_EQ(window.Errors(), "");
  }
  // Without the images, and with a result that is gone.
  std::filesystem::remove_all(pairs);
  std::filesystem::remove(run + "/disparity/000001_10.png");
  DrivenWindow window({run, "--size", "700", "500"});
  EXPECT_NE(window.State()["pictures"]["first"]["view"], "left");
  window.PressKey("Right");
  EXPECT_TRUE(window.Await([](const Json& state) {
    return state["status"].get<std::string>().find("000001_10.png") != std::string::npos;
  }));
  EXPECT_EQ(window.Close(), 0);
}

TEST_F(KeptWindows, ALiveSourceTellsWhatItLeavesOut) {
  DrivenWindow window(
      {"gst:videotestsrc is-live=true pattern=snow ! "
       "video/x-raw,format=GRAY8,width=256,height=64,framerate=60/1 ! appsink",
       "--size", "700", "500"});
  EXPECT_TRUE(window.Await([](const Json& state) { return state["live"]["taken"] > 20; }));
  EXPECT_GT(window.State()["live"]["latency_ms"].get<double>(), 0);
  EXPECT_EQ(window.Close(), 0);
  EXPECT_EQ(window.Errors(), "");
}

}  // namespace
}  // namespace parallax::app
