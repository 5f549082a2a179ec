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
  EXPECT_DOUBLE_EQ(mrcal.raw->left.cx_px, 320.2);
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
  EXPECT_DOUBLE_EQ(kitti.raw->left.distortion[0], -0.3728755);
  EXPECT_DOUBLE_EQ(kitti.raw->left.distortion[4], -0.07233722);
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

// A text with one place changed.
std::string Changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

const std::string kOurs =
    "parallax_rig: 1\nleft: &c {image_size_px: [640, 480], lens: plumb_bob, focal_px: [500, 501], "
    "principal_point_px: [320, 240], distortion: [0.1, 0, 0, 0, 0]}\nright: *c\n"
    "right_from_left: {rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], translation_m: [-0.1, 0, 0]}\n";
const std::string kMiddlebury = "cam0=[1000 0 300; 0 1000 200; 0 0 1]\ndoffs=50\nbaseline=100\n";

TEST_F(CalibrationFile, EachWrongValueIsNamed) {
  struct Case {
    std::string text, from, to, fault;
  };
  std::string many = "1", spaced = "1";
  for (int i = 0; i < 70; ++i) many += ", 1", spaced += " 1";
  const std::string rectified =
      "parallax_rig: 1\nrectified: {focal_px: 700, principal_point_px: [1, 2], baseline_m: 0.1}\n";
  for (const auto& [text, from, to, fault] : std::initializer_list<Case>{
           {kOurs, "[500, 501]", "[500]", "have two numbers each"},
           {kOurs, "[320, 240]", "[320]", "have two numbers each"},
           {kOurs, "[500, 501]", "[500, x]", "focal_px holds 'x', which is not a number"},
           {kOurs, "[500, 501]", "[500, .inf]", "holds '.inf', which is not a number"},
           {kOurs, "[500, 501]", "[500, {a: 1}]", "focal_px is not a number"},
           {kOurs, "[500, 501]", "[[[[[500]]]]]", "nested too deeply"},
           {kOurs, "[500, 501]", "[" + many + "]", "contains too many numbers"},
           {kOurs, "[640, 480]", "[640]", "a resolution is width and height, not 1"},
           {kOurs, "[640, 480]", "[640.5, 480]", "an image size of 640.5"},
           {kOurs, "[640, 480]", "[640, -1]", "an image size of -1"},
           {kOurs, "[640, 480]", "[640, 65536]", "an image size of 65536"},
           {kOurs, "plumb_bob", "fish", "lens 'fish' is not pinhole, plumb_bob or fisheye"},
           {kOurs, "plumb_bob", "[a]", "lens must be a word"},
           {kOurs, "plumb_bob", "pinhole", "a pinhole has no distortion"},
           {kOurs, "lens: plumb_bob", "lens: fisheye, distortion: [0, 0, 0, 0, 1], a: 1",
            "has four distortion"},
           {kOurs, "[0.1, 0, 0, 0, 0]", "[0, 0, 0, 0, 0, 0, 0, 0, 1]", "only the first eight"},
           {kOurs, "right: *c\n", "", "there is no right in it"},
           {kOurs, "[1, 0, 0, 0, 1, 0, 0, 0, 1]", "[0, 0, 1]", "a rotation has 9 numbers, not 3"},
           {kOurs, "[-0.1, 0, 0]", "[-0.1]", "translation_m has 3 numbers, not 1"},
           {kOurs, "left:", "quality: {a: [1]}\nleft:", "quality must contain names and numbers"},
           {kOurs, "left:", "quality: {[a]: 1}\nleft:", "quality must contain names and numbers"},
           {kOurs, "left:", "quality: {a: x}\nleft:", "quality must contain names and numbers"},
           {rectified, "[1, 2]", "[1]", "principal_point_px has two numbers"},
           {rectified, "0.1", "0", "the baseline, 0.000000 m, must be above 0"},
           {kKalibr, "camera_model: pinhole", "camera_model: omni", "camera_model omni is not supported"},
           {kKalibr, "radtan", "fov", "distortion_model fov is not radtan"},
           {kKalibr, "[458.654, ", "[", "4 numbers, not 3"},
           {kKalibr, "  - [0.0, 0.0, 1.0, 0.0]\n  - [0.0, 0.0, 0.0, 1.0]\n", "",
            "a pose has 16 numbers, not 8"},
           {kOpenCvIntrinsics, "535., 0., 342.", "535., 342.", "a camera matrix has 9 numbers, not 8"},
           {kOpenCvIntrinsics, "M2", "M3", "it has no M2 or K2"},
           {kOpenCvXml, "-3.3 0.04", "-3.3", "T has 3 numbers, not 2"},
           {kOpenCvXml, "</opencv_storage>", "", "<opencv_storage> is not closed"},
           {kOpenCvXml, "535.7 0. 342.3", "x 0. 342.3", "it has no M1 or K1"},
           {kOpenCvXml, "535.7 0. 342.3", "inf 0. 342.3", "it has no M1 or K1"},
           {kOpenCvXml, "535.7 0. 342.3", spaced, "it has no M1 or K1"},
           {kKittiCamToCam, "D_00: -3.728755e-01", "D_00: nan", "line D_00: needs 5 numbers"},
           {kKittiCamToCam, "T_00: 0 0 0\n", "T_00: 0 0\n", "line T_00: needs 3 numbers"},
           {kKittiCamToCam, "P_rect_00: 721.5377", "P_rect_00: 0", "not finite"},
           {"K_00: 1\n", "K_00: 1\n", "K_0x: 1\n", "it has neither K, D, R, T and S nor P_rect"},
           {kMiddlebury, "doffs=50\n", "", "line doffs= is missing"},
           {kMiddlebury, "baseline=100", "baseline=x", "baseline=x needs 1 number"},
           {kMiddlebury, "baseline=100", "baseline=inf", "baseline=inf needs 1 number"}}) {
    EXPECT_THAT(ErrorOf({Changed(text, from, to)}), HasSubstr(fault)) << from << " -> " << to;
  }
  const std::string mrcal = MrcalText(500, "0, 0, 0, 0, 0, 0"), right = MrcalText(510, "0, 0, 0, -0.2, 0, 0");
  for (const auto& [text, from, to, fault] : std::initializer_list<Case>{
           {mrcal, "LENSMODEL_OPENCV8", "LENSMODEL_CAHVOR", "lens model LENSMODEL_CAHVOR is not supported"},
           {mrcal, "'LENSMODEL_OPENCV8'", "3", "lens model "},
           {mrcal, "OPENCV8", "OPENCV5", "LENSMODEL_OPENCV5 has 9 intrinsics, not 12"},
           {mrcal, "[ 640, 480,]", "[ 640,]", "'imagersize' must be width and height"},
           {mrcal, "[ 640, 480,]", "640 480", "'imagersize' is not a list"},
           {mrcal, "[ 640, 480,]", "] 640, 480, [", "'imagersize' is not a list"},
           {mrcal, "[ 640, 480,]", "[ 640, x,]", "'imagersize' holds x, which is not a number"},
           {mrcal, "[ 640, 480,]", "[ 640, nan,]", "'imagersize' holds nan, which is not a number"},
           {mrcal, "'imagersize'", "'size'", "there is no 'imagersize' in it"},
           {mrcal, "'imagersize'", "# no end of line, 'imagersize'", "there is no 'imagersize' in it"},
           {mrcal, "'imagersize'", "'not closed: \"imagersize\"", "there is no 'imagersize' in it"},
           {mrcal, "[ 0, 0, 0, 0, 0, 0,]", "[ 0, 0, 0, 0, 0]", "'extrinsics' has 6 numbers, not 5"},
           {mrcal, "[ 0, 0, 0, 0, 0, 0,]", "[ 99, 99, 0, 0, 0, 0]", "more than a full turn"}}) {
    EXPECT_THAT(ErrorOf({Changed(text, from, to), right}), HasSubstr(fault)) << from << " -> " << to;
  }
  const std::string euroc = EurocText(0, 0, 458);
  EXPECT_THAT(ErrorOf({euroc}), HasSubstr("this is one camera of a pair"));
  EXPECT_THAT(ErrorOf({Changed(euroc, "radial-tangential", "fov"), euroc}),
              HasSubstr("distortion_model fov"));
  EXPECT_THAT(ErrorOf({Changed(RosText(0), "[500., 0., ", "[500., "), RosText(-60)}),
              HasSubstr("a camera matrix has 9 numbers, not 8"));
  EXPECT_THAT(ErrorOf({kOpenCvIntrinsics, "no map"}), HasSubstr("not a known calibration format"));
  EXPECT_THAT(ErrorOf({"%YAML:1.0"}), HasSubstr("not a known calibration format"));
}

// The same cameras in other words.
TEST_F(CalibrationFile, ReadsEveryFormOfAFormat) {
  const Calibration ros = Read({RosText(0), RosText(-60)});
  const auto message = [](const std::string& names, const std::string& offset) {
    return std::string("width: 640\nheight: 480\ndistortion_model: plumb_bob\n") + names[0] +
           ": [0.1, -0.2, 0, 0, 0]\n" + names[1] + ": [500, 0, 320, 0, 500, 240, 0, 0, 1]\n" + names[2] +
           ": [1, 0, 0, 0, 1, 0, 0, 0, 1]\n" + names[3] + ": [500, 0, 320, " + offset +
           ", 0, 500, 240, 0, 0, 0, 1, 0]\n";
  };
  for (const char* names : {"dkrp", "DKRP"}) {
    ExpectSame(*Read({message(names, "0"), message(names, "-60")}).raw, *ros.raw, 1e-12);
  }

  const Calibration mrcal = Read({MrcalText(500, "0, 0, 0, 0, 0, 0"), MrcalText(510, "0, 0, 0, -0.2, 0, 0")});
  std::string newer = Changed(MrcalText(500, "0, 0, 0, 0, 0, 0"), "'extrinsics'", "'rt_cam_ref'");
  std::replace(newer.begin() + newer.find("'lensmodel'"), newer.begin() + newer.find("# intrinsics"), '\'',
               '"');
  ExpectSame(*Read({newer, MrcalText(510, "0, 0, 0, -0.2, 0, 0") + "# the end"}).raw, *mrcal.raw, 0);
  for (const auto& [model, coefficients] :
       {std::pair{"PINHOLE", ""}, std::pair{"OPENCV4", "0.01,0.02,0.03,0.04,"}}) {
    const std::string text = Changed(Changed(MrcalText(500, "0, 0, 0, 0, 0, 0"), "OPENCV8", model),
                                     "0.01,0.02,0.03,0.04,0.05,0.06,0.07,0.08,", coefficients);
    const RawRig rig = *Read({text, MrcalText(510, "0, 0, 0, -0.2, 0, 0")}).raw;
    EXPECT_EQ(rig.left.lens, *coefficients == 0 ? LensModel::kPinhole : LensModel::kPlumbBob);
    EXPECT_EQ(rig.left.distortion[3], *coefficients == 0 ? 0 : 0.04);
  }

  ExpectSame(*Read({Changed(newer, "',\n}\n", ""), MrcalText(510, "0, 0, 0, -0.2, 0, 0")}).raw, *mrcal.raw,
             0);

  for (const char* lacks : {"S_00", "K_00", "D_00", "R_00", "T_00"})
    EXPECT_FALSE(Read({Changed(kKittiCamToCam, lacks, "X")}).raw) << lacks;
  std::string colour = kKittiCamToCam;  // cameras 2 and 3 instead of 0 and 1
  for (std::size_t at = 0; (at = colour.find("_0", at)) != std::string::npos; at += 3)
    colour[at + 2] = static_cast<char>(colour[at + 2] + 2);
  ExpectSame(*Read({colour}).raw, *Read({kKittiCamToCam}).raw, 0);
  const std::string rectified_alone =
      "P_rect_00: 700 0 600 0 0 700 170 0 0 0 1 0\n"
      "P_rect_01: 700 0 602 -350 0 700 170 0 0 0 1 0\n";
  const Calibration pair = Read({rectified_alone});
  EXPECT_FALSE(pair.raw);
  EXPECT_EQ(pair.rectified->rig.baseline_m, 0.5);
  EXPECT_EQ(pair.rectified->rig.doffs_px, 2);
  EXPECT_EQ(pair.rectified->width_px, 0);  // not told
  // Cameras 2 and 3: the left one is not at the origin either.
  const StereoRig colour_rig =
      Read({Changed(rectified_alone, "P_rect_00: 700 0 600 0", "P_rect_00: 700 0 600 35")}).rectified->rig;
  EXPECT_EQ(colour_rig.baseline_m, 0.55);
  EXPECT_EQ(colour_rig.cx_px, 600);
  EXPECT_EQ(colour_rig.cy_px, 170);
  EXPECT_FALSE(Read({Changed(kKittiCamToCam, "P_rect_01", "P_rect_1")}).rectified);
  EXPECT_EQ(Read({kMiddlebury}).rectified->width_px, 0);
  EXPECT_EQ(Read({kMiddlebury + "width=9\n"}).rectified->width_px, 0);

  EXPECT_EQ(Read({Changed(kKalibr, "  distortion_model: radtan\n", "")}).raw->left.lens, LensModel::kPinhole);
  const std::string yml =
      kOpenCvIntrinsics + kOpenCvExtrinsics.substr(std::string("%YAML:1.0\n---\n").size());
  const RawRig sized = *Read({yml + "image_size: [640, 480]\nnames: [a, b]\nfisheye: 0\n? [a]\n: 3\n"}).raw;
  EXPECT_EQ(sized.left.height_px, 480);
  EXPECT_EQ(sized.left.lens, LensModel::kPlumbBob);
  EXPECT_EQ(Read({yml + "image_width: 640\n"}).raw->left.width_px, 0);  // without a height
  const std::string xml = Changed(kOpenCvXml, "<image_width>", "<nothing/><!-- <a> --><image_width>");
  ExpectSame(*Read({xml}).raw, *Read({kOpenCvXml}).raw, 0);

  WriteText(folder_.path() / "mav0/cam0/sensor.yaml", EurocText(-0.02, -0.06, 458));
  EXPECT_THROW(ReadCalibration(folder_.path().string()), Error);
  WriteText(folder_.path() / "mav0/cam1/sensor.yaml", EurocText(-0.02, 0.04, 457));
  EXPECT_NEAR(ReadCalibration(folder_.path().string()).raw->baseline_m(), 0.1, 1e-6);
  for (const char* name : {",right.yaml", "left.yaml,"}) EXPECT_THROW(ReadCalibration(name), InvalidArgument);
}

TEST_F(CalibrationFile, LensesWithoutDistortionAreWrittenWithZeros) {
  Calibration calibration;
  calibration.raw = WideRig();
  for (CameraModel* camera : {&calibration.raw->left, &calibration.raw->right}) {
    camera->lens = LensModel::kPinhole;
    camera->distortion = {};
  }
  for (const char* format : {"parallax", "opencv", "ros", "mrcal", "kalibr"}) {
    const auto files = WriteCalibration(calibration, format, folder_.path() / "rig.yaml");
    const std::string name = files[0].string() + (files.size() == 1 ? "" : "," + files[1].string());
    ExpectSame(*ReadCalibration(name).raw, *calibration.raw, 1e-9);
  }
  calibration.raw->right.lens = LensModel::kFisheye;
  EXPECT_THROW(WriteCalibration(calibration, "opencv", folder_.path() / "rig.yaml"), InvalidArgument);
}

}  // namespace
}  // namespace parallax::test
