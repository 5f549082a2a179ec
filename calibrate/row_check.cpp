#include "calibrate/row_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "calibrate/row_model.h"
#include "calibrate/statistics.h"
#include "parallax/error.h"

namespace parallax {
namespace {

constexpr int kFewestMatches = 50;
constexpr double kTiltKnown = 0.02;  // radians

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
  const RobustFit fit = FitTurn(matches, rig, TurnParts::kRows);
  if (!(fit.sigma[2] < kTiltKnown)) throw Error("all matches lie in one column: show more of the scene");
  RightTurn result;
  result.turn = {-fit.x[0], 0, -fit.x[2]};  // back to where rows agree
  std::vector<double> before, after;
  for (const PointMatch& match : matches) before.push_back(match.right.y - match.left.y);
  for (const double residual : fit.residuals) after.push_back(rig.fx_px * residual);
  result.before_px = MedianSize(std::move(before));
  result.after_px = MedianSize(std::move(after));
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
