#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_program.h"

namespace parallax {
namespace {

using test::RunParallax;
using testing::HasSubstr;

TEST(SynthCommand, WritesADataSet) {
  const test::TemporaryFolder folder;
  const auto out = (folder.path() / "set").string();
  const auto result =
      RunParallax({"synth", "drive", "--output", out, "--width", "80", "--height", "30", "--frames", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("2 frames of drive"));
  for (const char* file :
       {"image_2/000000_10.png", "image_3/000001_10.png", "disp_noc_0/000001_10.png",
        "disp_occ_0/000001_10.png", "obj_map/000000_10.png", "calib_cam_to_cam/000001.txt"}) {
    EXPECT_TRUE(std::filesystem::is_regular_file(folder.path() / "set/training" / file)) << file;
  }
}

TEST(SynthCommand, KeysMayStandInTheSceneOrInOptions) {
  const test::TemporaryFolder folder;
  const auto render = [&](const std::string& name, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "synth");
    arguments.insert(arguments.end(), {"--output", (folder.path() / name).string(), "--layout", "kitti2012"});
    const auto result = RunParallax(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return test::ReadText(folder.path() / name / "training/image_1/000000_10.png");
  };
  const std::string in_scene = render("a", {"synthetic:planes,width=50,height=40,noise=2,seed=9"});
  EXPECT_EQ(in_scene, render("b", {"planes", "--width", "50", "--height", "40", "--noise=2", "--seed", "9"}));
  EXPECT_EQ(in_scene,
            render("c", {"planes,width=7", "--width", "50", "--height", "40", "--noise=2", "--seed=9"}));
  EXPECT_NE(in_scene, render("d", {"planes,width=50,height=40,noise=2,seed=8"}));
}

TEST(SynthCommand, WrongUsageIsOneLineAndCode2) {
  const test::TemporaryFolder folder;
  const auto out = (folder.path() / "set").string();
  for (const auto& [scene, key, expected] : {std::tuple{"sphere", "--width=9", "spheres"},
                                             {"planes", "--width=0", "width=0"},
                                             {"planes,depth=3", "--width=9", "disparities"},
                                             {"shift,shift=-3", "--width=9", "-3.0"},
                                             {"planes", "--layout=kitti2013", "kitti2012"}}) {
    const auto result = RunParallax({"synth", scene, key, "--output", out});
    EXPECT_EQ(result.exit_code, 2) << scene;
    EXPECT_THAT(result.err, HasSubstr(expected));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  EXPECT_EQ(RunParallax({"synth", "planes"}).exit_code, 2) << "no --output";
}

TEST(SynthCommand, AUsedFolderIsRefusedOrReplaced) {
  const test::TemporaryFolder folder;
  const auto out = folder.path() / "set";
  const auto render = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"synth", "planes", "--width=20", "--height=12", "--output", out.string()});
    return RunParallax(arguments);
  };
  ASSERT_EQ(render({"--frames=3"}).exit_code, 0);
  const auto refused = render({"--frames=2"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("holds results already (training/calib_cam_to_cam/000000.txt)"));
  EXPECT_EQ(refused.err.find("--resume"), std::string::npos) << refused.err;
  ASSERT_EQ(render({"--frames=2", "--overwrite"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(out / "training/image_2/000001_10.png"));
  EXPECT_FALSE(std::filesystem::exists(out / "training/image_2/000002_10.png"));
  // Another layout's frames would lie beside those of this one.
  EXPECT_EQ(render({"--layout=kitti2012"}).exit_code, 2);
  ASSERT_EQ(render({"--layout=kitti2012", "--overwrite"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(out / "training/image_2/000000_10.png"));
  // A data set that is somebody's.
  std::filesystem::remove(out / "journal.tsv");
  const auto somebodys = render({"--layout=kitti2012", "--overwrite"});
  EXPECT_EQ(somebodys.exit_code, 2);
  EXPECT_THAT(somebodys.err, HasSubstr("no journal (journal.tsv) says what made it"));
}

TEST(SynthCommand, AFolderThatCannotBeMadeIsCode1) {
  const test::TemporaryFolder folder;
  test::WriteText(folder.path() / "file", "in the way");
  const auto result = RunParallax(
      {"synth", "planes", "--width=9", "--height=9", "--output", (folder.path() / "file/set").string()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("file/set"));
}

}  // namespace
}  // namespace parallax
