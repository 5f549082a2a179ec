// Shared by the readers of calibrations: one camera of a pair, numbers from YAML, rounded rotations.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/calibration/calibration_file.h"

namespace parallax::calibration {

// A camera and its pose: a point p of some common frame is at rotation * p + translation_m in the camera's
// frame.
struct PlacedCamera {
  CameraModel camera;
  Matrix3 rotation;
  Vector3 translation_m;
};
RawRig RigOf(const PlacedCamera& left, const PlacedCamera& right);

// Throws Error naming the file.
[[noreturn]] void Fail(const std::string& file, const std::string& what);

// Sets the distortion from 4, 5 or 8 coefficients in the order of OpenCV and ROS (0 = pinhole; 12 and 14 if
// those beyond 8 are 0); fisheye: 4 at most.
void SetDistortion(CameraModel& camera, bool fisheye, const std::vector<double>& coefficients,
                   const std::string& file);
// Sets focal lengths and principal point from K = [fx 0 cx; 0 fy cy; 0 0 1].
void SetMatrix(CameraModel& camera, const std::vector<double>& k, const std::string& file);
// Returns an image size, which must be whole, from 0 to 65535.
int ImageSize(double value, const std::string& file);
// Checks that m is a rotation up to its rounded digits, and returns the exact rotation.
Matrix3 RotationFrom(const std::vector<double>& m, const std::string& file);

// Readers by content. Each gets the texts of one or two files; nullopt: not this format.
struct NamedText {
  std::string name, text;
};
std::optional<Calibration> ReadYamlCalibration(const std::vector<NamedText>& files);
std::optional<Calibration> ReadOpenCvXml(const std::vector<NamedText>& files);
std::optional<Calibration> ReadMrcal(const std::vector<NamedText>& files);
std::optional<Calibration> ReadKittiCamToCam(const std::vector<NamedText>& files);
std::optional<Calibration> ReadMiddlebury(const std::vector<NamedText>& files);

// Matrices and numbers of OpenCV's FileStorage by name, in any of its forms.
struct OpenCvValues {
  std::vector<std::pair<std::string, std::vector<double>>> values;
  const std::vector<double>* Find(std::initializer_list<const char*> names) const;
};
Calibration CalibrationFromOpenCv(const OpenCvValues& values, const std::string& file);

}  // namespace parallax::calibration
