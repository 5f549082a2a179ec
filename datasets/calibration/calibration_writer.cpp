// Calibrations as text.
#include <charconv>
#include <cmath>
#include <span>

#include "datasets/calibration/calibration_file.h"
#include "datasets/system/atomic_file.h"
#include "parallax/error.h"
#include "pipeline/calibration/rectification.h"

namespace parallax {
namespace fs = std::filesystem;
namespace {

// The fewest digits that read back as the same number.
std::string Text(double value) {
  char buffer[40];
  const auto end = std::to_chars(std::begin(buffer), std::end(buffer), value).ptr;
  std::string text(buffer, end);
  return text;
}
// The number for YAML, whose types matter: with a decimal point, so that it is not an integer.
std::string RealText(double value) {
  std::string text = Text(value);
  if (text.find_first_of(".einf") == std::string::npos) text += ".0";
  return text;
}

std::string List(std::span<const double> numbers) {
  std::string text = "[";
  for (const double number : numbers) text += (text.size() > 1 ? ", " : "") + RealText(number);
  return text + "]";
}
std::string List(std::initializer_list<double> numbers) {
  return List(std::span(numbers.begin(), numbers.size()));
}
std::string List(const Vector3& v) { return List({v.x, v.y, v.z}); }
std::string SizeList(int width, int height) {
  return "[" + std::to_string(width) + ", " + std::to_string(height) + "]";
}

std::vector<double> CoefficientsOf(const CameraModel& camera) {
  const std::size_t count = camera.lens == LensModel::kPinhole   ? 0
                            : camera.lens == LensModel::kFisheye ? 4
                            : camera.HasFiveCoefficients()       ? 5
                                                                 : 8;
  return {camera.distortion.begin(), camera.distortion.begin() + static_cast<std::ptrdiff_t>(count)};
}

const RawRig& RawOf(const Calibration& calibration, const char* format) {
  if (calibration.raw) return *calibration.raw;
  throw InvalidArgument(std::string(format) +
                        " describes raw cameras, but this calibration has only a rectified pair: write "
                        "it as parallax");
}

std::string OurCamera(const CameraModel& camera) {
  const std::vector<double> k = CoefficientsOf(camera);
  std::string text = "  image_size_px: " + SizeList(camera.width_px, camera.height_px) + "\n  lens: ";
  text += NameOf(camera.lens);
  text += "\n  focal_px: " + List({camera.fx_px, camera.fy_px}) +
          "\n  principal_point_px: " + List({camera.cx_px, camera.cy_px}) + "\n";
  if (!k.empty()) text += "  distortion: " + List(k) + "\n";
  return text;
}

std::string OpenCvMatrix(const char* name, int rows, int columns, std::span<const double> data) {
  return std::string(name) + ": !!opencv-matrix\n   rows: " + std::to_string(rows) +
         "\n   cols: " + std::to_string(columns) + "\n   dt: d\n   data: " + List(data) + "\n";
}
std::string OpenCvText(const RawRig& rig) {
  std::string text = "%YAML:1.0\n---\nimage_size: " + SizeList(rig.left.width_px, rig.left.height_px) + "\n";
  const bool fisheye = rig.left.lens == LensModel::kFisheye;
  if (fisheye != (rig.right.lens == LensModel::kFisheye))
    throw InvalidArgument("OpenCV has one lens model for both cameras, but these have two");
  if (fisheye) text += "fisheye: 1\n";
  for (const auto& [k, d, camera] : {std::tuple{"M1", "D1", &rig.left}, std::tuple{"M2", "D2", &rig.right}}) {
    const std::array<double, 9> matrix{
        camera->fx_px, 0, camera->cx_px, 0, camera->fy_px, camera->cy_px, 0, 0, 1};
    std::vector<double> coefficients = CoefficientsOf(*camera);
    if (coefficients.empty()) coefficients.resize(fisheye ? 4 : 5);
    text += OpenCvMatrix(k, 3, 3, matrix) +
            OpenCvMatrix(d, 1, static_cast<int>(coefficients.size()), coefficients);
  }
  const Vector3& t = rig.translation_m;
  const std::array<double, 3> translation{t.x, t.y, t.z};
  return text + OpenCvMatrix("R", 3, 3, rig.right_from_left.m) + OpenCvMatrix("T", 3, 1, translation);
}

std::string KalibrText(const RawRig& rig) {
  std::string text;
  for (const auto& [name, camera] : {std::pair{"cam0", &rig.left}, std::pair{"cam1", &rig.right}}) {
    const bool fisheye = camera->lens == LensModel::kFisheye;
    if (!fisheye && (camera->distortion[4] != 0 || !camera->HasFiveCoefficients())) {
      throw InvalidArgument(
          "Kalibr's radtan has k1 k2 p1 p2 only, but this calibration has more: write it as opencv, "
          "ros or mrcal");
    }
    text += std::string(name) + ":\n  camera_model: pinhole\n  intrinsics: " +
            List({camera->fx_px, camera->fy_px, camera->cx_px, camera->cy_px}) +
            "\n  distortion_model: " + (fisheye ? "equidistant" : "radtan") +
            "\n  distortion_coeffs: " + List(std::span(camera->distortion.data(), 4)) +
            "\n  resolution: " + SizeList(camera->width_px, camera->height_px) + "\n";
  }
  const Matrix3& r = rig.right_from_left;
  const Vector3& t = rig.translation_m;
  text += "  T_cn_cnm1:\n  - " + List({r(0, 0), r(0, 1), r(0, 2), t.x}) + "\n  - " +
          List({r(1, 0), r(1, 1), r(1, 2), t.y}) + "\n  - " + List({r(2, 0), r(2, 1), r(2, 2), t.z}) +
          "\n  - " + List({0, 0, 0, 1}) + "\n";
  return text;
}

std::string RosMatrix(const char* name, int rows, int columns, std::span<const double> data) {
  return std::string(name) + ":\n  rows: " + std::to_string(rows) + "\n  cols: " + std::to_string(columns) +
         "\n  data: " + List(data) + "\n";
}
std::string RosText(const CameraModel& camera, const char* name, const Matrix3& rectification,
                    const StereoRig& rig, double offset_m) {
  std::vector<double> k = CoefficientsOf(camera);
  const bool fisheye = camera.lens == LensModel::kFisheye;
  if (k.empty()) k.resize(5);
  const char* model = fisheye ? "equidistant" : k.size() == 8 ? "rational_polynomial" : "plumb_bob";
  const std::array<double, 9> matrix{camera.fx_px, 0, camera.cx_px, 0, camera.fy_px, camera.cy_px, 0, 0, 1};
  const std::array<double, 12> projection{
      rig.fx_px, 0, rig.cx_px, -rig.fx_px * offset_m, 0, rig.fx_px, rig.cy_px, 0, 0, 0, 1, 0};
  return "image_width: " + std::to_string(camera.width_px) +
         "\nimage_height: " + std::to_string(camera.height_px) + "\ncamera_name: " + name + "\n" +
         RosMatrix("camera_matrix", 3, 3, matrix) + "distortion_model: " + model + "\n" +
         RosMatrix("distortion_coefficients", 1, static_cast<int>(k.size()), k) +
         RosMatrix("rectification_matrix", 3, 3, rectification.m) +
         RosMatrix("projection_matrix", 3, 4, projection);
}

std::string MrcalText(const CameraModel& camera, const Vector3& rotation, const Vector3& translation) {
  if (camera.lens == LensModel::kFisheye)
    throw InvalidArgument("mrcal lacks this fisheye model: write it as opencv, kalibr or ros");
  std::vector<double> numbers{camera.fx_px, camera.fy_px, camera.cx_px, camera.cy_px};
  for (const double k : CoefficientsOf(camera)) numbers.push_back(k);
  const char* model = numbers.size() == 4   ? "LENSMODEL_PINHOLE"
                      : numbers.size() == 9 ? "LENSMODEL_OPENCV5"
                                            : "LENSMODEL_OPENCV8";
  return std::string("{\n    'lensmodel': '") + model + "',\n    'intrinsics': " + List(numbers) +
         ",\n    'extrinsics': " +
         List({rotation.x, rotation.y, rotation.z, translation.x, translation.y, translation.z}) +
         ",\n    'imagersize': " + SizeList(camera.width_px, camera.height_px) + ",\n}\n";
}

void WriteText(const fs::path& path, const std::string& text) {
  WriteFileAtomically(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

bool IsPair(const std::string& format) { return format == "ros" || format == "mrcal"; }

}  // namespace

std::string RigYaml(const Calibration& calibration) {
  std::string text =
      "# A calibration of parallax: docs/calibration.md. Lengths in m, pixels with their centres at "
      "whole numbers.\nparallax_rig: 1\n";
  if (calibration.raw) {
    const RawRig& rig = *calibration.raw;
    text += "left:\n" + OurCamera(rig.left) + "right:\n" + OurCamera(rig.right) +
            "right_from_left:  # p_right = rotation p_left + translation_m\n  rotation: " +
            List(rig.right_from_left.m) + "\n  translation_m: " + List(rig.translation_m) + "\n";
  }
  if (calibration.rectified) {
    const RectifiedCalibration& pair = *calibration.rectified;
    text += "rectified:\n";
    if (pair.width_px > 0) text += "  image_size_px: " + SizeList(pair.width_px, pair.height_px) + "\n";
    text += "  focal_px: " + RealText(pair.rig.fx_px) +
            "\n  principal_point_px: " + List({pair.rig.cx_px, pair.rig.cy_px}) +
            "\n  baseline_m: " + RealText(pair.rig.baseline_m) + "\n";
    if (pair.rig.doffs_px != 0) text += "  doffs_px: " + RealText(pair.rig.doffs_px) + "\n";
  }
  if (!calibration.quality.empty()) text += "quality:\n";
  for (const auto& [name, value] : calibration.quality) text += "  " + name + ": " + Text(value) + "\n";
  return text;
}

std::vector<fs::path> CalibrationFiles(const std::string& format, const fs::path& path) {
  if (!IsPair(format)) return {path};
  const std::string stem = path.stem().string(), ending = path.extension().string();
  return {path.parent_path() / (stem + "_left" + ending), path.parent_path() / (stem + "_right" + ending)};
}

std::vector<fs::path> WriteCalibration(const Calibration& calibration, const std::string& format,
                                       const fs::path& path) {
  const std::vector<fs::path> files = CalibrationFiles(format, path);
  if (format == "parallax") {
    WriteText(path, RigYaml(calibration));
  } else if (format == "opencv") {
    WriteText(path, OpenCvText(RawOf(calibration, "OpenCV's file")));
  } else if (format == "kalibr") {
    WriteText(path, KalibrText(RawOf(calibration, "Kalibr's camchain")));
  } else if (format == "ros") {
    const RawRig& rig = RawOf(calibration, "camera_info");
    const Rectification r = MakeRectification(rig);
    WriteText(files[0], RosText(rig.left, "left", r.rectified_from_left, r.rig, 0));
    WriteText(files[1], RosText(rig.right, "right", r.rectified_from_right, r.rig, r.rig.baseline_m));
  } else if (format == "mrcal") {
    const RawRig& rig = RawOf(calibration, "mrcal's camera model");
    const std::string left = MrcalText(rig.left, {}, {});
    const std::string right = MrcalText(rig.right, RotationVectorOf(rig.right_from_left), rig.translation_m);
    WriteText(files[0], left);
    WriteText(files[1], right);
  } else {
    throw InvalidArgument("'" + format + "' is not a format in which calibrations can be written; use " +
                          std::string(kWritableFormats));
  }
  return files;
}

}  // namespace parallax
