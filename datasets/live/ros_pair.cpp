#include "datasets/live/ros_pair.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "datasets/calibration/ros_calibration.h"

namespace parallax {
namespace {

// Whether a camera's raw images are rectified ones.
bool IsOfRectified(const RosCameraInfo& info) {
  const bool is_straight =
      std::all_of(info.distortion.begin(), info.distortion.end(), [](double d) { return d == 0; });
  constexpr std::array<double, 9> kIdentity{1, 0, 0, 0, 1, 0, 0, 0, 1};
  const bool is_turned = info.r != kIdentity && info.r != std::array<double, 9>{};
  bool same = true;
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column)
      same &= info.k[row * 3 + column] == info.p[row * 4 + column];
  }
  return is_straight && !is_turned && same;
}

}  // namespace

bool IsRectifiedTopic(std::string_view image_topic) {
  return image_topic.find("rect") != std::string_view::npos;
}

std::string InfoTopicOf(std::string_view image_topic) {
  constexpr std::string_view kCompressed = "/compressed";
  if (image_topic.ends_with(kCompressed)) image_topic.remove_suffix(kCompressed.size());
  return std::string(image_topic.substr(0, image_topic.rfind('/'))) + "/camera_info";
}

void AddRosCalibration(const RosPairInfo& info, StereoFrame& frame) {
  const std::string infos = info.whose + " camera_info";
  if (!info.left || !info.right) {
    frame.rig_note = "no calibration: there is no " + infos + " of both cameras";
    return;
  }
  const RosCameraInfo &left = *info.left, &right = *info.right;
  const int width = WidthOf(ViewOf(frame.left)), height = HeightOf(ViewOf(frame.left));
  const double fx = left.p[0], baseline = fx > 0 ? -right.p[3] / fx : 0;
  if (!(fx > 0) || !std::isfinite(fx)) {
    frame.rig_note = "no calibration: " + infos + " belongs to uncalibrated cameras";
  } else if (!(baseline > 0) || !std::isfinite(baseline)) {
    frame.rig_note = "no calibration: P[3] of " + info.whose + " right camera_info is " +
                     std::to_string(right.p[3]) + ", but must be -fx * baseline; are left and right swapped?";
  } else if (!IsRectifiedTopic(info.left_topic) && !(IsOfRectified(left) && IsOfRectified(right))) {
    frame.rectified = false;
    frame.rig_note.clear();
    frame.raw_rig = std::make_shared<const RawRig>(
        *CalibrationOf(left, right, info.whose + " left camera_info", info.whose + " right camera_info").raw);
  } else if (left.width != width || left.height != height) {
    frame.rig_note = "no calibration: " + infos + " is for " + std::to_string(left.width) + "x" +
                     std::to_string(left.height) + " px, but the images are of " + std::to_string(width) +
                     "x" + std::to_string(height);
  } else {
    frame.rig_note.clear();
    frame.rig = StereoRig{.fx_px = fx,
                          .cx_px = left.p[2],
                          .cy_px = left.p[6],
                          .baseline_m = baseline,
                          .doffs_px = right.p[2] - left.p[2]};
  }
}

}  // namespace parallax
