// parallax run as a user runs it: what it writes, what it says, and how it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "app/output/result_folder.h"
#include "app/pictures/colormap.h"
#include "config/parameters_yaml.h"
#include "datasets/formats/cloud_file.h"
#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "parallax/disparity_map.h"
#include "tests/support/avi_video.h"
#include "tests/support/built_paths.h"
#include "tests/support/kitti_folder.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class RunCommand : public ::testing::Test {
 protected:
  fs::path data() const { return folder_.path() / "data"; }
  fs::path out() const { return folder_.path() / "out"; }

  // parallax run DATA --output OUT, with few disparities, and these arguments.
  ProgramResult Run(std::vector<std::string> arguments = {}) const {
    return RunSource({data().string()}, std::move(arguments));
  }
  ProgramResult RunSource(const std::vector<std::string>& source,
                          std::vector<std::string> arguments = {}) const {
    std::vector<std::string> all{"run"};
    all.insert(all.end(), source.begin(), source.end());
    for (const char* word : {"--set", "matching_cost.num_disparities=24", "--output"}) all.emplace_back(word);
    all.push_back(out().string());
    all.insert(all.end(), arguments.begin(), arguments.end());
    return RunParallax(all);
  }
  YAML::Node Summary() const { return YAML::Load(ReadText(out() / "summary.json")); }  // JSON is YAML

  // Every file below the output folder but the summary and the journal, whose times and order differ, with
  // its bytes.
  std::map<std::string, std::string> Results() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(out())) {
      if (entry.is_regular_file() && entry.path().filename() != "summary.json" &&
          entry.path().filename() != "journal.tsv") {
        files[fs::relative(entry.path(), out()).string()] = ReadText(entry.path());
      }
    }
    return files;
  }

  TemporaryFolder folder_;
};

// One line, beginning with the program's name and holding all of the words.
void ExpectOneLine(const ProgramResult& result, int exit_code, const std::vector<std::string>& words) {
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  EXPECT_THAT(result.err, StartsWith("parallax: "));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const std::string& word : words) EXPECT_THAT(result.err, HasSubstr(word));
}

TEST_F(RunCommand, WritesWhatIsAskedForAndTheFilesAgree) {
  MakeKittiFolder(data(), 2);
  const ProgramResult result = Run({"--write", "disparity,pfm,depth,color,cloud,pcd", "--show-filled"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("2 frames: 2 done, 0 skipped, 0 failed"));
  for (int i = 0; i < 2; ++i) {
    const std::string name = KittiName(i);
    const HostImage<float> pfm = ReadPfm(out() / "pfm" / (name + ".pfm"));
    const HostImage<float> png = ReadDisparityPng(out() / "disparity" / (name + ".png"));
    const HostImage<float> depth = ReadDepthPng(out() / "depth" / (name + ".png"));
    const auto color = std::get<HostImage<Rgb8>>(ReadImage(out() / "color" / (name + ".png")));
    const PointCloud ply = ReadPly(out() / "cloud" / (name + ".ply"));
    const PointCloud pcd = ReadPcd(out() / "cloud" / (name + ".pcd"));
    ASSERT_EQ(pfm.width(), 64);
    ASSERT_EQ(pfm.height(), 32);
    std::size_t num_points = 0, num_true = 0;
    for (int y = 0; y < pfm.height(); ++y) {
      for (int x = 0; x < pfm.width(); ++x) {
        const float d_px = pfm(x, y);
        EXPECT_EQ(std::isnan(d_px), color(x, y) == app::kInvalidColor);
        if (std::isnan(d_px)) {
          EXPECT_TRUE(std::isnan(png(x, y)));
          continue;
        }
        EXPECT_EQ(png(x, y), std::max(std::floor(d_px * 256), 1.0F) / 256);
        num_true += std::abs(d_px - static_cast<float>(5 + i)) < 0.5F ? 1U : 0U;
        const double z_m = kKittiFx_px * kKittiBaseline_m / static_cast<double>(d_px);
        if (z_m < 0.1 || z_m > 100) continue;
        EXPECT_EQ(ply.points.at(num_points).z, pcd.points.at(num_points).z);
        EXPECT_NEAR(ply.points.at(num_points).z, z_m, 1e-5 * z_m);
        if (z_m < 65) {
          EXPECT_NEAR(depth(x, y), z_m, 0.0006);
        }
        ++num_points;
      }
    }
    EXPECT_EQ(ply.size(), num_points);
    EXPECT_EQ(pcd.size(), num_points);
    EXPECT_EQ(ply.colors.size(), num_points);
    EXPECT_GT(num_true, 64U * 32U * 8U / 10U);
  }
}

TEST_F(RunCommand, ValidityNamesTheReasonOfEveryHoleAndConfidenceIsHighWhereTheMatchIsRight) {
  MakeKittiFolder(data(), 1);
  const auto image = [&](const std::string& kind) {
    return ReadGray8(out() / kind / (KittiName(0) + ".png"));
  };
  ASSERT_EQ(Run({"--write", "pfm,validity,confidence", "--set", "filter.fill=false", "--set",
                 "refinement.planes=false"})
                .exit_code,
            0);
  const HostImage<float> holes = ReadPfm(out() / "pfm" / (KittiName(0) + ".pfm"));
  const HostImage<std::uint8_t> rejected = image("validity"), confidence = image("confidence");
  ASSERT_EQ(Run({"--write", "pfm,validity", "--overwrite"}).exit_code, 0);
  const HostImage<float> filled = ReadPfm(out() / "pfm" / (KittiName(0) + ".pfm"));
  const HostImage<std::uint8_t> refilled = image("validity");
  std::size_t num_holes = 0, num_right = 0, num_confident = 0;
  for (int y = 0; y < holes.height(); ++y) {
    for (int x = 0; x < holes.width(); ++x) {
      EXPECT_EQ(std::isnan(holes(x, y)), rejected(x, y) != 0);
      EXPECT_FALSE(std::isnan(filled(x, y)));
      EXPECT_EQ(refilled(x, y), rejected(x, y) == 0 ? 0 : rejected(x, y) | kFilled);
      num_holes += std::isnan(holes(x, y)) ? 1U : 0U;
      const bool right = std::abs(holes(x, y) - 5) < 0.5F;
      num_right += right ? 1U : 0U;
      num_confident += right && confidence(x, y) > 64 ? 1U : 0U;
    }
  }
  EXPECT_GT(num_holes, 32U);  // what lies left of the right image
  EXPECT_GT(num_confident, num_right / 2);
}

TEST_F(RunCommand, DepthsThatTheirPngCannotHoldAreCounted) {
  const ProgramResult result = RunSource({"synthetic:drive,frames=1,width=200,height=60,samples=1"},
                                         {"--show-filled"});  // as the depth map
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::vector<Point3f> points = ReadPly(out() / "cloud" / "000000_10.ply").points;
  const auto num_deep =
      std::count_if(points.begin(), points.end(), [](const Point3f& p) { return p.z > 65.535F; });
  EXPECT_GT(num_deep, 0);
  EXPECT_THAT(result.out, HasSubstr("000000_10: " + std::to_string(num_deep) + " pixels beyond 65.535 m"));
}

TEST_F(RunCommand, UsuallyWritesDisparityColorAndWithACalibrationDepthAndCloud) {
  MakeKittiFolder(data(), 1);
  ASSERT_EQ(Run().exit_code, 0);
  for (const char* file : {"disparity/000000_10.png", "color/000000_10.png", "depth/000000_10.png",
                           "cloud/000000_10.ply", "parameters.yaml", "summary.json"}) {
    EXPECT_TRUE(fs::exists(out() / file)) << file;
  }
  EXPECT_FALSE(fs::exists(out() / "pfm"));

  fs::remove_all(folder_.path() / "out");
  fs::remove_all(data());
  MakeKittiFolder(data(), 1, 64, 32, false);
  const ProgramResult result = Run();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(fs::exists(out() / "disparity/000000_10.png"));
  EXPECT_THAT(result.out, HasSubstr("000000_10: no depth and cloud: "));
  EXPECT_FALSE(fs::exists(out() / "depth"));
  EXPECT_FALSE(fs::exists(out() / "cloud"));
}

TEST_F(RunCommand, WritesNoFilesOfFramesWhereNoneIsAskedFor) {
  MakeKittiFolder(data(), 2);
  ASSERT_EQ(Run({"--write", "none"}).exit_code, 0);
  EXPECT_EQ(Summary()["num_done"].as<int>(), 2);
  for (const char* folder : {"disparity", "color", "depth", "cloud", "none"})
    EXPECT_FALSE(fs::exists(out() / folder)) << folder;
  ExpectOneLine(Run({"--write", "none,pfm", "--overwrite"}), 2, {"--write", "none"});
}

TEST_F(RunCommand, AWrongNamespaceOfRos2IsRefusedBeforeAnythingIsWritten) {
  MakeKittiFolder(data(), 1);
  ExpectOneLine(Run({"--ros2", "/a b"}), 2, {"--ros2", "'/a b' is not a name of ROS"});
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(RunCommand, DepthWithoutACalibrationIsNamedAndTheRestWritten) {
  MakeKittiFolder(data(), 2, 64, 32, false);
  ExpectOneLine(Run({"--write", "disparity,depth,cloud"}), 1,
                {"000000_10", "depth", "cloud", "calib", "--rig"});
  EXPECT_TRUE(fs::exists(out() / "disparity/000001_10.png"));
  EXPECT_EQ(Summary()["num_done"].as<int>(), 2);
  EXPECT_EQ(Summary()["num_incomplete"].as<int>(), 2);
}

// Filled pixels are paler in pictures and no points, but have a disparity and a depth.
TEST_F(RunCommand, CloudsAndPicturesShowWhatWasMeasured) {
  MakeKittiFolder(data(), 1);
  const std::string name = KittiName(0);
  const std::vector<std::string> outputs{"--write", "pfm,depth,color,cloud,validity,depth_sigma"};
  const auto color = [&] { return std::get<HostImage<Rgb8>>(ReadImage(out() / "color" / (name + ".png"))); };
  const auto cloud = [&] { return out() / "cloud" / (name + ".ply"); };
  ASSERT_EQ(Run(outputs).exit_code, 0);
  const PointCloud measured = ReadCloud(cloud());
  const HostImage<Rgb8> pale = color();
  const auto files = Results();
  const HostImage<float> sigma_m = ReadPfm(out() / "depth_sigma" / (name + ".pfm"));
  const std::string ply = ReadText(cloud());
  std::vector<std::string> all = outputs;
  all.insert(all.end(), {"--show-filled", "--resume"});
  ExpectOneLine(Run(all), 2, {"made with no --show-filled, not --show-filled"});
  all.back() = "--overwrite";
  ASSERT_EQ(Run(all).exit_code, 0);
  const PointCloud with_filled = ReadCloud(cloud());
  const HostImage<Rgb8> bright = color();
  const HostImage<std::uint8_t> validity = ReadGray8(out() / "validity" / (name + ".png"));
  std::size_t num_all = 0, num_measured = 0;
  std::vector<float> sigmas;
  for (int y = 0; y < validity.height(); ++y) {
    for (int x = 0; x < validity.width(); ++x) {
      const bool is_filled = (validity(x, y) & kFilled) != 0;
      EXPECT_EQ(pale(x, y), is_filled ? app::Paler(bright(x, y)) : bright(x, y));
      if (std::isnan(sigma_m(x, y))) continue;
      ASSERT_LT(num_all, with_filled.size());
      if (!is_filled) {
        ASSERT_LT(num_measured, measured.size());
        EXPECT_EQ(measured.points[num_measured], with_filled.points[num_all]);
        EXPECT_EQ(measured.colors[num_measured++], with_filled.colors[num_all]);
        sigmas.push_back(sigma_m(x, y));
      }
      ++num_all;
    }
  }
  EXPECT_EQ(num_all, with_filled.size());
  EXPECT_EQ(num_measured, measured.size());
  EXPECT_LT(num_measured, num_all);
  EXPECT_GT(num_measured, num_all / 2);
  const auto now = Results();
  for (const char* same : {"pfm/", "depth/", "validity/", "depth_sigma/"}) {
    const std::string file = same + name + (same[0] == 'p' || same[5] == '_' ? ".pfm" : ".png");
    ASSERT_TRUE(files.contains(file)) << file;
    EXPECT_TRUE(files.at(file) == now.at(file)) << file;
  }
  EXPECT_THAT(ply, HasSubstr("sigma_z"));
  float sigma = 0;  // of the last point
  std::memcpy(&sigma, ply.data() + ply.size() - sizeof(float), sizeof(float));
  EXPECT_EQ(sigma, sigmas.back());
}

// A fault that every frame has is reported once.
TEST_F(RunCommand, WhatEveryFrameSuffersIsToldOnce) {
  constexpr int kFrames = 4;
  MakeKittiFolder(data(), kFrames);
  const auto count = [](const std::string& text, const std::string& word) {
    std::size_t num = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++num;
    return num;
  };
  fs::create_directory(folder_.path() / "odd");
  for (int i = 0; i < kFrames; ++i) {
    WritePng(data() / "image_1" / (KittiName(i) + ".png"), HostImage<std::uint8_t>(60, 32, 7).ConstView());
    WritePng(folder_.path() / "odd" / (std::to_string(i) + ".png"),
             HostImage<std::uint8_t>(61, 32, 7).ConstView());
  }
  const std::string odd = (folder_.path() / "odd").string();
  const ProgramResult sizes = Run();
  EXPECT_EQ(sizes.exit_code, 1);
  EXPECT_EQ(count(sizes.out + sizes.err, "failed 00000"), 1U) << sizes.out << sizes.err;
  EXPECT_THAT(sizes.err, AllOf(HasSubstr("4 of 4 frames failed"), HasSubstr("differ in size")));
  const ProgramResult widths = RunSource({odd}, {"--layout", "side-by-side", "--overwrite"});
  EXPECT_EQ(widths.exit_code, 1);
  EXPECT_LE(count(widths.out + widths.err, "cannot hold two images side by side"), 2U)
      << widths.out << widths.err;
  EXPECT_GE(count(widths.err, "61 px wide"), 1U) << widths.err;
  const ProgramResult scored = RunParallax({"eval", data().string()});
  EXPECT_EQ(count(scored.err + scored.out, "differ in size"), 2U) << scored.err;  // the frame, and the end
}

TEST_F(RunCommand, CloudsAreCleanedAndTheirDensityMeasured) {
  MakeKittiFolder(data(), 2);
  ASSERT_EQ(Run({"--write", "cloud"}).exit_code, 0);
  const PointCloud plain = ReadCloud(out() / "cloud/000000_10.ply");
  fs::remove_all(out());
  const ProgramResult result = Run({"--write", "cloud,density", "--cloud-clean", "6,1.5"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const PointCloud cleaned = ReadCloud(out() / "cloud/000000_10.ply");
  EXPECT_EQ(Summary()["cloud_clean"].as<std::string>(), "6,1.5");
  YAML::Node frame = Summary()["frames"][0];  // in the order in which they ended
  if (frame["name"].as<std::string>() != "000000_10") frame = Summary()["frames"][1];
  EXPECT_EQ(frame["num_points"].as<std::size_t>(), plain.size());
  EXPECT_EQ(frame["num_points_removed"].as<std::size_t>(), plain.size() - cleaned.size());
  EXPECT_GT(plain.size(), cleaned.size());
  EXPECT_GT(cleaned.size(), plain.size() / 2);
  for (const char* row : {"cloud_clean", "density"}) {
    EXPECT_GT(Summary()["ms"][row]["mean"].as<double>(), 0) << row;
    EXPECT_THAT(result.out, HasSubstr(row));
  }
  EXPECT_THAT(result.out, HasSubstr("clouds cleaned: "));
  EXPECT_EQ(ReadCloud(out() / "density/000000_10.ply").points, cleaned.points);
  EXPECT_THAT(ReadText(out() / "density/000000_10.ply"), HasSubstr("property float quality"));
  EXPECT_TRUE(fs::exists(out() / "density/000001_10.ply"));
  EXPECT_FALSE(fs::exists(out() / "disparity"));
  ExpectOneLine(Run({"--cloud-clean", "6"}), 2, {"--cloud-clean '6' is not K,RATIO"});
}

TEST_F(RunCommand, TheSummaryCountsAndTimes) {
  MakeKittiFolder(data(), 3);
  ASSERT_EQ(Run({"--max-frames", "2"}).exit_code, 0);
  const YAML::Node summary = Summary();
  EXPECT_EQ(summary["kind"].as<std::string>(), "kitti2012");
  EXPECT_EQ(summary["num_frames"].as<int>(), 2);
  EXPECT_EQ(summary["num_done"].as<int>(), 2);
  EXPECT_EQ(summary["frames"].size(), 2U);
  EXPECT_EQ(summary["frames"][0]["num_disparities"].as<int>(), 24);
  EXPECT_GT(summary["frames_per_s"].as<double>(), 0);
  for (const char* stage : {"read", "census_transform", "aggregation", "reprojection", "match", "write"}) {
    EXPECT_TRUE(summary["ms"][stage]["median"]) << stage;
  }
  EXPECT_FALSE(fs::exists(out() / "disparity/000002_10.png"));
}

TEST_F(RunCommand, WritesTheEffectiveParameters) {
  MakeKittiFolder(data(), 1);
  ASSERT_EQ(Run({"--config", "kitti", "--set", "aggregation.p1=11"}).exit_code, 0);
  const Parameters parameters = LoadParameters((out() / "parameters.yaml").string());
  EXPECT_EQ(parameters.aggregation.p1, 11);
  EXPECT_EQ(parameters.matching_cost.num_disparities, 24);
  EXPECT_EQ(parameters.census_transform.window, LoadParameters("kitti").census_transform.window);
}

TEST_F(RunCommand, TheSameRunGivesTheSameBytesWithAnyNumberOfThreads) {
  MakeKittiFolder(data(), 4, 51, 23);
  ASSERT_EQ(Run({"--write", "disparity,pfm,depth,color,cloud"}).exit_code, 0);
  const auto first = Results();
  EXPECT_EQ(first.size(), 4U * 5U + 1U);
  for (const char* threads : {"1", "2", "3"}) {
    fs::remove_all(out());
    ASSERT_EQ(Run({"--write", "disparity,pfm,depth,color,cloud", "--threads", threads}).exit_code, 0);
    EXPECT_EQ(Results(), first) << threads;
  }
}

TEST_F(RunCommand, FiltersOverTimeGiveTheSameBytesOnEveryBackEnd) {
  MakeKittiFolder(data(), 3);
  const std::vector<std::string> filters{
      "--write", "disparity,validity",     "--set",      "live.spatial=true", "--set", "live.temporal=true",
      "--set",   "live.min_confidence=20", "--overwrite"};
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> all = filters;
    all.insert(all.end(), more.begin(), more.end());
    const ProgramResult result = Run(all);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Results();
  };
  const auto on_cpu = run({"--backend", "cpu", "--threads", "2"});
  EXPECT_EQ(on_cpu, run({"--backend", "reference", "--threads", "1"}));
  EXPECT_NE(on_cpu, run({"--backend", "cpu", "--set", "live.temporal=false"}));
}

TEST_F(RunCommand, ResumeIsRefusedWhereAFrameDependsOnThoseBefore) {
  MakeKittiFolder(data(), 1);
  ExpectOneLine(Run({"--set", "live.temporal=true", "--resume"}), 2, {"live.temporal", "--overwrite"});
}

TEST_F(RunCommand, DecimationMakesSmallerResultsWithTheirCalibration) {
  MakeKittiFolder(data(), 1);
  const ProgramResult result = Run({"--write", "disparity,depth", "--set", "live.decimation=2"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Summary()["frames"][0]["width"].as<int>(), 32);
}

TEST_F(RunCommand, ABadFrameIsNamedAndTheOthersDone) {
  MakeKittiFolder(data(), 4);
  const fs::path bad = data() / "image_1" / "000001_10.png";
  fs::resize_file(bad, fs::file_size(bad) / 2);
  const ProgramResult result = Run();
  ExpectOneLine(result, 1, {"1 of 4 frames failed", "000001_10", bad.string()});
  EXPECT_THAT(result.out, HasSubstr("4 frames: 3 done, 0 skipped, 1 failed"));
  EXPECT_TRUE(fs::exists(out() / "cloud/000003_10.ply"));
  EXPECT_FALSE(fs::exists(out() / "disparity/000001_10.png"));
  EXPECT_EQ(Summary()["num_failed"].as<int>(), 1);

  WritePng(data() / "image_1" / "000002_10.png", HostImage<std::uint8_t>(60, 32, 7).ConstView());
  ExpectOneLine(Run({"--overwrite"}), 1,
                {"2 of 4 frames failed", (out() / "summary.json").string(), "000001_10"});
  EXPECT_EQ(Summary()["frames"].size(), 4U);
}

TEST_F(RunCommand, ImagesOfDifferentSizeAreRefused) {
  MakeKittiFolder(data(), 1);
  WritePng(data() / "image_1" / "000000_10.png", HostImage<std::uint8_t>(60, 32, 7).ConstView());
  ExpectOneLine(Run(), 1, {"000000_10.png", "64", "60"});
}

TEST_F(RunCommand, BadInputIsOneLineWithFileValueAndRemedy) {
  MakeKittiFolder(data(), 1);
  const fs::path yaml = folder_.path() / "rig.yaml";
  const auto with_yaml = [&](const std::string& text) {
    WriteText(yaml, text);
    return Run({"--config", yaml.string()});
  };
  const std::string at_2 = yaml.string() + ":2: ";
  ExpectOneLine(with_yaml("aggregation:\n  p3: 1\n"), 2,
                {at_2, "aggregation.p3", "did you mean aggregation.p"});
  ExpectOneLine(with_yaml("aggregation:\n  p1: ten\n"), 2, {at_2, "'ten'", "whole number"});
  ExpectOneLine(with_yaml("aggregation:\n  p2: 5\n"), 2,
                {at_2, "aggregation.p2 (5)", "raise p2 or lower p1"});
  ExpectOneLine(with_yaml("filter:\n  median: 4\n"), 2, {at_2, "filter.median is 4", "3 or 5"});
  ExpectOneLine(with_yaml("filter: {\n"), 2, {yaml.string() + ":", "not valid YAML"});
  for (const char* d : {"0", "5000"}) {
    ExpectOneLine(Run({"--set", std::string("matching_cost.num_disparities=") + d}), 2,
                  {"matching_cost.num_disparities", d, "1 .. 1024"});
  }
  ExpectOneLine(Run({"--set", "aggregation.p1"}), 2, {"aggregation.p1: write key=value"});
  ExpectOneLine(Run({"--config", "kity"}), 2, {"kity", "did you mean kitti?"});
  ExpectOneLine(Run({"--backend", "gpu"}), 2, {"'gpu'", "reference"});
  ExpectOneLine(Run({"--write", "dispariti"}), 2, {"'dispariti'", "disparity"});
  ExpectOneLine(Run({"--threads", "-1"}), 2, {"--threads"});
  ExpectOneLine(Run({"--max-frames", "0"}), 2, {"--max-frames: Value 0 not in range"});
  ExpectOneLine(Run({"--memory-limit", "many"}), 2, {"--memory-limit"});
  ExpectOneLine(Run({"--backend", "reference", "--memory-limit", "60"}), 2, {"--memory-limit", "reference"});
  ExpectOneLine(RunSource({(folder_.path() / "nowhere").string()}), 1, {"nowhere"});
  ExpectOneLine(RunSource({yaml.string()}), 1, {"rig.yaml"});
  EXPECT_FALSE(fs::exists(out() / "disparity"));  // nothing was begun
}

TEST_F(RunCommand, FramesThatNeedMoreMemoryThanAllowedAreRefusedWithTheFigure) {
  MakeKittiFolder(data(), 1);
  const auto result =
      Run({"--backend", "cpu", "--set", "matching_cost.num_disparities=1024", "--memory-limit", "1"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("more than the limit of 1 MB"), std::string::npos) << result.err;
}

// The figure is that of all frames in flight, and it is enough.
TEST_F(RunCommand, TheMemoryThatIsNamedDoes) {
  MakeKittiFolder(data(), 2, 300, 120);
  for (const char* in_flight : {"1", "2", "3"}) {
    const std::vector<std::string> how{"--backend", "cpu", "--in-flight", in_flight,
                                       "--write",   "pfm", "--overwrite", "--memory-limit"};
    std::vector<std::string> little = how, enough = how;
    little.emplace_back("1");
    const ProgramResult refused = Run(little);
    EXPECT_EQ(refused.exit_code, 1);
    const std::size_t at = refused.err.find(" need ");
    ASSERT_NE(at, std::string::npos) << refused.err;
    const int needed_mb = std::stoi(refused.err.substr(at + 6));
    EXPECT_GT(needed_mb, 1) << refused.err;
    enough.push_back(std::to_string(needed_mb));
    EXPECT_EQ(Run(enough).exit_code, 0) << needed_mb;
  }
}

TEST_F(RunCommand, AFileLargerThanAllowedIsToldAndTheRestIsThere) {
  MakeKittiFolder(data(), 2, 200, 100);
  const ProgramResult limited =
      RunProgram("/bin/sh", {"-c", "ulimit -f 20; exec \"$0\" \"$@\"", kProgram, "run", data().string(),
                             "--set", "matching_cost.num_disparities=24", "--write", "disparity,cloud",
                             "--output", out().string()});
  EXPECT_EQ(limited.exit_code, 1);
  EXPECT_THAT(limited.err, HasSubstr("cloud/000000_10.ply: writing failed"));
  EXPECT_THAT(limited.err, HasSubstr("or the file larger than ulimit -f allows?\n"));
  const ProgramResult resumed = Run({"--write", "disparity,cloud", "--resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  for (const auto& entry : fs::recursive_directory_iterator(out()))
    EXPECT_FALSE(entry.path().filename().string().ends_with(".part")) << entry.path();
}

TEST_F(RunCommand, ACalibrationMayBeginWithAByteOrderMark) {
  MakeKittiFolder(data(), 1);
  const fs::path file = data() / "calib" / "000000.txt";
  const std::string text = ReadText(file);
  std::ofstream(file) << "\xEF\xBB\xBF" << text;
  EXPECT_EQ(Run({"--write", "depth"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(out() / "depth" / "000000_10.png"));
}

TEST_F(RunCommand, TheLogIsNotWrittenOverTheInputNorOverAResult) {
  MakeKittiFolder(data(), 1);
  const fs::path calibration = data() / "calib" / "000000.txt";
  const std::string before = ReadText(calibration);
  const ProgramResult result = Run({"--log-file", calibration.string()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("is read and would be overwritten"));
  EXPECT_EQ(ReadText(calibration), before);
  EXPECT_EQ(Run({"--log-file", (out() / "summary.json").string()}).exit_code, 2);
}

TEST_F(RunCommand, AnOutputFolderThatCannotBeMadeIsNamed) {
  MakeKittiFolder(data(), 1);
  WriteText(folder_.path() / "file", "");
  const std::string under_a_file = (folder_.path() / "file" / "out").string();
  ExpectOneLine(RunParallax({"run", data().string(), "--output", under_a_file}), 1,
                {under_a_file, "--output"});
}

TEST_F(RunCommand, ResumeDoesWhatIsMissingAndNothingElse) {
  MakeKittiFolder(data(), 3);
  ASSERT_EQ(Run().exit_code, 0);
  const auto first = Results();
  fs::remove(out() / "cloud" / "000001_10.ply");
  // Of a program that was killed: another file of that name, and one that nobody would have named so.
  WriteText(out() / "disparity" / ".parallax-0123456789abcdef.part", "half a file");
  WriteText(out() / "disparity" / ".mine.part", "somebody's");
  const auto touched = fs::last_write_time(out() / "disparity" / "000000_10.png");
  const ProgramResult result = Run({"--resume"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("3 frames: 1 done, 2 skipped, 0 failed"));
  EXPECT_EQ(fs::last_write_time(out() / "disparity" / "000000_10.png"), touched);
  EXPECT_EQ(ReadText(out() / "cloud" / "000001_10.ply"), first.at("cloud/000001_10.ply"));
  EXPECT_FALSE(fs::exists(out() / "disparity" / ".parallax-0123456789abcdef.part"));
  EXPECT_TRUE(fs::exists(out() / "disparity" / ".mine.part"));
  EXPECT_THAT(Run({"--resume"}).out, HasSubstr("3 frames: 0 done, 3 skipped, 0 failed"));
}

// Size and time of change can be kept by a program that copies; the inode and its own time of change cannot.
TEST_F(RunCommand, ResumeNoticesAnInputThatWasReplacedWithItsSizeAndTimeKept) {
  MakeKittiFolder(data(), 2);
  ASSERT_EQ(Run().exit_code, 0);
  const fs::path image = data() / "image_0" / (KittiName(1) + ".png");
  const auto time = fs::last_write_time(image);
  std::string bytes = ReadText(image);
  fs::remove(image);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  WriteText(image, bytes);
  fs::last_write_time(image, time);
  const ProgramResult result = Run({"--resume"});
  EXPECT_EQ(result.exit_code, 1);  // the image is damaged, which only reading it tells
  EXPECT_THAT(result.err, HasSubstr("1 of 2 frames failed: frame 000001_10"));
}

// A journal that somebody else has written.
TEST_F(RunCommand, OverwriteRemovesNothingThroughALinkAndNothingButResults) {
  MakeKittiFolder(data(), 1);
  const fs::path outside = folder_.path() / "outside";
  fs::create_directories(outside);
  WriteText(outside / "keep.png", "kept");
  WriteText(folder_.path() / "keep.txt", "kept");
  const auto forge = [&](const std::string& file) {
    fs::create_directories(out());
    const app::JournalRecord run{std::string(app::kRunRecord)},
        start{"start", {{"name", "x"}, {"file", file}}};
    WriteText(out() / "journal.tsv", app::JournalLine(run) + '\n' + app::JournalLine(start) + '\n');
  };
  fs::create_directories(out());
  fs::create_directory_symlink(outside, out() / "disparity");
  forge("disparity/keep.png");
  ExpectOneLine(Run({"--overwrite"}), 1, {(out() / "disparity").string(), "is a link", "--output"});
  fs::remove(out() / "disparity");
  fs::create_directory_symlink(outside, out() / "lnk");
  for (const char* file : {"lnk/keep.png", "../keep.txt", "journal.tsv", "disparity/../lnk/keep.png"}) {
    forge(file);
    Run({"--overwrite"});
    EXPECT_EQ(ReadText(outside / "keep.png"), "kept") << file;
    EXPECT_EQ(ReadText(folder_.path() / "keep.txt"), "kept") << file;
  }
}

TEST_F(RunCommand, NamesOfImagesMayBeLong) {
  const std::string name(240, 'n');
  for (const char* side : {"left", "right"}) {
    fs::create_directories(data() / side);
    WritePng(data() / side / (name + ".png"), HostImage<std::uint8_t>(40, 20, std::uint8_t{9}).ConstView());
  }
  const ProgramResult result =
      RunParallax({"run", (data() / "left/*.png").string(), (data() / "right/*.png").string(), "--output",
                   out().string(), "--set", "matching_cost.num_disparities=16"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(fs::exists(out() / "disparity" / (name + ".png")));
}

// What a power cut, a full disk or a hand leaves: no bytes, some, others.
TEST_F(RunCommand, ResumeTrustsOnlyWhatIsWhole) {
  MakeKittiFolder(data(), 4);
  ASSERT_EQ(Run().exit_code, 0);
  const auto first = Results();
  fs::resize_file(out() / "disparity" / "000000_10.png", 0);
  fs::resize_file(out() / "cloud" / "000001_10.ply", 100);
  std::string changed = first.at("color/000002_10.png");
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
  WriteText(out() / "color" / "000002_10.png", changed);
  EXPECT_THAT(Run({"--resume"}).out, HasSubstr("4 frames: 3 done, 1 skipped, 0 failed"));
  EXPECT_EQ(Results(), first);
}

TEST_F(RunCommand, AFolderWithResultsIsRefused) {
  MakeKittiFolder(data(), 3);
  ASSERT_EQ(Run({"--write", "disparity"}).exit_code, 0);
  const auto first = Results();
  ExpectOneLine(
      Run({"--write", "disparity", "--max-frames", "2", "--set", "filter.fill=false"}), 2,
      {out().string() + ": holds results already (disparity/000000_10.png)", "--overwrite", "--resume"});
  EXPECT_EQ(Results(), first);
  // Also without the parameters, and where all else than one result is gone.
  fs::remove(out() / "parameters.yaml");
  fs::remove(out() / "disparity" / "000000_10.png");
  ExpectOneLine(Run(), 2, {"holds results already (disparity/000001_10.png)"});
  ExpectOneLine(Run({"--resume", "--overwrite"}), 2, {"--overwrite", "--resume"});
}

TEST_F(RunCommand, OverwriteLeavesNothingOfTheRunBefore) {
  MakeKittiFolder(data(), 3);
  ASSERT_EQ(Run({"--write", "disparity,pfm"}).exit_code, 0);
  WriteText(out() / "pfm" / "notes.txt", "mine");
  ASSERT_EQ(Run({"--write", "pfm", "--max-frames", "1", "--overwrite"}).exit_code, 0);
  const auto results = Results();
  EXPECT_EQ(results.size(), 3U);
  EXPECT_EQ(results.count("pfm/000000_10.pfm"), 1U);
  EXPECT_EQ(results.count("pfm/notes.txt"), 1U);
  EXPECT_EQ(results.count("parameters.yaml"), 1U);
}

TEST_F(RunCommand, FilesThatNoJournalNamesAreLeftAlone) {
  MakeKittiFolder(data(), 1);
  WriteText(out() / "disparity" / "000000_10.png", "somebody's");
  for (const std::vector<std::string>& how : {std::vector<std::string>{}, {"--overwrite"}, {"--resume"}}) {
    ExpectOneLine(Run(how), 2, {"disparity/000000_10.png: exists, but no journal", "another --output"});
  }
  EXPECT_EQ(ReadText(out() / "disparity" / "000000_10.png"), "somebody's");
  EXPECT_FALSE(fs::exists(out() / "journal.tsv"));
}

// The three ways in which results of two runs could be mixed, one command after the other.
TEST_F(RunCommand, ResumeMixesNothing) {
  MakeKittiFolder(data(), 4);
  ASSERT_EQ(Run({"--write", "disparity"}).exit_code, 0);
  const auto first = Results();
  ExpectOneLine(Run({"--write", "disparity", "--set", "filter.fill=false", "--resume"}), 2,
                {out().string(), "filter.fill true, not false"});
  fs::remove(out() / "parameters.yaml");
  ExpectOneLine(Run({"--write", "disparity", "--set", "filter.fill=false", "--resume"}), 2,
                {"filter.fill true, not false"});
  // A second run with other parameters that was cut short, resumed with each set of parameters.
  ASSERT_EQ(Run({"--write", "disparity", "--set", "filter.fill=false", "--max-frames", "2", "--overwrite"})
                .exit_code,
            0);
  ExpectOneLine(Run({"--write", "disparity", "--resume"}), 2, {"filter.fill false, not true"});
  EXPECT_THAT(Run({"--write", "disparity", "--set", "filter.fill=false", "--resume"}).out,
              HasSubstr("4 frames: 2 done, 2 skipped, 0 failed"));
  const auto second = Results();
  fs::remove_all(out());
  ASSERT_EQ(Run({"--write", "disparity", "--set", "filter.fill=false"}).exit_code, 0);
  EXPECT_EQ(Results(), second);
}

TEST_F(RunCommand, ResumeKnowsAnotherSourceWithFramesOfTheSameNames) {
  MakeKittiFolder(data(), 2);
  ASSERT_EQ(Run({"--write", "disparity"}).exit_code, 0);
  const auto first = Results();
  // The same pixels elsewhere are the same input.
  const fs::path moved = folder_.path() / "moved";
  fs::copy(data(), moved, fs::copy_options::recursive);
  EXPECT_THAT(RunSource({moved.string()}, {"--write", "disparity", "--resume"}).out,
              HasSubstr("2 frames: 0 done, 2 skipped, 0 failed"));
  const fs::path other = folder_.path() / "other";
  MakeKittiFolder(other, 2);
  for (int i = 0; i < 2; ++i) {
    WritePng(other / "image_1" / (KittiName(i) + ".png"), HostImage<std::uint8_t>(64, 32, 7).ConstView());
  }
  ExpectOneLine(RunSource({other.string()}, {"--write", "disparity", "--resume"}), 1,
                {"2 of 2 frames failed", "another input (" + data().string(), "--overwrite"});
  EXPECT_EQ(Results(), first);
}

TEST_F(RunCommand, ResumeAddsOutputs) {
  MakeKittiFolder(data(), 2);
  ASSERT_EQ(Run({"--write", "disparity"}).exit_code, 0);
  EXPECT_THAT(Run({"--write", "pfm", "--resume"}).out, HasSubstr("2 done, 0 skipped"));
  EXPECT_THAT(Run({"--write", "pfm,disparity", "--resume"}).out, HasSubstr("0 done, 2 skipped"));
}

TEST_F(RunCommand, NothingIsWrittenOverTheInput) {
  const fs::path left = out() / "color" / "l.png", right = out() / "color" / "r.png";
  MakeKittiFolder(data(), 1);
  fs::create_directories(left.parent_path());
  fs::copy(data() / "image_0/000000_10.png", left);
  fs::copy(data() / "image_1/000000_10.png", right);
  const std::string before = ReadText(left);
  for (const std::vector<std::string>& how : {std::vector<std::string>{}, {"--overwrite"}}) {
    ExpectOneLine(RunSource({left.string(), right.string()}, how), 2,
                  {left.string() + ": is an input, and results would be written next to it or over it"});
  }
  EXPECT_EQ(ReadText(left), before);
  // By another name of the same folder.
  fs::create_directory_symlink(out(), folder_.path() / "alias");
  ExpectOneLine(RunSource({(folder_.path() / "alias/color/l.png").string(), right.string()}), 2,
                {"is an input"});
}

// The option stood before the folder, and took it for its value.
TEST_F(RunCommand, CloudCleanWithoutNumbersLeavesTheSourceAlone) {
  MakeKittiFolder(data(), 1);
  const ProgramResult result = RunParallax({"run", "--cloud-clean", data().string(), "-o", out().string(),
                                            "--set", "matching_cost.num_disparities=24"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Summary()["cloud_clean"].as<std::string>(), "16,2");
}

TEST_F(RunCommand, TheSummaryIsUtf8WhateverTheNames) {
  const fs::path odd = folder_.path() / "caf\xe9";
  MakeKittiFolder(odd, 1);
  ASSERT_EQ(RunSource({odd.string()}).exit_code, 0);
  EXPECT_THAT(ReadText(out() / "summary.json"), HasSubstr("caf\\\\xe9"));
}

TEST_F(RunCommand, PairsWhoseNamesDoNotMatchAreNamed) {
  const fs::path left = folder_.path() / "L", right = folder_.path() / "R";
  MakeKittiFolder(data(), 3);
  fs::create_directories(left);
  fs::create_directories(right);
  const char* names[][2] = {{"f1.png", "f1.png"}, {"f2.png", "f2.png"}, {"f10.png", "g.png"}};
  for (int i = 0; i < 3; ++i) {
    fs::copy(data() / "image_0" / (KittiName(i) + ".png"), left / names[i][0]);
    fs::copy(data() / "image_1" / (KittiName(i) + ".png"), right / names[i][1]);
  }
  const ProgramResult result = RunSource({left.string(), right.string()}, {"--write", "disparity"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("f10: paired by order with g.png, and the two names differ"));
  fs::remove_all(out());
  fs::remove(left / "f10.png");
  fs::remove(right / "g.png");
  EXPECT_EQ(RunSource({left.string(), right.string()}, {"--write", "disparity"}).out.find("paired by order"),
            std::string::npos);
}

TEST_F(RunCommand, TwoProgramsDoNotWriteIntoOneFolder) {
  MakeKittiFolder(data(), 40, 200, 100);
  const pid_t first =
      StartProgram(kProgram, {"run", data().string(), "--backend", "reference", "--output", out().string()},
                   folder_.path() / "stdout", folder_.path() / "stderr");
  ASSERT_TRUE(AwaitWhileRunning(first, [&] { return fs::exists(out() / "disparity" / "000000_10.png"); }));
  for (const char* how : {"--overwrite", "--resume"}) {
    ExpectOneLine(Run({how}), 1, {out().string() + ": another parallax is writing there"});
  }
  kill(first, SIGKILL);
  WaitForProgram(first);
  EXPECT_EQ(Run({"--overwrite", "--max-frames", "1"}).exit_code, 0);  // its lock went with it
}

TEST_F(RunCommand, ResumeKnowsFramesWithoutCalibration) {
  MakeKittiFolder(data(), 2, 64, 32, false);
  ASSERT_EQ(Run().exit_code, 0);
  EXPECT_THAT(Run({"--resume"}).out, HasSubstr("2 frames: 0 done, 2 skipped, 0 failed"));
}

TEST_F(RunCommand, ResumeRefusesOtherCleaning) {
  MakeKittiFolder(data(), 1);
  ASSERT_EQ(Run({"--cloud-clean", "8,2"}).exit_code, 0);
  ExpectOneLine(Run({"--resume"}), 2, {"made with --cloud-clean 8,2, not no --cloud-clean"});
  ExpectOneLine(Run({"--resume", "--cloud-clean", "8,3"}), 2,
                {"made with --cloud-clean 8,2, not --cloud-clean 8,3"});
  EXPECT_EQ(Run({"--resume", "--cloud-clean", "8,2"}).exit_code, 0);
}

// What was matched before the source was lost is there, and told.
TEST_F(RunCommand, AVideoThatIsCutShortFailsWithItsSummary) {
  const fs::path video = folder_.path() / "cut.avi";
  WriteText(video, AviVideo(10, 4));
  const ProgramResult result = RunSource({video.string()}, {"--write", "disparity"});
  if (result.err.find("PARALLAX_VIDEO") != std::string::npos) GTEST_SKIP() << result.err;
  ExpectOneLine(result, 1, {"cut.avi: ends after 4 of the 10 pictures"});
  EXPECT_EQ(Summary()["num_done"].as<int>(), 4);
  EXPECT_TRUE(fs::exists(out() / "disparity/cut_000003.png"));
}

// Two files with the rig of the data set they come from give what the data set gives.
TEST_F(RunCommand, ANamedRigIsThatOfThePair) {
  MakeKittiFolder(data(), 1);
  ASSERT_EQ(Run().exit_code, 0);
  const auto of_the_set = Results();
  fs::remove_all(out());
  const std::vector<std::string> pair = {(data() / "image_0" / (KittiName(0) + ".png")).string(),
                                         (data() / "image_1" / (KittiName(0) + ".png")).string()};
  const ProgramResult without = RunSource(pair);
  EXPECT_EQ(without.exit_code, 0);
  EXPECT_THAT(without.out, HasSubstr("no calibration: image pairs carry none (--rig names one)"));
  fs::remove_all(out());
  ASSERT_EQ(RunSource(pair, {"--rig", "100,31.5,15.5,0.5"}).exit_code, 0);
  for (const auto& [name, bytes] : Results()) {
    if (name != "parameters.yaml") {
      EXPECT_EQ(bytes, of_the_set.at(name)) << name;
    }
  }
  EXPECT_EQ(Summary()["rig"].as<std::string>(), "100,31.5,15.5,0.5");
  EXPECT_EQ(Results().size(), of_the_set.size());

  ExpectOneLine(RunSource(pair, {"--resume"}), 2, {"made with --rig 100,31.5,15.5,0.5, not no --rig"});
  EXPECT_EQ(RunSource(pair, {"--resume", "--rig", "100,31.5,15.5,0.5"}).exit_code, 0);
  EXPECT_THAT(
      RunSource(pair, {"--rig", "100,31.5,15.5,0.5", "--overwrite", "--set", "reprojection.max_depth_m=0.2"})
          .out,
      HasSubstr("the cloud is empty"));
  // doffs: Z = f b / (d + doffs).
  ASSERT_EQ(RunSource(pair, {"--rig", "100,31.5,15.5,0.5,5", "--write", "pfm,cloud", "--overwrite",
                             "--show-filled"})
                .exit_code,
            0);
  const float d_px = ReadPfm(out() / "pfm" / (KittiName(0) + ".pfm"))(0, 0);
  EXPECT_NEAR(ReadPly(out() / "cloud" / (KittiName(0) + ".ply")).points.at(0).z, 50 / (d_px + 5), 1e-4F);
}

TEST_F(RunCommand, ANamedRigIsLookedAtBeforeTheWork) {
  MakeKittiFolder(data(), 1);
  for (const char* wrong :
       {"100", "100,1,1", "100,1,1,x", "100,1,1,0.5,0,0", "100,1,1,nan", "100,1,1,0.5,"}) {
    ExpectOneLine(Run({"--rig", wrong}), 2, {std::string("--rig '") + wrong, "FX,CX,CY,BASELINE[,DOFFS]"});
  }
  ExpectOneLine(Run({"--rig", "0,1,1,0.5"}), 2, {"must be above 0"});
  ExpectOneLine(Run({"--rig", "100,1,1,-0.5"}), 2, {"must be above 0"});
  ExpectOneLine(Run({"--rig", "100,1,1,540"}), 2, {"540 m", "BASELINE in metres"});
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(RunCommand, ResumeRefusesOtherParameters) {
  MakeKittiFolder(data(), 1);
  ASSERT_EQ(Run().exit_code, 0);
  ExpectOneLine(
      Run({"--resume", "--set", "aggregation.p1=9"}), 2,
      {(out() / "parameters.yaml").string(), "aggregation.p1 16, not 9", "--output", "--overwrite"});
  EXPECT_EQ(Run({"--resume"}).exit_code, 0);
  EXPECT_EQ(RunParallax({"run", data().string(), "--output", out().string(), "--resume", "--config",
                         (out() / "parameters.yaml").string()})
                .exit_code,
            0);
}

// Starts a long run and waits until its first results are there.
class LongRun : public RunCommand {
 protected:
  void Start() {
    MakeKittiFolder(data(), 60, 140, 70);
    child_ = StartProgram(kProgram, Arguments(false), folder_.path() / "stdout", folder_.path() / "stderr");
    ASSERT_TRUE(AwaitWhileRunning(child_, [&] { return fs::exists(out() / "cloud" / "000002_10.ply"); }));
  }
  std::vector<std::string> Arguments(bool resume) const {
    std::vector<std::string> arguments{
        "run",      data().string(), "--no-check", "--set",    "matching_cost.num_disparities=64",
        "--output", out().string(),  "--backend",  "reference"};
    if (resume) arguments.emplace_back("--resume");
    return arguments;
  }
  // Fails unless every file that has its final name is whole; returns how many there are.
  int CheckFilesAreWhole() const {
    int num_files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(out())) {
      const std::string ending = entry.path().extension();
      if (!entry.is_regular_file() || ending == ".part") continue;
      ++num_files;
      if (ending == ".png") {
        EXPECT_NO_THROW(ReadImage(entry.path()));
      }
      if (ending == ".ply") {
        EXPECT_NO_THROW(ReadPly(entry.path()));
      }
      if (ending == ".yaml") {
        EXPECT_NO_THROW(LoadParameters(entry.path()));
      }
    }
    return num_files;
  }
  pid_t child_ = 0;
};

TEST_F(LongRun, KilledLeavesNoHalfFileAndCanBeResumed) {
  Start();
  kill(child_, SIGKILL);
  EXPECT_EQ(WaitForProgram(child_), 128 + SIGKILL);
  EXPECT_GE(CheckFilesAreWhole(), 3 * 4 + 2);
  EXPECT_FALSE(fs::exists(out() / "cloud" / "000059_10.ply")) << "it was killed too late to show anything";
  const ProgramResult result = RunParallax(Arguments(true));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(CheckFilesAreWhole(), 60 * 4 + 3);
  EXPECT_GT(Summary()["num_skipped"].as<int>(), 0);
}

// Where matching a frame takes longer than anybody wants to wait: the journal knows what is whole.
TEST_F(LongRun, InterruptedEndsWithinTwoSeconds) {
  const std::vector<std::string> arguments{"run",       "synthetic:planes,width=1200,height=700,frames=4",
                                           "--set",     "matching_cost.num_disparities=256",
                                           "--backend", "reference",
                                           "--threads", "1",
                                           "--output",  out().string()};
  const pid_t child = StartProgram(kProgram, arguments, folder_.path() / "stdout", folder_.path() / "stderr");
  ASSERT_TRUE(AwaitWhileRunning(child, [&] { return Catches(child, SIGTERM); }));
  kill(child, SIGTERM);
  EXPECT_EQ(WaitForProgram(child), 1);
  EXPECT_THAT(ReadText(folder_.path() / "stderr"),
              MatchesRegex("parallax: interrupted after [0-9] of 4 frames: continue with --resume\n"));
  EXPECT_THAT(ReadText(folder_.path() / "stdout"), HasSubstr("interrupted: "));
  EXPECT_TRUE(Summary()["interrupted"].as<bool>());
}

TEST_F(LongRun, APipeThatNobodyFillsEndsAtTheFirstSignal) {
  const fs::path pipe = folder_.path() / "pipe.png";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const pid_t child =
      StartProgram(kProgram, {"run", pipe.string(), pipe.string(), "--output", out().string()},
                   folder_.path() / "stdout", folder_.path() / "stderr");
  ASSERT_TRUE(AwaitWhileRunning(child, [&] { return Catches(child, SIGTERM); }));
  kill(child, SIGTERM);
  EXPECT_EQ(WaitForProgram(child), 1) << ReadText(folder_.path() / "stderr");
}

// timeout sends its signal to the process and to its group.
TEST_F(LongRun, SignalsThatComeTogetherAreOneWish) {
  Start();
  for (int i = 0; i < 1000; ++i) kill(child_, SIGTERM);
  EXPECT_EQ(WaitForProgram(child_), 1);
  EXPECT_TRUE(Summary()["interrupted"].as<bool>());
}

TEST_F(LongRun, InterruptedEndsWithItsSummary) {
  Start();
  kill(child_, SIGINT);
  EXPECT_EQ(WaitForProgram(child_), 1);
  EXPECT_THAT(ReadText(folder_.path() / "stderr"),
              MatchesRegex("parallax: interrupted after [0-9]+ of 60 frames: continue with --resume\n"));
  EXPECT_TRUE(Summary()["interrupted"].as<bool>());
  const int num_done = Summary()["num_done"].as<int>();
  EXPECT_LT(num_done, 60);
  EXPECT_EQ(CheckFilesAreWhole(), num_done * 4 + 3);  // every frame that was begun is whole
}

}  // namespace
}  // namespace parallax::test
