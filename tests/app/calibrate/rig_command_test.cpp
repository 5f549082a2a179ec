// parallax rig, parallax rectify and --rig with files, as a user uses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "datasets/calibration/calibration_file.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "pipeline/calibration/rectification.h"
#include "tests/support/images.h"
#include "tests/support/raw_rigs.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Smooth noise with a value at every `cell_m`.
double WallGray(double x_m, double y_m, double cell_m, std::uint32_t seed) {
  const double x = x_m / cell_m, y = y_m / cell_m;
  const int u = static_cast<int>(std::floor(x)), v = static_cast<int>(std::floor(y));
  const double a = x - u, b = y - v;
  return (1 - b) * ((1 - a) * NoiseAt(u, v, seed) + a * NoiseAt(u + 1, v, seed)) +
         b * ((1 - a) * NoiseAt(u, v + 1, seed) + a * NoiseAt(u + 1, v + 1, seed));
}

// A wall with texture, at right angles to the rectified z, as a raw camera sees it.
HostImage<std::uint8_t> PictureOfWall(const CameraModel& camera, const Matrix3& rectified_from_camera,
                                      const Vector3& camera_centre_rectified, double z_m) {
  const CameraProjection projection(camera);
  return ImageFrom<std::uint8_t>(camera.width_px, camera.height_px, [&](int x, int y) {
    const auto ray = projection.Unproject({static_cast<double>(x), static_cast<double>(y)});
    if (!ray) return 0.0;
    const Vector3 d = rectified_from_camera * *ray;
    const double u = camera_centre_rectified.x + d.x / d.z * z_m, v = d.y / d.z * z_m;
    return std::clamp(0.5 * WallGray(u, v, 0.012, 3) + 0.5 * WallGray(u, v, 0.045, 4), 0.0, 255.0);
  });
}

class RigCommand : public ::testing::Test {
 protected:
  fs::path folder() const { return folder_.path(); }
  std::string RigFile(const RawRig& rig) {
    Calibration calibration;
    calibration.raw = rig;
    WriteCalibration(calibration, "parallax", folder() / "rig.yaml");
    return (folder() / "rig.yaml").string();
  }
  void WriteWall(const RawRig& rig, double z_m) {
    const Rectification r = MakeRectification(rig);
    WritePng(folder() / "left.png", PictureOfWall(rig.left, r.rectified_from_left, {}, z_m).ConstView());
    WritePng(folder() / "right.png",
             PictureOfWall(rig.right, r.rectified_from_right, {rig.baseline_m(), 0, 0}, z_m).ConstView());
  }
  std::vector<std::string> Pair() const {
    return {(folder() / "left.png").string(), (folder() / "right.png").string()};
  }

  TemporaryFolder folder_;
};

void ExpectOneLine(const ProgramResult& result, int exit_code, const std::string& words) {
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  EXPECT_THAT(result.err, StartsWith("parallax: "));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr(words));
}

TEST_F(RigCommand, RawPairsAreRectifiedMatchedAndAtTheirDepth) {
  const RawRig rig = WideRig();
  const std::string file = RigFile(rig);
  constexpr double kDepth_m = 1.5;
  WriteWall(rig, kDepth_m);
  const auto run = [&](const std::vector<std::string>& pair, const std::string& rig_file,
                       const std::string& output, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run",   pair[0],    pair[1],
                                       "--rig", rig_file,   "--nearest",
                                       "1",     "--output", (folder() / output).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunParallax(arguments);
  };
  const std::vector<std::string> unfilled{"--write", "pfm", "--set", "filter.fill=false"};
  const ProgramResult result = run(Pair(), file, "out", unfilled);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const HostImage<float> disparity = ReadPfm(folder() / "out/pfm/left.pfm");
  const StereoRig rectified = MakeRectification(rig).rig;
  const double expected = rectified.fx_px * rectified.baseline_m / kDepth_m;
  std::size_t num_right = 0;
  for (int y = 0; y < disparity.height(); ++y) {
    for (int x = 0; x < disparity.width(); ++x)
      num_right += std::abs(disparity(x, y) - expected) < 0.3 ? 1U : 0U;
  }
  EXPECT_GT(num_right, 640U * 480U * 7U / 10U);

  // The same in two steps.
  const ProgramResult rectify = RunParallax(
      {"rectify", Pair()[0], Pair()[1], "--rig", file, "--output", (folder() / "rectified").string()});
  ASSERT_EQ(rectify.exit_code, 0) << rectify.err;
  const ProgramResult again =
      run({(folder() / "rectified/left").string(), (folder() / "rectified/right").string()},
          (folder() / "rectified/rig.yaml").string(), "again", unfilled);
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(SamePixels(ReadPfm(folder() / "again/pfm/left.pfm").ConstView(), disparity.ConstView()));
  // Borders have no disparity even where holes are filled.
  ASSERT_EQ(run(Pair(), file, "all", {"--zoom", "all", "--write", "pfm,validity"}).exit_code, 0);
  const HostImage<float> all = ReadPfm(folder() / "all/pfm/left.pfm");
  EXPECT_TRUE(std::isnan(all(320, 2)));
  EXPECT_FALSE(std::isnan(all(320, 240)));
}

TEST_F(RigCommand, ShowsAndConverts) {
  const std::string file = RigFile(WideRig());
  const ProgramResult show = RunParallax({"rig", "show", file, "--nearest", "0.5"});
  ASSERT_EQ(show.exit_code, 0) << show.err;
  EXPECT_THAT(show.out, HasSubstr("plumb_bob"));
  EXPECT_THAT(show.out, HasSubstr("baseline 120.0"));
  EXPECT_THAT(show.out, HasSubstr("--set matching_cost.num_disparities="));
  const std::string ros = (folder() / "ros.yaml").string();
  ASSERT_EQ(RunParallax({"rig", "convert", file, ros, "--to", "ros"}).exit_code, 0);
  const std::string pair =
      (folder() / "ros_left.yaml").string() + "," + (folder() / "ros_right.yaml").string();
  EXPECT_THAT(RunParallax({"rig", "show", pair}).out, HasSubstr("format     ros"));
  ExpectOneLine(RunParallax({"rig", "convert", file, ros, "--to", "ros"}), 2, "--overwrite");
  ExpectOneLine(RunParallax({"rig", "convert", file, file}), 2, "rig.yaml");
  RawRig swapped = WideRig();
  swapped.translation_m = -swapped.translation_m;
  EXPECT_THAT(RunParallax({"rig", "show", RigFile(swapped)}).out, HasSubstr("exchanged"));
}

TEST_F(RigCommand, ChecksWhetherARigFitsAndMendsIt) {
  const RawRig rig = WideRig();
  WriteWall(rig, 1.5);
  const auto check = [&](const std::string& file) {
    return RunParallax({"doctor", Pair()[0], Pair()[1], "--rig", file});
  };
  const ProgramResult fits = check(RigFile(rig));
  EXPECT_EQ(fits.exit_code, 0) << fits.err;
  EXPECT_THAT(fits.out, HasSubstr("no fault"));
  EXPECT_THAT(fits.out, testing::Not(HasSubstr("--mend")));
  RawRig old = rig;  // rows off by 0.3 px: fits, and is worth mending
  const double off = 0.3 / MakeRectification(rig).rig.fx_px;
  old.right_from_left = RotationOf({off, 0, 0}) * rig.right_from_left;
  old.translation_m = RotationOf({off, 0, 0}) * rig.translation_m;
  const ProgramResult worth_mending = check(RigFile(old));
  EXPECT_EQ(worth_mending.exit_code, 0) << worth_mending.err;
  EXPECT_THAT(worth_mending.out, HasSubstr("--mend mended.yaml"));

  RawRig knocked = rig;  // 0.3 degrees about x and z
  knocked.right_from_left = RotationOf({0.005, 0, 0.005}) * rig.right_from_left;
  knocked.translation_m = RotationOf({0.005, 0, 0.005}) * rig.translation_m;
  const std::string file = RigFile(knocked);
  ExpectOneLine(check(file), 1, "1 fault: rows");
  EXPECT_THAT(check(file).out, HasSubstr("(about x)"));
  const ProgramResult run = RunParallax({"run", Pair()[0], Pair()[1], "--rig", file, "--write", "disparity",
                                         "--output", (folder() / "out").string()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("the rig does not fit these images"));
  const std::string refined = (folder() / "refined.yaml").string();
  const ProgramResult refine =
      RunParallax({"doctor", Pair()[0], Pair()[1], "--rig", file, "--mend", refined});
  ASSERT_EQ(refine.exit_code, 0) << refine.err;
  EXPECT_EQ(check(refined).exit_code, 0);
  const RawRig again = *ReadCalibration(refined).raw;
  EXPECT_NEAR(again.baseline_m(), rig.baseline_m(), 1e-9);
  const Vector3 left_over = RotationVectorOf(again.right_from_left * Transposed(rig.right_from_left));
  EXPECT_LT(std::abs(left_over.x), 0.0004);
  EXPECT_LT(std::abs(left_over.z), 0.0008);
  ExpectOneLine(RunParallax({"doctor", Pair()[0], Pair()[1], "--rig", file, "--mend", refined}), 2,
                "--overwrite");
}

// Each is rectified by the other's lens, so that rows differ too; the remedy keeps rig and layout, as a shell takes it.
TEST_F(RigCommand, ExchangedRawImagesAreNamedAsSuch) {
  const std::string file = RigFile(WideRig());
  WriteWall(WideRig(), 1.5);
  const ProgramResult run = RunParallax({"run", Pair()[1], Pair()[0], "--rig", file, "--write", "disparity",
                                         "--output", (folder() / "out").string()});
  EXPECT_THAT(run.err, HasSubstr("left and right look exchanged"));
  const ProgramResult doctor = RunParallax({"doctor", Pair()[1], Pair()[0], "--rig", file});
  EXPECT_THAT(doctor.out,
              HasSubstr("remedy: parallax run " + Pair()[0] + " " + Pair()[1] + " --rig " + file + "\n"));
  const std::string stacked = (folder() / "right over left.png").string();
  HostImage<std::uint8_t> both(640, 960);
  for (int half = 0; half < 2; ++half) {
    const CameraImage image = ReadImage(Pair()[static_cast<std::size_t>(1 - half)]);
    const auto& gray = std::get<HostImage<std::uint8_t>>(image);
    for (int y = 0; y < 480; ++y) std::copy_n(gray.Row(y), 640, both.Row(480 * half + y));
  }
  WritePng(stacked, both.ConstView());
  EXPECT_THAT(RunParallax({"doctor", stacked, "--layout", "top-bottom", "--rig", file}).out,
              HasSubstr("remedy: parallax run '" + stacked + "' --layout bottom-top --rig " + file + ";"));
}

TEST_F(RigCommand, WrongUseIsToldInOneLine) {
  const std::string file = RigFile(WideRig());
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "run", Pair()[0], Pair()[1], "--output", (folder() / "out").string(), "--overwrite"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunParallax(arguments);
  };
  const HostImage<std::uint8_t> small(64, 48, 9);
  WritePng(folder() / "left.png", small.ConstView());
  WritePng(folder() / "right.png", small.ConstView());
  ExpectOneLine(run({"--rig", file}), 1, "the left image is 64x48, but the rig is for 640x480 images");
  ExpectOneLine(run({"--rig", "no_such.yaml"}), 2, "neither a file nor FX,CX,CY,BASELINE");
  ExpectOneLine(run({"--rig", file, "--zoom", "0"}), 2, "--zoom '0'");
  ExpectOneLine(run({"--rig", file, "--rectified-size", "640"}), 2, "WIDTHxHEIGHT");
  ExpectOneLine(run({"--zoom", "all"}), 1, "--rectified-size and --zoom apply to raw images");
  ExpectOneLine(run({"--nearest", "1"}), 1, "--nearest needs a calibration");
  RawRig swapped = WideRig();
  swapped.translation_m = -swapped.translation_m;
  WriteWall(WideRig(), 2);
  ExpectOneLine(run({"--rig", RigFile(swapped)}), 1, "exchanged");
  WriteText(folder() / "hello.txt", "hello");
  ExpectOneLine(run({"--rig", (folder() / "hello.txt").string()}), 1, "not a known calibration format");
  WriteText(folder() / "flat.yaml",
            "parallax_rig: 1\nrectified: {focal_px: 500, principal_point_px: [1, 2], baseline_m: 0}\n");
  ExpectOneLine(run({"--rig", (folder() / "flat.yaml").string()}), 1, "baseline");
  ExpectOneLine(run({"--rig", "500,320,240,-0.1"}), 2, "baseline");
  ExpectOneLine(RunParallax({"rectify", Pair()[0], Pair()[1], "--output", (folder() / "r").string()}), 1,
                "--rig FILE");
}

}  // namespace
}  // namespace parallax::test
