// The uncertainty of disparities as a user asks for it: run --write sigma, eval --uncertainty.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "config/parameters_yaml.h"
#include "datasets/formats/cloud_file.h"
#include "datasets/formats/pfm.h"
#include "tests/support/kitti_folder.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class RunUncertainty : public ::testing::Test {
 protected:
  fs::path Data() const { return folder_.path() / "data"; }
  fs::path Out() const { return folder_.path() / "out"; }

  ProgramResult Run(std::vector<std::string> arguments) const {
    std::vector<std::string> all{"run",      Data().string(), "--set", "matching_cost.num_disparities=24",
                                 "--output", Out().string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return RunParallax(all);
  }
  static std::string FrameName() { return KittiName(0); }

  TemporaryFolder folder_;
};

// The last field of the points of a binary PLY of 12 + 3 + 4 bytes each.
std::vector<float> SigmaOfPoints(const std::string& ply) {
  const std::size_t begin = ply.find("end_header\n") + 11;
  std::vector<float> values((ply.size() - begin) / 19);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(&values[i], ply.data() + begin + 19 * i + 15, 4);
  return values;
}

TEST_F(RunUncertainty, WritesSigmaOfDisparityDepthAndPoints) {
  MakeKittiFolder(Data(), 1);
  const ProgramResult result = Run({"--write", "pfm,sigma,depth_sigma,cloud,pcd", "--show-filled"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const HostImage<float> disparity = ReadPfm(Out() / "pfm" / (FrameName() + ".pfm"));
  const HostImage<float> sigma = ReadPfm(Out() / "sigma" / (FrameName() + ".pfm"));
  const HostImage<float> sigma_m = ReadPfm(Out() / "depth_sigma" / (FrameName() + ".pfm"));
  std::vector<float> of_points;
  for (int y = 0; y < disparity.height(); ++y) {
    for (int x = 0; x < disparity.width(); ++x) {
      ASSERT_EQ(std::isnan(disparity(x, y)), std::isnan(sigma(x, y)));
      if (std::isnan(sigma_m(x, y))) continue;
      of_points.push_back(sigma_m(x, y));
      const double depth_m = kKittiFx_px * kKittiBaseline_m / static_cast<double>(disparity(x, y));
      ASSERT_NEAR(sigma_m(x, y), depth_m * depth_m / (kKittiFx_px * kKittiBaseline_m) * sigma(x, y),
                  1e-5 * sigma_m(x, y));
    }
  }
  const std::string ply = ReadText(Out() / "cloud" / (FrameName() + ".ply"));
  EXPECT_THAT(ply, HasSubstr("comment sigma_z: standard deviation of z, m"));
  EXPECT_THAT(ply, HasSubstr("property float sigma_z\nend_header"));
  EXPECT_GT(of_points.size(), 1000U);
  EXPECT_EQ(SigmaOfPoints(ply), of_points);
  EXPECT_THAT(ReadText(Out() / "cloud" / (FrameName() + ".pcd")), HasSubstr("FIELDS x y z rgb sigma_z\n"));
  EXPECT_EQ(ReadCloud(Out() / "cloud" / (FrameName() + ".pcd")).size(), of_points.size());
}

TEST_F(RunUncertainty, IsTheSameOnEveryBackEnd) {
  MakeKittiFolder(Data(), 1);
  ASSERT_EQ(Run({"--write", "sigma", "--backend", "reference"}).exit_code, 0);
  const std::string reference = ReadText(Out() / "sigma" / (FrameName() + ".pfm"));
  ASSERT_EQ(Run({"--write", "sigma", "--backend", "cpu", "--overwrite"}).exit_code, 0);
  EXPECT_EQ(ReadText(Out() / "sigma" / (FrameName() + ".pfm")), reference);
}

TEST_F(RunUncertainty, CloudsWithoutItAreAsBefore) {
  MakeKittiFolder(Data(), 1);
  ASSERT_EQ(Run({"--write", "cloud"}).exit_code, 0);
  EXPECT_THAT(ReadText(Out() / "cloud" / (FrameName() + ".ply")), Not(HasSubstr("sigma")));
  EXPECT_FALSE(fs::exists(Out() / "sigma"));
}

TEST_F(RunUncertainty, GoesWithThePointsThatAreRemoved) {
  MakeKittiFolder(Data(), 1);
  ASSERT_EQ(Run({"--write", "cloud,sigma"}).exit_code, 0);
  const fs::path file = Out() / "cloud" / (FrameName() + ".ply");
  const PointCloud whole = ReadCloud(file);
  const std::vector<float> sigma = SigmaOfPoints(ReadText(file));
  ASSERT_EQ(Run({"--write", "cloud,sigma", "--cloud-clean", "6,1.5", "--overwrite"}).exit_code, 0);
  const PointCloud cleaned = ReadCloud(file);
  const std::vector<float> kept = SigmaOfPoints(ReadText(file));
  ASSERT_EQ(kept.size(), cleaned.size());
  ASSERT_LT(cleaned.size(), whole.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < cleaned.size(); ++i, ++at) {
    while (!(whole.points[at] == cleaned.points[i])) ++at;
    ASSERT_EQ(kept[i], sigma[at]) << i;
  }
}

TEST_F(RunUncertainty, NeedsACalibrationForDepthAlone) {
  MakeKittiFolder(Data(), 1, 64, 32, false);
  const ProgramResult result = Run({"--write", "sigma,depth_sigma"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("depth_sigma: "));
  EXPECT_TRUE(fs::exists(Out() / "sigma" / (FrameName() + ".pfm")));
  EXPECT_FALSE(fs::exists(Out() / "depth_sigma"));
}

TEST_F(RunUncertainty, TheTableIsKeptBesideTheResults) {
  MakeKittiFolder(Data(), 2);
  ASSERT_EQ(Run({"--write", "sigma", "--set", "uncertainty.rig_px=0.25", "--max-frames", "1"}).exit_code, 0);
  const fs::path kept = Out() / "parameters.yaml";
  EXPECT_EQ(LoadChosenParameters(kept.string()).uncertainty.rig_px, 0.25F);
  const ProgramResult other = Run({"--write", "sigma", "--resume"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("another table of uncertainty"));
  EXPECT_EQ(Run({"--write", "sigma", "--resume", "--config", kept.string()}).exit_code, 0);
  EXPECT_TRUE(fs::exists(Out() / "sigma" / (KittiName(1) + ".pfm")));
}

TEST_F(RunUncertainty, FaultyTablesAreRefused) {
  MakeKittiFolder(Data(), 1);
  const ProgramResult result = Run({"--set", "uncertainty.bend=1,2"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("uncertainty.bend has 2 values: use 7 numbers, 0.001 .. 1000"));
}

TEST(EvalUncertainty, SaysWhetherSigmaHolds) {
  TemporaryFolder folder;
  const fs::path json = folder.path() / "eval.json";
  const ProgramResult result = RunParallax(
      {"eval", "synthetic:planes,frames=1,width=160,height=96", "--uncertainty", "--json", json.string()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Uncertainty (% of the errors below 3 px"));
  const YAML::Node total = YAML::Load(ReadText(json))["total"];
  EXPECT_GT(total["within_sigma"].as<double>(), 50);
  EXPECT_GE(total["within_2_sigma"].as<double>(), total["within_sigma"].as<double>());
  EXPECT_LE(total["within_2_sigma"].as<double>(), 100);
  EXPECT_GT(total["sigma_mean_px"].as<double>(), 0.1);
  EXPECT_GE(total["sigma_ause"].as<double>(), 0);
}

TEST(EvalUncertainty, IsTheMatchers) {
  const ProgramResult result =
      RunParallax({"eval", "synthetic:planes,frames=1", "--uncertainty", "--estimates", "/nowhere"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--uncertainty scores the matcher's"));
}

}  // namespace
}  // namespace parallax::test
