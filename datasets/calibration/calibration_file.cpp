#include "datasets/calibration/calibration_file.h"

#include <cmath>

#include "datasets/calibration/calibration_text.h"
#include "datasets/formats/file_bytes.h"
#include "parallax/error.h"

namespace parallax {
namespace fs = std::filesystem;
namespace {

using calibration::NamedText;

// The files that a name stands for.
std::vector<std::string> FilesOf(const std::string& name) {
  if (fs::is_directory(name)) {
    for (const fs::path& folder : {fs::path(name), fs::path(name) / "mav0"}) {
      const fs::path left = folder / "cam0/sensor.yaml", right = folder / "cam1/sensor.yaml";
      if (fs::exists(left) && fs::exists(right)) return {left.string(), right.string()};
    }
    throw Error(name +
                ": a folder contains a calibration only in EuRoC's form (mav0 with cam0/sensor.yaml "
                "and cam1/sensor.yaml); name the file");
  }
  const std::size_t comma = name.find(',');
  if (comma == std::string::npos || fs::exists(name)) return {name};
  std::vector<std::string> files{name.substr(0, comma), name.substr(comma + 1)};
  if (files[0].empty() || files[1].empty() || files[1].find(',') != std::string::npos)
    throw InvalidArgument("'" + name + "' is not a calibration: name one file, or two, LEFT,RIGHT");
  return files;
}

void CheckRectified(const RectifiedCalibration& pair, const std::string& file) {
  const StereoRig& rig = pair.rig;
  for (const double value : {rig.fx_px, rig.cx_px, rig.cy_px, rig.baseline_m, rig.doffs_px}) {
    if (!std::isfinite(value)) throw Error(file + ": a number of the rectified pair is not finite");
  }
  if (!(rig.fx_px > 0))
    throw Error(file + ": the focal length, " + std::to_string(rig.fx_px) + " px, must be above 0");
  if (!(rig.baseline_m > 0)) {
    throw Error(file + ": the baseline, " + std::to_string(rig.baseline_m) + " m, must be above 0" +
                (rig.baseline_m < 0 ? ": are left and right exchanged?" : ""));
  }
}

}  // namespace

Calibration ReadCalibration(const std::string& name) {
  const std::vector<std::string> names = FilesOf(name);
  std::vector<NamedText> files;
  for (const std::string& file : names) files.push_back({file, ReadCalibrationText(file)});
  std::optional<Calibration> found;
  for (const auto& reader : {calibration::ReadOpenCvXml, calibration::ReadMrcal, calibration::ReadMiddlebury,
                             calibration::ReadKittiCamToCam, calibration::ReadYamlCalibration}) {
    found = reader(files);
    if (found) break;
  }
  if (!found) {
    throw Error(
        names.front() +
        ": not a known calibration format: rig.yaml, OpenCV's yml or xml (M1 D1 M2 D2 R T), a pair of "
        "ROS camera_info, Kalibr's camchain, a pair of mrcal's .cameramodel, KITTI's "
        "calib_cam_to_cam.txt, EuRoC's sensor.yaml, Middlebury's calib.txt");
  }
  found->files = names;
  try {
    if (found->raw) CheckRawRig(*found->raw, names.front());
  } catch (const InvalidArgument& error) {
    throw Error(error.what());
  }
  if (found->rectified) CheckRectified(*found->rectified, names.front());
  return std::move(*found);
}

}  // namespace parallax
