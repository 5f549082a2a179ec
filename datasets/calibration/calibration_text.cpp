#include "datasets/calibration/calibration_text.h"

#include <cmath>

#include "parallax/error.h"

namespace parallax::calibration {

void Fail(const std::string& file, const std::string& what) { throw Error(file + ": " + what); }

RawRig RigOf(const PlacedCamera& left, const PlacedCamera& right) {
  RawRig rig;
  rig.left = left.camera;
  rig.right = right.camera;
  rig.right_from_left = right.rotation * Transposed(left.rotation);
  rig.translation_m = right.translation_m - rig.right_from_left * left.translation_m;
  return rig;
}

void SetDistortion(CameraModel& camera, bool fisheye, const std::vector<double>& k, const std::string& file) {
  bool any = false;
  for (std::size_t i = 0; i < k.size(); ++i) {
    any = any || k[i] != 0;
    if (i >= (fisheye ? 4U : 8U) && k[i] != 0) {
      Fail(file, fisheye
                     ? "a fisheye has four distortion coefficients; this one has " + std::to_string(k.size())
                     : "only the first eight distortion coefficients are supported (k1 k2 p1 p2 k3 k4 k5 "
                       "k6), but this file has more: calibrate without thin prism and tilt");
    }
    if (i < 8) camera.distortion[i] = k[i];
  }
  camera.lens = fisheye ? LensModel::kFisheye : any ? LensModel::kPlumbBob : LensModel::kPinhole;
}

void SetMatrix(CameraModel& camera, const std::vector<double>& k, const std::string& file) {
  if (k.size() != 9) Fail(file, "a camera matrix has 9 numbers, not " + std::to_string(k.size()));
  camera.fx_px = k[0];
  camera.cx_px = k[2];
  camera.fy_px = k[4];
  camera.cy_px = k[5];
}

int ImageSize(double value, const std::string& file) {
  if (!(value >= 0 && value <= 65535) || value != std::floor(value))
    Fail(file, "an image size of " + std::to_string(value) + " is invalid: give whole pixels, at most 65535");
  return static_cast<int>(value);
}

Matrix3 RotationFrom(const std::vector<double>& m, const std::string& file) {
  if (m.size() != 9) Fail(file, "a rotation has 9 numbers, not " + std::to_string(m.size()));
  Matrix3 matrix;
  for (std::size_t i = 0; i < 9; ++i) matrix.m[i] = m[i];
  constexpr double kRounded = 5e-3;
  if (!(DistanceFromRotation(matrix) < kRounded)) {
    Fail(file,
         "a rotation in it is invalid: its rows must be of length 1, at right angles, and right-handed");
  }
  return NearestRotation(matrix);
}

const std::vector<double>* OpenCvValues::Find(std::initializer_list<const char*> names) const {
  for (const char* name : names) {
    for (const auto& [key, numbers] : values) {
      if (key == name) return &numbers;
    }
  }
  return nullptr;
}

Calibration CalibrationFromOpenCv(const OpenCvValues& values, const std::string& file) {
  const auto need = [&](std::initializer_list<const char*> names) -> const std::vector<double>& {
    if (const auto* found = values.Find(names)) return *found;
    std::string all;
    for (const char* name : names) all += (all.empty() ? "" : " or ") + std::string(name);
    Fail(file, "it has no " + all + ", which a calibration of two cameras by OpenCV has");
  };
  const auto* model = values.Find({"fisheye", "fisheye_model"});
  const bool fisheye = model != nullptr && !model->empty() && model->front() != 0;
  RawRig rig;
  SetMatrix(rig.left,
            need({"M1", "K1", "cameraMatrix1", "camera_matrix_1", "cameraMatrixL", "leftCameraMatrix"}),
            file);
  SetMatrix(rig.right,
            need({"M2", "K2", "cameraMatrix2", "camera_matrix_2", "cameraMatrixR", "rightCameraMatrix"}),
            file);
  SetDistortion(rig.left, fisheye,
                need({"D1", "distCoeffs1", "dist_coeffs_1", "distCoeffsL", "leftDistCoeffs"}), file);
  SetDistortion(rig.right, fisheye,
                need({"D2", "distCoeffs2", "dist_coeffs_2", "distCoeffsR", "rightDistCoeffs"}), file);
  std::vector<double> rotation = need({"R", "rotation", "R_lr"});
  if (rotation.size() == 3) {
    const Matrix3 matrix = RotationOf({rotation[0], rotation[1], rotation[2]});
    rotation.assign(matrix.m.begin(), matrix.m.end());
  }
  rig.right_from_left = RotationFrom(rotation, file);
  const auto& t = need({"T", "translation"});
  if (t.size() != 3) Fail(file, "T has 3 numbers, not " + std::to_string(t.size()));
  rig.translation_m = {t[0], t[1], t[2]};
  const auto* size = values.Find({"image_size", "imageSize", "img_size", "size"});
  const auto* width = values.Find({"image_width", "image_Width", "imageWidth", "width"});
  const auto* height = values.Find({"image_height", "image_Height", "imageHeight", "height"});
  if (size != nullptr && size->size() == 2) {
    rig.left.width_px = ImageSize((*size)[0], file);
    rig.left.height_px = ImageSize((*size)[1], file);
  } else if (width != nullptr && height != nullptr && !width->empty() && !height->empty()) {
    rig.left.width_px = ImageSize(width->front(), file);
    rig.left.height_px = ImageSize(height->front(), file);
  }
  rig.right.width_px = rig.left.width_px;
  rig.right.height_px = rig.left.height_px;
  Calibration calibration;
  calibration.format = "opencv";
  calibration.raw = rig;
  return calibration;
}

}  // namespace parallax::calibration
