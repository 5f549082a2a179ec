#include "calibrate/row_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "calibrate/statistics.h"
#include "parallax/error.h"

namespace parallax {
namespace {

constexpr int kFewestMatches = 50;

double MedianSize(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return Median(std::move(values));
}

}  // namespace

RightTurn TurnOf(const std::vector<PointMatch>& matches, const StereoRig& rig) {
  if (std::ssize(matches) < kFewestMatches) {
    throw Error(
        fmt::format("only {} points of the left image were found in the right one: use sharp, bright images "
                    "of a scene with texture",
                    matches.size()));
  }
  const auto row_after = [&](const PointMatch& match, const Matrix3& turn) {
    const Vector3 p = turn * Vector3{(match.right.x - rig.cx_px - rig.doffs_px) / rig.fx_px,
                                     (match.right.y - rig.cy_px) / rig.fx_px, 1};
    return p.y / p.z - (match.left.y - rig.cy_px) / rig.fx_px;
  };
  RightTurn result;
  const auto residuals = [&](const Matrix3& turn) {
    std::vector<double> all;
    for (const PointMatch& match : matches) all.push_back(row_after(match, turn));
    return all;
  };
  result.before_px = rig.fx_px * MedianSize(residuals({}));
  Matrix3 turn;
  for (int i = 0; i < 15; ++i) {
    const std::vector<double> r = residuals(turn);
    const double noise = std::max(1e-6, 1.4826 * MedianSize(r));
    double xx = 0, xz = 0, zz = 0, gradient_x = 0, gradient_z = 0;
    for (std::size_t k = 0; k < matches.size(); ++k) {
      // Tukey's weight: what is far off counts for nothing.
      const double t = r[k] / (4.685 * noise);
      if (std::abs(t) >= 1) continue;
      const double weight = (1 - t * t) * (1 - t * t);
      const double x = (matches[k].right.x - rig.cx_px - rig.doffs_px) / rig.fx_px;
      const double y = (matches[k].right.y - rig.cy_px) / rig.fx_px;
      const double slope_x = -(1 + y * y), slope_z = x;  // of the row, by a turn about x and about z
      xx += weight * slope_x * slope_x;
      xz += weight * slope_x * slope_z;
      zz += weight * slope_z * slope_z;
      gradient_x += weight * slope_x * r[k];
      gradient_z += weight * slope_z * r[k];
    }
    const double determinant = xx * zz - xz * xz;
    if (!(determinant > 1e-9 * xx * xx)) throw Error("all matches lie in one column: show more of the scene");
    turn = RotationOf({-(zz * gradient_x - xz * gradient_z) / determinant, 0,
                       -(xx * gradient_z - xz * gradient_x) / determinant}) *
           turn;
  }
  result.turn = RotationVectorOf(turn);
  result.after_px = rig.fx_px * MedianSize(residuals(turn));
  return result;
}

RawRig WithTurn(const RawRig& raw, const RightTurn& turn) {
  const Rectification r = MakeRectification(raw);
  RawRig turned = raw;
  turned.right_from_left =
      NearestRotation(Transposed(RotationOf(turn.turn) * r.rectified_from_right) * r.rectified_from_left);
  turned.translation_m = -(turned.right_from_left * raw.RightCentre());
  return turned;
}

}  // namespace parallax
