// Every control of the cloud's pane, driven by keys and mouse, and what became of it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "datasets/formats/cloud_file.h"
#include "pipeline/cloud/reprojection.h"
#include "tests/viewer/driven_window.h"
#include "tests/viewer/virtual_display.h"

namespace parallax::app {
namespace {

using test::DrivenWindow;
using Json = DrivenWindow::Json;

class CloudControls : public testing::Test {
 protected:
  void SetUp() override {
    if (!display_.problem().empty()) GTEST_SKIP() << "no window was tested: " << display_.problem();
    if (!DrivenWindow::CanBeDriven()) GTEST_SKIP() << "no control was tested: xdotool is missing";
  }

  // A predicate on the state of the cloud.
  template <typename Predicate>
  static DrivenWindow::Predicate Cloud(Predicate predicate) {
    return [=](const Json& state) { return state.contains("cloud") && predicate(state["cloud"]); };
  }
  template <typename T>
  static DrivenWindow::Predicate CloudHas(const std::string& key, T value) {
    return Cloud(
        [=](const Json& cloud) { return cloud.contains(key) && cloud[key] == value && !cloud["busy"]; });
  }

  test::VirtualDisplay display_;
};

constexpr char kScene[] = "synthetic:drive,width=320,height=96,samples=1,frames=3";

TEST_F(CloudControls, ColoringSizeRangeAndWhatIsDrawnBeside) {
  DrivenWindow window({kScene, "--paused", "--size", "800", "560"});
  EXPECT_TRUE(window.Await(CloudHas("shown_coloring", "image")));
  const std::int64_t num_points = window.State()["cloud"]["num_points"];
  EXPECT_GT(num_points, 10000);
  for (const char* coloring : {"depth", "height", "confidence", "density"}) {
    window.PressKey("c");
    EXPECT_TRUE(window.Await(CloudHas("shown_coloring", coloring))) << coloring;
    EXPECT_TRUE(window.State()["cloud"].contains("scale")) << coloring;
  }
  window.PressKey("c");  // the error, of a frame that may have no truth
  EXPECT_TRUE(window.Await(CloudHas("shown_coloring", "error")));
  window.PressKey("c");
  EXPECT_TRUE(window.Await(CloudHas("note", "there is no second cloud")));
  window.PressKey("c");
  EXPECT_TRUE(window.Await(CloudHas("shown_coloring", "image")));

  window.PressKey("y");
  EXPECT_TRUE(window.Await(Cloud([&](const Json& cloud) { return cloud["num_drawn"] < num_points; })));
  const std::int64_t num_near = window.State()["cloud"]["num_drawn"];
  EXPECT_GT(num_near, num_points / 4);
  window.PressKey("shift+y");
  EXPECT_TRUE(window.Await(Cloud([&](const Json& cloud) { return cloud["num_drawn"] > num_near; })));
  window.PressKey("k");
  EXPECT_TRUE(window.Await(CloudHas("num_drawn", num_points)));

  const double size = window.State()["cloud"]["point_size"];
  window.PressKey("plus");
  EXPECT_TRUE(window.Await(Cloud([&](const Json& cloud) { return cloud["point_size"] > size; })));
  window.PressKey("minus");
  window.PressKey("minus");
  EXPECT_TRUE(window.Await(Cloud([&](const Json& cloud) { return cloud["point_size"] < size; })));
  window.PressKey("g");
  EXPECT_TRUE(window.Await(CloudHas("grid", false)));
  window.PressKey("f");
  EXPECT_TRUE(window.Await(CloudHas("frustum", false)));
  EXPECT_EQ(window.Close(), 0);
  EXPECT_EQ(window.Errors(), "");
}

TEST_F(CloudControls, ViewsFromBehindAboveAndAside) {
  DrivenWindow window({kScene, "--paused", "--size", "800", "560"});
  const auto looks = [&](int axis, double at_least, double sign) {
    return Cloud([=](const Json& cloud) {
      return cloud.contains("forward") &&
             sign * cloud["forward"][static_cast<std::size_t>(axis)].get<double>() > at_least;
    });
  };
  EXPECT_TRUE(window.Await(looks(2, 0.8, 1)));
  EXPECT_LT(window.State()["cloud"]["eye"][1], 0);  // above
  window.PressKey("u");
  EXPECT_TRUE(window.Await(looks(1, 0.99, 1)));  // down
  window.PressKey("j");
  EXPECT_TRUE(window.Await(looks(0, 0.99, -1)));  // to the left, from the right
  window.PressKey("r");
  EXPECT_TRUE(window.Await(looks(2, 0.8, 1)));
  const Json frame = window.State()["cloud"]["frame"];
  const int x = frame[0].get<int>() + frame[2].get<int>() / 2,
            y = frame[1].get<int>() + frame[3].get<int>() / 2;
  window.Drag(x, y, x + 200, y + 40);
  EXPECT_TRUE(window.Await(CloudHas("moved", true)));
  window.ClickControl("reset_view");
  EXPECT_TRUE(window.Await(CloudHas("moved", false)));
  // The wheel comes nearer or goes away along the line of sight; the right button shifts what is seen.
  const auto distance = [](const Json& from, const Json& to) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += std::pow(to[i].get<double>() - from[i].get<double>(), 2);
    return std::sqrt(sum);
  };
  Json before = window.State()["cloud"];
  const auto moved = [&] {
    return Cloud([&](const Json& cloud) {
      return distance(before["eye"], cloud["eye"]) > 0.1 &&
             distance(before["forward"], cloud["forward"]) < 0.01;
    });
  };
  window.Wheel(x, y, 2);
  EXPECT_TRUE(window.Await(moved()));
  window.Settle();
  before = window.State()["cloud"];
  window.Drag(x, y, x + 100, y + 40, 3);
  EXPECT_TRUE(window.Await(moved()));
  EXPECT_EQ(window.Close(), 0);
}

// The ruler's lengths are those of `parallax cloud geodesic` on the cloud that `run` writes, and a picked
// point has the coordinates in that file.
TEST_F(CloudControls, PickedPointsAndTheRulerAgreeWithTheWrittenCloud) {
  const test::TemporaryFolder folder;
  const std::string output = (folder.path() / "run").string();
  const test::ProgramResult run =
      test::RunParallax({"run", kScene, "--max-frames", "1", "--write", "cloud", "--output", output});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::string cloud_file;
  for (const auto& entry : std::filesystem::directory_iterator(output + "/cloud")) cloud_file = entry.path();
  const PointCloud written = ReadCloud(cloud_file);

  DrivenWindow window({kScene, "--paused", "--size", "800", "560"});
  EXPECT_TRUE(window.Await(CloudHas("shown_coloring", "image")));
  window.PressKey("l");
  EXPECT_TRUE(window.Await(Cloud([](const Json& cloud) { return cloud["ruler"]["used"] == true; })));
  const Json frame = window.State()["cloud"]["frame"];
  const auto click = [&](double x, double y) {
    window.Click(static_cast<int>(frame[0].get<int>() + x * frame[2].get<int>()),
                 static_cast<int>(frame[1].get<int>() + y * frame[3].get<int>()));
  };
  click(0.45, 0.8);
  EXPECT_TRUE(window.Await(Cloud([](const Json& cloud) { return cloud["ruler"]["ends"].size() == 1; })));
  click(0.55, 0.75);
  ASSERT_TRUE(window.Await(Cloud([](const Json& cloud) { return cloud["ruler"].contains("straight_m"); })));
  const Json cloud = window.State()["cloud"];
  std::vector<std::string> arguments = {"cloud", "geodesic", cloud_file};
  const char* options[] = {"--from", "--to"};
  for (std::size_t i = 0; i < 2; ++i) {
    const Json end = cloud["ruler"]["ends"][i];
    const auto index = end["index"].get<std::size_t>();
    ASSERT_LT(index, written.size());
    EXPECT_EQ(end["x"].get<float>(), written.points[index].x);
    EXPECT_EQ(end["y"].get<float>(), written.points[index].y);
    EXPECT_EQ(end["z"].get<float>(), written.points[index].z);
    EXPECT_EQ(end["pixel"].size(), 2u);
    arguments.insert(arguments.end(), {options[i], std::to_string(index)});
  }
  if (cloud["ruler"].contains("voxel_m")) {
    arguments.insert(arguments.end(), {"--graph", "voxel", "--voxel", cloud["ruler"]["voxel_m"].dump()});
  }
  const std::string json_file = (folder.path() / "path.json").string();
  arguments.insert(arguments.end(), {"--json", json_file});
  const test::ProgramResult geodesic = test::RunParallax(arguments);
  ASSERT_EQ(geodesic.exit_code, 0) << geodesic.err;
  const Json path = Json::parse(test::ReadText(json_file))["paths"][0];
  EXPECT_EQ(path["geodesic_m"].get<float>(), cloud["ruler"]["geodesic_m"].get<float>());
  if (!cloud["ruler"].contains("voxel_m")) {
    EXPECT_EQ(path["straight_m"].get<float>(), cloud["ruler"]["straight_m"].get<float>());
  }

  window.PressKey("n");  // another frame: the ruler has lost its ends
  EXPECT_TRUE(window.Await(Cloud([](const Json& state) { return state["ruler"]["ends"].empty(); })));
  EXPECT_EQ(window.Close(), 0);
  EXPECT_EQ(window.Errors(), "");
}

TEST_F(CloudControls, ACloudOfOnePointAndFramesWithoutAValueAreTold) {
  const test::TemporaryFolder folder;
  const std::string one = (folder.path() / "one.ply").string();
  WriteCloud(one, PointCloud{{{0.5f, 0.25f, 3}}, {{255, 0, 0}}});
  {
    DrivenWindow window({one, "--size", "800", "600"});
    EXPECT_TRUE(window.Await(CloudHas("num_drawn", 1)));
    for (const char* key : {"c", "c", "c", "c", "u", "j", "r", "y", "k", "l"}) window.PressKey(key);
    EXPECT_TRUE(window.Await(CloudHas("num_drawn", 1)));
    EXPECT_EQ(window.Close(), 0);
    EXPECT_EQ(window.Errors(), "");
  }
  DrivenWindow window({kScene, "--paused", "--size", "800", "600", "--set", "reprojection.max_depth_m=0.5"});
  for (const char* key : {"c", "u", "g", "y", "l"}) window.PressKey(key);
  EXPECT_TRUE(window.Await(Cloud([](const Json& cloud) { return cloud["ruler"]["used"] == true; })));
  EXPECT_EQ(window.State()["cloud"]["num_points"], 0);
  EXPECT_EQ(window.Close(), 0);
}

}  // namespace
}  // namespace parallax::app
