#include "app/calibrate/rig_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <span>

#include "app/options/named_rig.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

std::string CameraText(const char* name, const CameraModel& camera) {
  std::string text =
      fmt::format("{:<10} {}x{} px, {}, focal {:.2f} {:.2f} px, principal point {:.2f} {:.2f} px\n", name,
                  camera.width_px, camera.height_px, NameOf(camera.lens), camera.fx_px, camera.fy_px,
                  camera.cx_px, camera.cy_px);
  if (camera.lens == LensModel::kPinhole) return text;
  const std::size_t count = camera.lens == LensModel::kFisheye ? 4 : camera.HasFiveCoefficients() ? 5 : 8;
  return text + fmt::format("{:<10} distortion {:.5g}\n", "",
                            fmt::join(std::span(camera.distortion.data(), count), " "));
}

std::string PairText(const StereoRig& rig, int width, int height) {
  std::string size = width > 0 ? fmt::format("{}x{} px, ", width, height) : "";
  std::string text =
      fmt::format("{:<10} {}focal {:.2f} px, principal point {:.2f} {:.2f} px, baseline {:.4f} m",
                  "rectified", size, rig.fx_px, rig.cx_px, rig.cy_px, rig.baseline_m);
  if (rig.doffs_px != 0) text += fmt::format(", doffs {:.3f} px", rig.doffs_px);
  if (width > 0) {
    text += fmt::format(", sees {:.1f} x {:.1f} degrees",
                        2 * std::atan(width / 2.0 / rig.fx_px) * kDegreesPerRadian,
                        2 * std::atan(height / 2.0 / rig.fx_px) * kDegreesPerRadian);
  }
  text += "\n\ndistance m   disparity px   0.25 px of disparity are m\n";
  for (const double z : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0}) {
    const double disparity = rig.fx_px * rig.baseline_m / z;
    text +=
        fmt::format("{:>10}   {:>12.2f}   {:>26.4f}\n", z, disparity - rig.doffs_px, 0.25 * z / disparity);
  }
  return text;
}

}  // namespace

std::string RigText(const Calibration& calibration, const RectificationOptions& options, double nearest_m) {
  std::string text = fmt::format("format     {}\n", calibration.format);
  const StereoRig* rig = calibration.rectified ? &calibration.rectified->rig : nullptr;
  int width = rig != nullptr ? calibration.rectified->width_px : 0;
  int height = rig != nullptr ? calibration.rectified->height_px : 0;
  Rectification made;
  if (calibration.raw) {
    const RawRig& raw = *calibration.raw;
    text += CameraText("left", raw.left) + CameraText("right", raw.right);
    const Vector3 centre = raw.RightCentre(), turn = RotationVectorOf(raw.right_from_left);
    text += fmt::format(
        "right      at {:.2f} {:.2f} {:.2f} mm in the left camera's frame, rotated by {:.3f} {:.3f} "
        "{:.3f} degrees about x, y, z; baseline {:.3f} mm\n",
        1000 * centre.x, 1000 * centre.y, 1000 * centre.z, kDegreesPerRadian * turn.x,
        kDegreesPerRadian * turn.y, kDegreesPerRadian * turn.z, 1000 * raw.baseline_m());
    if (raw.left.width_px == 0) {
      text += "rectified  needs the size of the images, which this file lacks\n";
      return text;
    }
    if (const std::string why = WhyNotRectifiable(raw); !why.empty()) {
      return text + "rectified  not possible: " + why + "\n";
    }
    made = MakeRectification(raw, options);
    rig = &made.rig;
    width = made.width_px;
    height = made.height_px;
    const KeptShare kept = KeptShareOf(raw, made);
    text += fmt::format("overlap    {:.0f} % of the width at infinity\n", 100 * made.overlap);
    text += fmt::format("view       shows {:.0f} % of the left image, {:.0f} % of the right one\n",
                        100 * kept.left, 100 * kept.right);
  }
  for (const auto& [name, value] : calibration.quality)
    text += fmt::format("quality    {} {:.5g}\n", name, value);
  text += PairText(*rig, width, height);
  if (nearest_m > 0) {
    const int disparities = DisparitiesFor(*rig, nearest_m);
    text += fmt::format("\nfrom {} m: --set matching_cost.num_disparities={}\n", nearest_m, disparities);
  }
  return text;
}

}  // namespace parallax::app
