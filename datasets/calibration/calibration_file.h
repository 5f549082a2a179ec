// Reading calibration files of any known format, and writing them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parallax/rig.h"
#include "pipeline/calibration/raw_rig.h"

namespace parallax {

// A rectified pair as a file states it.
struct RectifiedCalibration {
  StereoRig rig;
  int width_px = 0, height_px = 0;  // 0 = unknown
};

// The content of a file: raw cameras, a rectified pair, or both.
struct Calibration {
  std::string format;  // "parallax", "opencv", "ros", "kalibr", "mrcal", "kitti", "euroc", "middlebury"
  std::optional<RawRig> raw;
  std::optional<RectifiedCalibration> rectified;
  // Figures of the calibration itself, from `parallax calibrate`: name and number.
  std::vector<std::pair<std::string, double>> quality;
  std::vector<std::string> files;  // the files that were read
};

// name: a file, two files "LEFT,RIGHT" (ROS camera_info, mrcal, EuRoC; OpenCV's intrinsics and extrinsics),
// or EuRoC's folder mav0. The content tells the format. Every number is checked: cameras and rotations are
// valid, baselines above 0. Throws Error naming the file, the value and the remedy.
Calibration ReadCalibration(const std::string& name);

// Two cameras of KITTI's calib_cam_to_cam.txt ("00", "01"); nullopt if the file lacks their raw lines.
// Throws what ReadCalibration throws.
std::optional<RawRig> ReadKittiRawRig(const std::filesystem::path& file, const std::string& left,
                                      const std::string& right);

// The formats that can be written, as WriteCalibration takes them.
inline constexpr std::string_view kWritableFormats = "parallax, opencv, kalibr, ros, mrcal";

// Writes `path`; ros and mrcal write two files, with _left and _right before the extension. Returns the
// written files. Throws InvalidArgument for another format, and if the format cannot hold the calibration.
std::vector<std::filesystem::path> WriteCalibration(const Calibration& calibration, const std::string& format,
                                                    const std::filesystem::path& path);
// The files that WriteCalibration would write.
std::vector<std::filesystem::path> CalibrationFiles(const std::string& format,
                                                    const std::filesystem::path& path);

// rig.yaml, ours: docs/calibration.md.
std::string RigYaml(const Calibration& calibration);

}  // namespace parallax
