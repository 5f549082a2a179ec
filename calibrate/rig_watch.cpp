#include "calibrate/rig_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "calibrate/row_model.h"
#include "calibrate/statistics.h"

namespace parallax {
namespace {

constexpr PointSearch kWatchSearch{.num_features = 1000, .max_row_px = 60, .min_disparity = -0.1};
constexpr int kFewestWatchedMatches = 100, kFewestFrames = 3;
constexpr double kSystematic_px = 0.05;  // of rows at the corners, which frames do not average out
constexpr double kMemory_frames = 20;    // over which the estimate averages
constexpr double kSurprise = 5;          // standard deviations
constexpr int kSurprisesOfAJump = 2;
constexpr double kFault_sigmas = 5, kFaultRows_px = 1, kFaultDepth = 0.05, kDistance_m = 5;
constexpr double kPrior = 0.1;  // radians
constexpr double kFollowed_px = 0.1, kMostAtATime_px = 2;
constexpr int kFarPoints = 10;  // as many have the smallest disparities
constexpr std::size_t kFarFrames = 5;
constexpr double kNoiseOfFar_px = 0.5;

double Square(double value) { return value * value; }

// The disparity of the farthest points whose rows agree, px.
double FarDisparity(const std::vector<PointMatch>& matches, const RobustFit& fit, const StereoRig& rig) {
  std::vector<double> disparities;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (std::abs(fit.residuals[static_cast<Eigen::Index>(i)]) < 2 * fit.noise)
      disparities.push_back(matches[i].left.x - matches[i].right.x + rig.doffs_px);
  }
  if (std::ssize(disparities) <= kFarPoints) return 0;
  std::nth_element(disparities.begin(), disparities.begin() + kFarPoints, disparities.end());
  return disparities[kFarPoints];
}

}  // namespace

void RigWatch::Add(const CameraImageView& left, const CameraImageView& right, const StereoRig& rig,
                   const RightTurn_urad& corrected) {
  const std::vector<PointMatch> matches = MatchPoints(left, right, kWatchSearch).matches;
  if (std::ssize(matches) < kFewestWatchedMatches) return;
  const RobustFit fit = FitTurn(matches, rig, TurnParts::kAll);
  const Vector3 taken = RotationVectorOf(corrected);
  const Vector3 turn = RotationVectorOf(RotationOf(taken) * RotationOf({fit.x[0], fit.x[1], fit.x[2]}));
  const double measured[kNumParts] = {turn.x, turn.y, turn.z, fit.x[3]};
  const double x = 0.5 * WidthOf(left) / rig.fx_px, y = 0.5 * HeightOf(left) / rig.fx_px;
  const double at_corner[kNumParts] = {1, x * y, x, y};  // px of rows a radian, by fx_px

  ++drift_.num_frames;
  std::vector<double> rows;
  for (const PointMatch& match : matches) rows.push_back(std::abs(match.right.y - match.left.y));
  drift_.rows_px = Median(std::move(rows));
  if (far_px_.size() == kFarFrames) far_px_.erase(far_px_.begin());
  far_px_.push_back(FarDisparity(matches, fit, rig));
  drift_.shift_px = std::max(0.0, -Median(far_px_));
  drift_.corner_px = 0;
  double corner_variance = 0;
  for (int i = 0; i < kNumParts; ++i) {
    Part& part = parts_[static_cast<std::size_t>(i)];
    const double measured_variance =
        fit.sigma[i] * fit.sigma[i] + Square(kSystematic_px / (rig.fx_px * at_corner[i]));
    const double change = measured[i] - part.value;
    const bool surprises = drift_.num_frames > 1 &&
                           change * change > kSurprise * kSurprise * (part.variance + measured_variance);
    part.num_surprises = surprises ? part.num_surprises + 1 : 0;
    if (drift_.num_frames == 1 || part.num_surprises >= kSurprisesOfAJump) {
      part = {.value = 0, .variance = kPrior * kPrior};
    } else if (surprises) {
      continue;  // one frame alone may be wrong
    }
    // This much uncertainty for each frame gives the estimate a memory of kMemory_frames.
    part.variance += measured_variance / (kMemory_frames * kMemory_frames);
    const double gain = part.variance / (part.variance + measured_variance);
    part.value += gain * (measured[i] - part.value);
    part.variance *= 1 - gain;
  }
  for (int i = 0; i < kNumParts; ++i) {
    const Part& part = parts_[static_cast<std::size_t>(i)];
    const double px = rig.fx_px * at_corner[i];
    if (i == 1 && drift_.num_frames <= kFewestFrames) first_y_ = part.value;
    const double value = part.value - (i == 1 ? first_y_ : 0);
    drift_.corner_px += px * std::abs(value - (i == 0 ? taken.x : i == 2 ? taken.z : 0));
    corner_variance += px * px * part.variance + Square(kSystematic_px);
    if (i == 3) continue;
    drift_.turn[static_cast<std::size_t>(i)] = value;
    drift_.sigma[static_cast<std::size_t>(i)] = std::sqrt(part.variance + Square(kSystematic_px / px));
  }
  corner_sigma_px_ = std::sqrt(corner_variance);
  turn_px_ = {rig.fx_px * at_corner[0], rig.fx_px * at_corner[2]};
  drift_.corrected = corrected;
  // A turn about y by t moves the right image by fx t, which is a share of t Z / b of the disparity at Z.
  const double shift = drift_.shift_px / rig.fx_px, share = kDistance_m / rig.baseline_m;
  const bool is_shift = shift > std::abs(drift_.turn[1]);
  drift_.depth_error = share * (is_shift ? shift : drift_.turn[1]);
  drift_.depth_sigma = share * (is_shift ? kNoiseOfFar_px / kFault_sigmas / rig.fx_px : drift_.sigma[1]);
}

RightTurn_urad RigWatch::NextTurn() const {
  if (drift_.num_frames < kFewestFrames) return drift_.corrected;
  const std::array<double, 2> missing = {1e6 * parts_[0].value - drift_.corrected[0],
                                         1e6 * parts_[2].value - drift_.corrected[1]};
  const double rows_px = 1e-6 * (turn_px_[0] * std::abs(missing[0]) + turn_px_[1] * std::abs(missing[1]));
  RightTurn_urad next = drift_.corrected;
  if (rows_px < kFollowed_px) return next;
  const double share = std::min(1.0, kMostAtATime_px / rows_px);
  for (std::size_t i = 0; i < next.size(); ++i) next[i] += static_cast<int>(std::lround(share * missing[i]));
  return next;
}

std::string RigWatch::Fault() const {
  if (drift_.num_frames < kFewestFrames) return "";
  constexpr double kDegrees = 180 / std::numbers::pi;
  std::string what;
  if (drift_.corner_px > std::max(kFaultRows_px, kFault_sigmas * corner_sigma_px_))
    what = fmt::format("rows differ by {:.1f} px at the corners", drift_.corner_px);
  if (std::abs(drift_.depth_error) > std::max(kFaultDepth, kFault_sigmas * drift_.depth_sigma)) {
    what += fmt::format("{}depths at {:g} m are {:.0f} % too {}", what.empty() ? "" : ", ", kDistance_m,
                        100 * std::abs(drift_.depth_error), drift_.depth_error > 0 ? "large" : "small");
  }
  if (what.empty()) return "";
  const auto& [x, y, z] = drift_.turn;
  return fmt::format(
      "the right camera has turned by {:.2f}, {:.2f}, {:.2f} degrees about x, y, z since the calibration (y: "
      "since the run began): {}: fasten the cameras and calibrate again",
      kDegrees * x, kDegrees * y, kDegrees * z, what);
}

}  // namespace parallax
