#include "datasets/calibration/calibration_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "parallax/error.h"
#include "tests/support/calibration_texts.h"
#include "tests/support/raw_rigs.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class CalibrationFile : public ::testing::Test {
 protected:
  // Writes files and reads them as one calibration.
  Calibration Read(const std::vector<std::string>& texts, const std::string& ending = ".yaml") {
    std::string name;
    for (const std::string& text : texts) {
      const fs::path file = folder_.path() / ("file" + std::to_string(count_++) + ending);
      WriteText(file, text);
      name += (name.empty() ? "" : ",") + file.string();
    }
    return ReadCalibration(name);
  }
  std::string ErrorOf(const std::vector<std::string>& texts) {
    try {
      Read(texts);
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  int count_ = 0;
};

void ExpectSame(const RawRig& a, const RawRig& b, double tolerance) {
  for (const auto& [x, y] : {std::pair{&a.left, &b.left}, std::pair{&a.right, &b.right}}) {
    EXPECT_EQ(x->width_px, y->width_px);
    EXPECT_EQ(x->height_px, y->height_px);
    EXPECT_NEAR(x->fx_px, y->fx_px, tolerance);
    EXPECT_NEAR(x->cy_px, y->cy_px, tolerance);
    EXPECT_EQ(x->lens, y->lens);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(x->distortion[i], y->distortion[i], tolerance);
  }
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(a.right_from_left.m[i], b.right_from_left.m[i], tolerance);
  EXPECT_NEAR(Length(a.translation_m - b.translation_m), 0, tolerance);
}

TEST_F(CalibrationFile, EveryWritableFormatComesBackAsItWas) {
  RawRig four = WideRig();  // Kalibr's lens has four coefficients
  four.left.distortion[4] = four.right.distortion[4] = 0;
  RawRig eight = WideRig();
  eight.left.distortion = eight.right.distortion = {-0.2, 0.1, 0.001, 0.002, 0.01, 0.02, -0.01, 0.003};
  for (const auto& [format, rig] :
       {std::pair{"parallax", WideRig()}, std::pair{"parallax", FisheyeRig()}, std::pair{"parallax", eight},
        std::pair{"opencv", WideRig()}, std::pair{"opencv", FisheyeRig()}, std::pair{"opencv", eight},
        std::pair{"kalibr", four}, std::pair{"kalibr", FisheyeRig()}, std::pair{"ros", WideRig()},
        std::pair{"ros", FisheyeRig()}, std::pair{"mrcal", WideRig()}, std::pair{"mrcal", eight}}) {
    SCOPED_TRACE(format);
    Calibration calibration;
    calibration.raw = rig;
    calibration.quality = {{"rms_stereo_px", 0.25}};
    const auto files = WriteCalibration(calibration, format, folder_.path() / "rig.yaml");
    EXPECT_EQ(files, CalibrationFiles(format, folder_.path() / "rig.yaml"));
    const Calibration again =
        ReadCalibration(files.size() == 1 ? files[0].string() : files[0].string() + "," + files[1].string());
    EXPECT_EQ(again.format, format);
    ASSERT_TRUE(again.raw);
    ExpectSame(*again.raw, rig, 1e-9);
    if (again.format == "parallax") {
      EXPECT_EQ(again.quality, calibration.quality);
    }
  }
  Calibration five;
  five.raw = WideRig();
  EXPECT_THROW(WriteCalibration(five, "kalibr", folder_.path() / "a.yaml"), InvalidArgument);
  EXPECT_THROW(WriteCalibration(five, "docx", folder_.path() / "a.yaml"), InvalidArgument);
  five.raw = FisheyeRig();
  EXPECT_THROW(WriteCalibration(five, "mrcal", folder_.path() / "a.yaml"), InvalidArgument);
  Calibration rectified;
  rectified.rectified = RectifiedCalibration{{700, 320, 240, 0.12, 3}, 640, 480};
  EXPECT_THROW(WriteCalibration(rectified, "opencv", folder_.path() / "a.yaml"), InvalidArgument);
  WriteCalibration(rectified, "parallax", folder_.path() / "b.yaml");
  const Calibration again = ReadCalibration((folder_.path() / "b.yaml").string());
  ASSERT_TRUE(again.rectified);
  EXPECT_EQ(again.rectified->rig.fx_px, 700);
  EXPECT_EQ(again.rectified->rig.cx_px, 320);
  EXPECT_EQ(again.rectified->rig.cy_px, 240);
  EXPECT_EQ(again.rectified->rig.baseline_m, 0.12);
  EXPECT_EQ(again.rectified->rig.doffs_px, 3);
  EXPECT_EQ(again.rectified->width_px, 640);
  EXPECT_EQ(again.rectified->height_px, 480);
}

TEST_F(CalibrationFile, ReadsWhatOthersWrite) {
  const Calibration kalibr = Read({kKalibr});
  EXPECT_EQ(kalibr.format, "kalibr");
  EXPECT_EQ(kalibr.raw->left.lens, LensModel::kPlumbBob);
  EXPECT_EQ(kalibr.raw->right.lens, LensModel::kFisheye);
  EXPECT_DOUBLE_EQ(kalibr.raw->translation_m.x, -0.11);
  EXPECT_DOUBLE_EQ(kalibr.raw->right.cx_px, 379.999);

  const Calibration xml = Read({kOpenCvXml}, ".xml");
  EXPECT_EQ(xml.format, "opencv");
  EXPECT_EQ(xml.raw->left.width_px, 640);
  EXPECT_DOUBLE_EQ(xml.raw->right.fx_px, 539.5);
  EXPECT_DOUBLE_EQ(xml.raw->left.distortion[4], 0.24);
  const Calibration two = Read({kOpenCvIntrinsics, kOpenCvExtrinsics}, ".yml");
  EXPECT_EQ(two.raw->left.width_px, 0);  // not told
  EXPECT_DOUBLE_EQ(two.raw->translation_m.x, -3.3);
  // R may be a rotation vector: here a quarter turn about z, which takes x to y and y to -x.
  std::string turned = kOpenCvExtrinsics;
  turned.replace(turned.find("cols: 3"), 7, "cols: 1");
  const std::string matrix = "[ 1., 0., 0., 0., 1., 0., 0., 0., 1. ]";
  turned.replace(turned.find(matrix), matrix.size(), "[ 0., 0., 1.5707963267948966 ]");
  const Matrix3 rotation = Read({kOpenCvIntrinsics, turned}, ".yml").raw->right_from_left;
  const Matrix3 expected{{0, -1, 0, 1, 0, 0, 0, 0, 1}};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(rotation.m[i], expected.m[i], 1e-12) << i;

  const Calibration euroc = Read({EurocText(-0.0216, -0.0647, 458.654), EurocText(-0.0198, 0.0454, 457.587)});
  EXPECT_EQ(euroc.format, "euroc");
  EXPECT_NEAR(euroc.raw->baseline_m(), 0.11, 0.001);
  EXPECT_LT(euroc.raw->translation_m.x, 0);

  const Calibration mrcal =
      Read({MrcalText(500, "0, 0, 0, 0, 0, 0"), MrcalText(510, "0, 0.01, 0, -0.2, 0, 0")}, ".cameramodel");
  EXPECT_EQ(mrcal.format, "mrcal");
  EXPECT_DOUBLE_EQ(mrcal.raw->left.fx_px, 500);
  EXPECT_DOUBLE_EQ(mrcal.raw->left.distortion[7], 0.08);
  EXPECT_DOUBLE_EQ(mrcal.raw->translation_m.x, -0.2);

  const Calibration ros = Read({RosText(0), RosText(-60)});
  EXPECT_EQ(ros.format, "ros");
  EXPECT_NEAR(ros.raw->baseline_m(), 0.12, 1e-12);
  EXPECT_DOUBLE_EQ(ros.rectified->rig.baseline_m, 0.12);

  const Calibration kitti = Read({kKittiCamToCam}, ".txt");
  EXPECT_EQ(kitti.format, "kitti");
  EXPECT_NEAR(kitti.raw->baseline_m(), 0.537, 0.001);
  EXPECT_EQ(kitti.raw->left.width_px, 1392);
  EXPECT_EQ(kitti.rectified->width_px, 1242);
  EXPECT_NEAR(kitti.rectified->rig.baseline_m, 0.5372, 1e-4);

  const Calibration middlebury = Read({"cam0=[1038.018 0 322.037; 0 1038.018 243.393; 0 0 "
                                       "1]\ndoffs=53.271\nbaseline=176.252\nwidth=718\nheight=496\n"},
                                      ".txt");
  EXPECT_EQ(middlebury.format, "middlebury");
  EXPECT_DOUBLE_EQ(middlebury.rectified->rig.baseline_m, 0.176252);
  EXPECT_EQ(middlebury.rectified->height_px, 496);
}

TEST_F(CalibrationFile, SaysWhatIsWrongInOneLine) {
  EXPECT_THAT(ErrorOf({"hello"}), HasSubstr("not a known calibration format"));
  EXPECT_THAT(ErrorOf({""}), HasSubstr("not a known calibration format"));
  EXPECT_THAT(ErrorOf({RosText(0)}), HasSubstr("LEFT,RIGHT"));
  // Parsers would take minutes and gigabytes.
  EXPECT_THAT(ErrorOf({"a: [" + std::string(1 << 20, ',') + "]"}), HasSubstr("at most 1 MiB"));
  EXPECT_THAT(ErrorOf({std::string((16 << 20) + 1, 'x')}), HasSubstr("at most 16 MiB"));
  EXPECT_THAT(ErrorOf({RosText(-60), RosText(0)}), HasSubstr("exchanged"));
  EXPECT_THAT(ErrorOf({RosText(0), RosText(0)}), HasSubstr("below 0"));
  EXPECT_THAT(ErrorOf({MrcalText(500, "0, 0, 0, 0, 0, 0")}), HasSubstr("LEFT,RIGHT"));
  EXPECT_THAT(ErrorOf({MrcalText(500, "0, 0, 0, 0, 0, 0"), MrcalText(500, "0, 0, 0, 0, 0, 0")}),
              HasSubstr("the same place"));
  std::string no_rotation = kKalibr;
  no_rotation.replace(no_rotation.find("[1.0, 0.0, 0.0, -0.11]"), 4, "[9.0");
  EXPECT_THAT(ErrorOf({no_rotation}), HasSubstr("rotation"));
  std::string newer = RigYaml([] {
    Calibration c;
    c.raw = WideRig();
    return c;
  }());
  newer.replace(newer.find("parallax_rig: 1"), 15, "parallax_rig: 7");
  EXPECT_THAT(ErrorOf({newer}), HasSubstr("newer"));
  EXPECT_THAT(
      ErrorOf(
          {"parallax_rig: 1\nrectified: {focal_px: 700, principal_point_px: [1, 2], baseline_m: -0.1}\n"}),
      HasSubstr("exchanged"));
  EXPECT_THAT(
      ErrorOf({"parallax_rig: 1\nrectified: {focal_px: 0, principal_point_px: [1, 2], baseline_m: 0.1}\n"}),
      HasSubstr("focal length"));
  EXPECT_THAT(ErrorOf({"parallax_rig: 1\n"}), HasSubstr("neither"));
  EXPECT_THROW(ReadCalibration("no_such_file.yaml"), Error);
  EXPECT_THROW(ReadCalibration("a.yaml,b.yaml,c.yaml"), InvalidArgument);
  EXPECT_THROW(ReadCalibration(folder_.path().string()), Error);
}

}  // namespace
}  // namespace parallax::test
