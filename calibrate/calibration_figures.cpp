#include "calibrate/calibration_figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "parallax/error.h"

namespace parallax {
namespace {

std::vector<std::string> ParameterNames(const BundleOptions& options, LensModel lens) {
  static constexpr const char* kBob[] = {"k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6"};
  static constexpr const char* kFish[] = {"k1", "k2", "k3", "k4"};
  std::vector<std::string> names;
  for (const char* side : {"left_", "right_"}) {
    for (const char* name : {"fx_px", "fy_px", "cx_px", "cy_px"}) names.push_back(std::string(side) + name);
    for (int i = 0; i < options.num_coefficients; ++i)
      names.push_back(std::string(side) + (lens == LensModel::kFisheye ? kFish[i] : kBob[i]));
  }
  for (const char* name : {"rotation_x_rad", "rotation_y_rad", "rotation_z_rad", "translation_x_m",
                           "translation_y_m", "translation_z_m"})
    names.emplace_back(name);
  return names;
}

}  // namespace

std::string TextOf(const LensChoice& lens) {
  const std::string fitted =
      lens.num_held > 0 ? std::to_string(lens.num_coefficients - lens.num_held) + " of " : "";
  return std::string(NameOf(lens.lens)) + " with " + fitted + std::to_string(lens.num_coefficients) +
         " coefficients";
}

std::optional<LensChoice> ParseLens(const std::string& name) {
  if (name == "auto") return std::nullopt;
  if (name == "plumb_bob") return LensChoice{LensModel::kPlumbBob, 5};
  if (name == "rational") return LensChoice{LensModel::kPlumbBob, 8};
  if (name == "fisheye") return LensChoice{LensModel::kFisheye, 4};
  throw InvalidArgument("unknown lens '" + name + "': use auto, plumb_bob, rational or fisheye");
}

std::vector<std::pair<std::string, double>> QualityOf(const StereoCalibration& c) {
  std::vector<std::pair<std::string, double>> quality{
      {"rms_left_px", c.mono_left_px},
      {"rms_right_px", c.mono_right_px},
      {"rms_stereo_px", c.bundle.rms_px},
      {"epipolar_median_px", c.epipolar_median_px},
      {"boards_used", static_cast<double>(c.bundle.views.size())}};
  for (const DepthError& error : c.depth_errors)
    quality.emplace_back("depth_error_at_" + std::to_string(std::lround(error.distance_m)) + "m_m",
                         error.total_m);
  return quality;
}

double OutlierPercent(const StereoCalibration& calibration) {
  return 100.0 * calibration.bundle.num_outliers / std::max(1, calibration.bundle.num_corners);
}

std::vector<RigParameter> RigParametersOf(const StereoCalibration& c) {
  const RawRig& rig = c.bundle.rig;
  std::vector<double> values;
  for (const CameraModel* camera : {&rig.left, &rig.right}) {
    values.insert(values.end(), {camera->fx_px, camera->fy_px, camera->cx_px, camera->cy_px});
    values.insert(values.end(), camera->distortion.begin(),
                  camera->distortion.begin() + c.bundle_options.num_coefficients);
  }
  const Vector3 turn = RotationVectorOf(rig.right_from_left);
  values.insert(values.end(),
                {turn.x, turn.y, turn.z, rig.translation_m.x, rig.translation_m.y, rig.translation_m.z});
  std::vector<RigParameter> parameters;
  for (const std::string& name : ParameterNames(c.bundle_options, c.lens.lens)) {
    const std::size_t i = parameters.size();
    parameters.push_back({name, values[i], c.bundle.Sigma(static_cast<int>(i))});
  }
  return parameters;
}

}  // namespace parallax
