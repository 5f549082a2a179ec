#include "datasets/calibration/ros_calibration.h"

#include "datasets/calibration/calibration_text.h"
#include "datasets/formats/file_bytes.h"

namespace parallax {
namespace {

using calibration::Fail;

CameraModel CameraOf(const RosCameraInfo& info, const std::string& name) {
  CameraModel camera;
  camera.width_px = info.width;
  camera.height_px = info.height;
  calibration::SetMatrix(camera, {info.k.begin(), info.k.end()}, name);
  const bool fisheye = info.model == "equidistant" || info.model == "fisheye";
  if (!fisheye && info.model != "plumb_bob" && info.model != "rational_polynomial") {
    Fail(name, "distortion_model " + Printable(info.model) +
                   " is not plumb_bob, rational_polynomial or equidistant");
  }
  calibration::SetDistortion(camera, fisheye, info.distortion, name);
  if (!(info.p[0] > 0)) Fail(name, "the projection matrix has no focal length: calibrate the pair");
  return camera;
}

}  // namespace

Calibration CalibrationOf(const RosCameraInfo& left, const RosCameraInfo& right, const std::string& left_name,
                          const std::string& right_name) {
  RawRig rig;
  rig.left = CameraOf(left, left_name);
  rig.right = CameraOf(right, right_name);
  const double offset_m = right.p[3] / right.p[0] - left.p[3] / left.p[0];  // -baseline
  if (!(offset_m < 0)) {
    Fail(right_name, "P[3] / fx is " + std::to_string(offset_m) +
                         " m from the left camera's, but must be below 0: are left and right "
                         "exchanged, or was only one camera calibrated?");
  }
  const Matrix3 left_turn = calibration::RotationFrom({left.r.begin(), left.r.end()}, left_name);
  const Matrix3 right_turn = calibration::RotationFrom({right.r.begin(), right.r.end()}, right_name);
  rig.right_from_left = Transposed(right_turn) * left_turn;
  rig.translation_m = Transposed(right_turn) * Vector3{offset_m, 0, 0};
  Calibration calibration;
  calibration.format = "ros";
  calibration.raw = rig;
  calibration.rectified =
      RectifiedCalibration{.rig = {left.p[0], left.p[2], left.p[6], -offset_m, right.p[2] - left.p[2]},
                           .width_px = left.width,
                           .height_px = left.height};
  return calibration;
}

}  // namespace parallax
