#include "app/calibrate/stereo_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <utility>

#include "parallax/error.h"
#include "pipeline/calibration/rectification.h"

namespace parallax::app {
namespace {

constexpr double kMatchingNoise_px = 0.25;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double Quantile(std::vector<double> values, double q) {
  if (values.empty()) return kNan;
  const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}
double Median(std::vector<double> values) { return Quantile(std::move(values), 0.5); }

double AngleBetween_degrees(const Matrix3& a, const Matrix3& b) {
  return Length(RotationVectorOf(a * Transposed(b))) * kDegreesPerRadian;
}

BoardPose Relative(const BoardPose& left, const BoardPose& right) {
  const Matrix3 rotation = right.camera_from_board * Transposed(left.camera_from_board);
  return {rotation, right.translation_m - rotation * left.translation_m};
}

// --- one camera
// ---------------------------------------------------------------------------------------------------

// The pose of a flat board from directions; nullopt where too few point forward. error: mean, in directions.
std::optional<BoardPose> PoseOf(const std::vector<Vector3>& board, const std::vector<SeenCorner>& corners,
                                const CameraModel& camera, double* error) {
  const CameraProjection projection(camera);
  std::vector<cv::Point3d> places;
  std::vector<cv::Point2d> directions;
  for (const SeenCorner& seen : corners) {
    const auto ray = projection.Unproject(seen.pixel);
    if (!ray || !(ray->z > 0.15)) continue;
    const Vector3& p = board[static_cast<std::size_t>(seen.corner)];
    places.emplace_back(p.x, p.y, p.z);
    directions.emplace_back(ray->x / ray->z, ray->y / ray->z);
  }
  if (places.size() < 6) return std::nullopt;
  try {
    cv::Mat rotation, translation, matrix;
    if (!cv::solvePnP(places, directions, cv::Mat::eye(3, 3, CV_64F), {}, rotation, translation, false,
                      cv::SOLVEPNP_IPPE))
      return std::nullopt;
    cv::solvePnPRefineLM(places, directions, cv::Mat::eye(3, 3, CV_64F), cv::noArray(), rotation,
                         translation);
    BoardPose pose;
    pose.camera_from_board =
        RotationOf({rotation.at<double>(0), rotation.at<double>(1), rotation.at<double>(2)});
    pose.translation_m = {translation.at<double>(0), translation.at<double>(1), translation.at<double>(2)};
    if (!(pose.translation_m.z > 0) || !std::isfinite(Length(pose.translation_m))) return std::nullopt;
    if (error != nullptr) {
      *error = 0;
      for (std::size_t i = 0; i < places.size(); ++i) {
        const Vector3 p = pose({places[i].x, places[i].y, places[i].z});
        *error += std::hypot(p.x / p.z - directions[i].x, p.y / p.z - directions[i].y) /
                  static_cast<double>(places.size());
      }
    }
    return pose;
  } catch (const cv::Exception& error) {
    if (error.code == cv::Error::StsNoMem) throw std::bad_alloc();
    return std::nullopt;
  }
}

// Calibrates the left camera of the views alone; those whose pose cannot be told are left out.
std::optional<BundleResult> CalibrateCamera(const std::vector<Vector3>& board, std::vector<BoardView> views,
                                            int width, int height, const LensChoice& lens) {
  CameraModel camera{.width_px = width, .height_px = height};
  camera.cx_px = (width - 1) / 2.0;
  camera.cy_px = (height - 1) / 2.0;
  camera.lens = lens.lens;
  // The focal length by which the boards are flattest.
  double best_error = std::numeric_limits<double>::infinity(), best_focal = width;
  for (const double ratio : {0.25, 0.32, 0.4, 0.5, 0.63, 0.8, 1.0, 1.25, 1.6, 2.0, 2.8, 4.0}) {
    camera.fx_px = camera.fy_px = ratio * width;
    std::vector<double> errors;
    for (const BoardView& view : views) {
      double error = 0;
      if (PoseOf(board, view.left, camera, &error)) errors.push_back(error * camera.fx_px);
    }
    if (errors.size() * 2 < views.size()) continue;
    if (const double error = Median(errors); error < best_error) {
      best_error = error;
      best_focal = camera.fx_px;
    }
  }
  camera.fx_px = camera.fy_px = best_focal;
  std::erase_if(views, [&](BoardView& view) {
    view.right.clear();
    const auto pose = PoseOf(board, view.left, camera, nullptr);
    if (pose) view.pose = *pose;
    return !pose;
  });
  if (views.size() < 3) return std::nullopt;
  RawRig rig{camera, camera, {}, {1, 0, 0}};
  BundleOptions options{.two_cameras = false, .num_coefficients = 0};
  // From few unknowns to many.
  BundleResult result;
  const int few = lens.lens == LensModel::kFisheye ? 0 : std::min(4, lens.num_coefficients);
  for (const int count : {0, few, lens.num_coefficients}) {
    options.num_coefficients = count;
    result = AdjustBundle(board, std::move(views), rig, options);
    rig = result.rig;
    views = result.views;
  }
  return result;
}

// --- the pair
// -----------------------------------------------------------------------------------------------------

std::vector<BoardView> RightAsLeft(std::vector<BoardView> views) {
  for (BoardView& view : views) view.left = std::move(view.right);
  return views;
}

struct PairPose {
  std::size_t view = 0;
  BoardPose right_from_left;
};

// How far the poses of pairs differ: the median of the distance to the middle one, in radians and boards.
struct Spread {
  BoardPose middle;
  double size = std::numeric_limits<double>::infinity();
};
Spread SpreadOf(const std::vector<PairPose>& pairs, double board_size_m) {
  Spread best;
  for (const PairPose& centre : pairs) {
    std::vector<double> distances;
    for (const PairPose& other : pairs) {
      const double turn = AngleBetween_degrees(centre.right_from_left.camera_from_board,
                                               other.right_from_left.camera_from_board) /
                          kDegreesPerRadian;
      distances.push_back(turn +
                          Length(centre.right_from_left.translation_m - other.right_from_left.translation_m) /
                              (3 * board_size_m));
    }
    if (const double size = Median(distances); size < best.size) best = {centre.right_from_left, size};
  }
  return best;
}

// The corners of the right image, changed by what may have been done to it.
enum class Mishap { kNone, kTurnedNumbering, kMirrored };
std::vector<SeenCorner> Undone(const std::vector<SeenCorner>& corners, Mishap mishap, const BoardSpec& board,
                               int width, bool reversed) {
  std::vector<SeenCorner> undone = corners;
  for (SeenCorner& seen : undone) {
    int x = seen.corner % board.columns, y = seen.corner / board.columns;
    if (mishap == Mishap::kMirrored) {
      seen.pixel.x = width - 1 - seen.pixel.x;
      x = board.columns - 1 - x;
    }
    if (reversed) {
      x = board.columns - 1 - x;
      y = board.rows - 1 - y;
    }
    seen.corner = y * board.columns + x;
  }
  return undone;
}

class Calibrator {
 public:
  explicit Calibrator(const CalibrationInput& input) : input_(input), board_(input.board.Corners()) {
    Vector3 low = board_.front(), high = low;
    for (const Vector3& p : board_) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), 0};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), 0};
    }
    size_m_ = Length(high - low);
  }

  StereoCalibration Run() {
    result_.width_px = input_.width_px;
    result_.height_px = input_.height_px;
    TakeUsable();
    CalibrateEach();
    FindRelativePose();
    Adjust();
    Measure();
    Judge();
    return std::move(result_);
  }

 private:
  void TakeUsable() {
    for (const BoardView& view : input_.views) {
      const bool left = !view.left.empty(), right = !view.right.empty();
      if (left && right) {
        views_.push_back(view);
      } else {
        Reject(view.name, left    ? "the board was not found in the right image"
                          : right ? "the board was not found in the left image"
                                  : "the board was not found in either image");
      }
    }
    if (views_.size() >= kFewestBoards) return;
    std::size_t num_left = 0, num_right = 0;
    for (const BoardView& view : input_.views) {
      num_left += view.left.empty() ? 0U : 1U;
      num_right += view.right.empty() ? 0U : 1U;
    }
    std::string hint =
        "take at least 10 pairs that show the whole board, tilted differently and all over the image";
    if (num_left >= kFewestBoards && num_right == 0 && input_.board.kind != BoardKind::kChessboard)
      hint = "the right images show no markers at all: are they mirrored?";
    const std::string counted =
        "is --board right? A chessboard is counted by its inner corners, ChArUco by squares, AprilGrid by "
        "tags";
    if (num_left == 0 && num_right == 0) {
      hint = counted;
    } else if (input_.views.size() >= kFewestBoards &&
               4 * std::max(num_left, num_right) < input_.views.size()) {
      hint += "; if they do: " + counted;  // what is found is then something else, or half of it
    }
    throw Error(fmt::format(
        "{} usable boards in {} pairs (left images show {}, right ones {}); at least {} are needed: "
        "{}",
        views_.size(), input_.views.size(), num_left, num_right, kFewestBoards, hint));
  }

  void Reject(std::string name, std::string reason) {
    result_.rejected.push_back({std::move(name), std::move(reason)});
  }

  void CalibrateEach() {
    const auto left = CalibrateCamera(board_, views_, input_.width_px, input_.height_px, input_.lens);
    const auto right =
        CalibrateCamera(board_, RightAsLeft(views_), input_.width_px, input_.height_px, input_.lens);
    if (!left || !right) {
      throw Error(
          std::string("the ") + (left ? "right" : "left") +
          " camera cannot be calibrated: no focal length explains its boards; check --board and --lens");
    }
    rig_.left = left->rig.left;
    rig_.right = right->rig.left;
    result_.mono_left_px = left->rms_px;
    result_.mono_right_px = right->rms_px;
  }

  // Poses of right against left, pair by pair, after undoing a mishap; `shift`: the right image of another
  // pair.
  std::vector<PairPose> PairPoses(Mishap mishap, int shift) const {
    CameraModel right = rig_.right;
    if (mishap == Mishap::kMirrored) {
      right.cx_px = input_.width_px - 1 - right.cx_px;
      if (right.lens == LensModel::kPlumbBob) right.distortion[3] = -right.distortion[3];
    }
    std::vector<PairPose> poses;
    for (std::size_t i = 0; i < views_.size(); ++i) {
      const auto j = static_cast<std::ptrdiff_t>(i) + shift;
      if (j < 0 || j >= std::ssize(views_)) continue;
      const auto left_pose = PoseOf(board_, views_[i].left, rig_.left, nullptr);
      if (!left_pose) continue;
      const auto& corners = views_[static_cast<std::size_t>(j)].right;
      std::vector<BoardPose> candidates;
      const bool is_chessboard = input_.board.kind == BoardKind::kChessboard;
      for (const bool reversed : {false, true}) {
        if (reversed && !(is_chessboard && (mishap != Mishap::kNone))) continue;
        if (!reversed && mishap == Mishap::kTurnedNumbering) continue;
        const auto pose =
            PoseOf(board_,
                   is_chessboard ? Undone(corners, mishap, input_.board, input_.width_px, reversed) : corners,
                   right, nullptr);
        if (pose) candidates.push_back(Relative(*left_pose, *pose));
      }
      // Mirrored boards may be numbered from either end: the one that turns less.
      const auto least =
          std::min_element(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
            return Length(RotationVectorOf(a.camera_from_board)) <
                   Length(RotationVectorOf(b.camera_from_board));
          });
      if (least != candidates.end()) poses.push_back({i, *least});
    }
    return poses;
  }

  void FindRelativePose() {
    // Each image of an ambiguous board was numbered by itself: pairs that differ by half a turn are put
    // right.
    if (input_.board.IsAmbiguous()) RenumberTurnedPairs();
    const Spread plain = SpreadOf(PairPoses(Mishap::kNone, 0), size_m_);
    constexpr double kConsistent = 0.05;  // radians and thirds of boards
    rig_.right_from_left = plain.middle.camera_from_board;
    rig_.translation_m = plain.middle.translation_m;
    if (plain.size < kConsistent) return CheckTurned();
    if (input_.board.kind == BoardKind::kChessboard) {
      if (SpreadOf(PairPoses(Mishap::kMirrored, 0), size_m_).size < std::min(kConsistent, plain.size / 3)) {
        result_.causes.push_back(
            "one camera is mirrored: the boards fit together only when the right images are "
            "flipped left to right; switch the flip off, or flip the images, before calibrating");
        return;
      }
    }
    for (const int shift : {1, -1, 2, -2, 3, -3}) {
      if (SpreadOf(PairPoses(Mishap::kNone, shift), size_m_).size < std::min(kConsistent, plain.size / 3)) {
        result_.causes.push_back(
            fmt::format("left and right are not synchronised: the right images fit the left ones {} pair{} "
                        "{}; pair them by time, "
                        "and trigger the cameras together",
                        std::abs(shift), std::abs(shift) == 1 ? "" : "s", shift > 0 ? "earlier" : "later"));
        return;
      }
    }
    result_.causes.push_back(
        "left and right are not synchronised, or the cameras moved against each other: each camera explains "
        "its boards, "
        "but no single pose explains the pairs; hold the board still for each pair, and fix the cameras");
  }

  // A pair of an ambiguous board whose relative pose turns by about 180 degrees was numbered from two ends.
  void RenumberTurnedPairs() {
    const std::vector<PairPose> poses = PairPoses(Mishap::kNone, 0),
                                turned = PairPoses(Mishap::kTurnedNumbering, 0);
    int count = 0;
    for (const PairPose& pose : poses) {
      const auto other =
          std::find_if(turned.begin(), turned.end(), [&](const PairPose& t) { return t.view == pose.view; });
      if (other == turned.end()) continue;
      if (Length(RotationVectorOf(other->right_from_left.camera_from_board)) <
          Length(RotationVectorOf(pose.right_from_left.camera_from_board))) {
        views_[pose.view].right =
            Undone(views_[pose.view].right, Mishap::kTurnedNumbering, input_.board, input_.width_px, true);
        ++count;
      }
    }
    if (count > 0) {
      result_.warnings.push_back(fmt::format(
          "{} pair{} had the board turned by 180 degrees between the images (this board looks the same from "
          "both ends) and {} corrected; a board with one odd and one even side is unambiguous",
          count, count == 1 ? "" : "s", count == 1 ? "was" : "were"));
    }
  }

  // All pairs agree that one camera is upside down against the other.
  void CheckTurned() {
    const double turn = Length(RotationVectorOf(rig_.right_from_left)) * kDegreesPerRadian;
    if (turn > 135) {
      result_.causes.push_back(
          fmt::format("the board is turned by 180 degrees between the images: one camera is mounted upside "
                      "down relative to the other ({:.0f} degrees); turn its images before calibrating",
                      turn));
    }
  }

  void Adjust() {
    result_.bundle_options = {.two_cameras = true, .num_coefficients = input_.lens.num_coefficients};
    for (std::size_t i = 0; i < views_.size();) {
      const auto pose = PoseOf(board_, views_[i].left, rig_.left, nullptr);
      if (pose) {
        views_[i++].pose = *pose;
      } else {
        Reject(views_[i].name, "the board's pose could not be found");
        views_.erase(views_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    if (views_.size() < kFewestBoards)
      throw Error("the pose of too few boards can be found: take more pairs");
    for (int round = 0; round < 4; ++round) {
      result_.bundle = AdjustBundle(board_, views_, rig_, result_.bundle_options);
      MeasureBoards();
      const double usual = Median(result_.board_rms_px);
      std::size_t worst = 0;
      std::vector<BoardView> kept;
      for (std::size_t i = 0; i < views_.size(); ++i) {
        worst += result_.board_rms_px[i] > std::max(4 * usual, 0.5) ? 1U : 0U;
      }
      if (worst == 0 || !result_.causes.empty() || views_.size() - worst < kFewestBoards ||
          worst * 3 > views_.size())
        break;
      for (std::size_t i = 0; i < views_.size(); ++i) {
        if (result_.board_rms_px[i] > std::max(4 * usual, 0.5)) {
          Reject(views_[i].name,
                 fmt::format("it does not fit the others: rms {:.2f} px, where a typical board has {:.2f} px",
                             result_.board_rms_px[i], usual));
        } else {
          kept.push_back(result_.bundle.views[i]);
        }
      }
      views_ = std::move(kept);
      rig_ = result_.bundle.rig;
    }
  }

  // All corners of a board, outliers too, so that one of which most corners are outliers shows.
  void MeasureBoards() {
    result_.board_rms_px.clear();
    for (const BoardView& view : result_.bundle.views) {
      double sum = 0;
      std::size_t count = 0;
      for (const bool right : {false, true}) {
        for (const Vector2& r : Residuals(view, right)) {
          const double square = r.x * r.x + r.y * r.y;
          sum += std::isnan(square) ? 1e4 : square;
          ++count;
        }
      }
      result_.board_rms_px.push_back(std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, count))));
    }
  }

  std::vector<Vector2> Residuals(const BoardView& view, bool right) const {
    const RawRig& rig = result_.bundle.rig;
    if (!right) return ResidualsOf(board_, view.left, rig.left, view.pose);
    return ResidualsOf(board_, view.right, rig.right,
                       {rig.right_from_left * view.pose.camera_from_board,
                        rig.right_from_left * view.pose.translation_m + rig.translation_m});
  }

  void Measure() {
    const BundleResult& bundle = result_.bundle;
    std::vector<Vector3> normals;
    for (const BoardView& view : bundle.views) {
      const Vector3 normal = view.pose.camera_from_board * Vector3{0, 0, 1};
      normals.push_back(normal);
      result_.tilt_degrees.push_back(std::acos(std::clamp(std::abs(normal.z), 0.0, 1.0)) * kDegreesPerRadian);
      result_.distance_m.push_back(Length(view.pose(0.5 * (board_.front() + board_.back()))));
      Cover(view.left, result_.left);
      Cover(view.right, result_.right);
    }
    for (const Vector3& a : normals) {
      for (const Vector3& b : normals) {
        result_.tilt_spread_degrees = std::max(
            result_.tilt_spread_degrees, std::acos(std::clamp(Dot(a, b), -1.0, 1.0)) * kDegreesPerRadian);
      }
    }
    MeasureEpipolar();
    if (!result_.causes.empty()) return;  // there is no usable rig to describe
    MeasureBend();
    MeasureDepth();
    if (bundle.views.size() >= 6) CrossValidate();
  }

  void Cover(const std::vector<SeenCorner>& corners, CameraCoverage& coverage) const {
    for (const SeenCorner& seen : corners) {
      const int x = std::clamp(static_cast<int>(10 * seen.pixel.x / input_.width_px), 0, 9);
      const int y = std::clamp(static_cast<int>(10 * seen.pixel.y / input_.height_px), 0, 9);
      coverage.num_cells += coverage.corners[static_cast<std::size_t>(10 * y + x)]++ == 0 ? 1 : 0;
    }
  }

  // Rows of what left and right see of a corner, after rectification, at the cameras' focal length.
  void MeasureEpipolar() {
    const RawRig& rig = result_.bundle.rig;
    const Vector3 x = Normalized(rig.RightCentre());
    const Matrix3 left_from_right = Transposed(rig.right_from_left);
    const CameraProjection left(rig.left), right(rig.right);
    const Vector3 axes = Vector3{0, 0, 1} + left_from_right * Vector3{0, 0, 1};
    const Vector3 z = Normalized(axes - Dot(axes, x) * x), y = Cross(z, x);
    std::vector<double> errors;
    for (const BoardView& view : result_.bundle.views) {
      for (const SeenCorner& a : view.left) {
        const auto b = std::find_if(view.right.begin(), view.right.end(),
                                    [&](const SeenCorner& seen) { return seen.corner == a.corner; });
        if (b == view.right.end()) continue;
        const auto p = left.Unproject(a.pixel), q = right.Unproject(b->pixel);
        if (!p || !q) continue;
        const Vector3 turned = left_from_right * *q;
        const double row_left = Dot(y, *p) / Dot(z, *p), row_right = Dot(y, turned) / Dot(z, turned);
        errors.push_back(std::abs(row_left - row_right) * (rig.left.fy_px + rig.right.fy_px) / 2);
      }
    }
    result_.epipolar_median_px = Median(errors);
    result_.epipolar_p95_px = Quantile(errors, 0.95);
  }

  void MeasureBend() {
    BundleOptions options = result_.bundle_options;
    options.fit_bend = true;
    const BundleResult bent = AdjustBundle(board_, result_.bundle.views, result_.bundle.rig, options);
    result_.bend_m = bent.bend_m;
    const int first = NumRigParameters(options);
    const double bends[] = {bent.bend_m.x, bent.bend_m.y, bent.bend_m.z};
    for (int i = 0; i < 3; ++i) {
      const double sigmas = std::abs(bends[i]) / bent.Sigma(first + i);
      if (std::isfinite(sigmas)) result_.bend_sigmas = std::max(result_.bend_sigmas, sigmas);
    }
    bend_gain_ = result_.bundle.rms_px / std::max(bent.rms_px, 1e-9);
  }

  // Depth of a pixel pair under another rig, over the image, in the true rig's rectified frame.
  template <typename Body>
  void ForPointsAt(const RawRig& rig, const Rectification& rectified, double z_m, const Body& body) const {
    const CameraProjection left(rig.left), right(rig.right);
    for (int i = 0; i < 7; ++i) {
      for (int j = 0; j < 5; ++j) {
        const double px = rectified.width_px * (i + 0.5) / 7, py = rectified.height_px * (j + 0.5) / 5;
        const Vector3 p = Transposed(rectified.rectified_from_left) *
                          Vector3{(px - rectified.rig.cx_px) / rectified.rig.fx_px * z_m,
                                  (py - rectified.rig.cy_px) / rectified.rig.fx_px * z_m, z_m};
        const auto a = left.Project(p), b = right.Project(rig.right_from_left * p + rig.translation_m);
        if (a && b) body(*a, *b);
      }
    }
  }

  void MeasureDepth() {
    const RawRig& rig = result_.bundle.rig;
    if (!WhyNotRectifiable(rig).empty() || result_.bundle.covariance.empty()) return;
    const Rectification rectified = MakeRectification(rig);
    const int n = NumRigParameters(result_.bundle_options);
    std::vector<RawRig> more, less;
    std::vector<double> steps;
    for (int p = 0; p < n; ++p) {
      const double step = std::max(1e-12, 0.1 * result_.bundle.Sigma(p));
      steps.push_back(step);
      more.push_back(Changed(rig, result_.bundle_options, p, step));
      less.push_back(Changed(rig, result_.bundle_options, p, -step));
    }
    const auto row = static_cast<std::size_t>(result_.bundle.num_parameters);
    for (const double z_m : {1.0, 2.0, 5.0, 10.0}) {
      double sum = 0;
      int count = 0;
      ForPointsAt(rig, rectified, z_m, [&](const Vector2& a, const Vector2& b) {
        std::vector<double> slope(static_cast<std::size_t>(n));
        for (std::size_t p = 0; p < slope.size(); ++p) {
          slope[p] = (TriangulatedDepth(more[p], rectified.rectified_from_left, a, b) -
                      TriangulatedDepth(less[p], rectified.rectified_from_left, a, b)) /
                     (2 * steps[p]);
        }
        double variance = 0;
        for (std::size_t p = 0; p < slope.size(); ++p) {
          for (std::size_t q = 0; q < slope.size(); ++q)
            variance += slope[p] * slope[q] * result_.bundle.covariance[p * row + q];
        }
        if (!(variance >= 0)) return;
        sum += variance;
        ++count;
      });
      DepthError error;
      error.distance_m = z_m;
      error.calibration_m = count > 0 ? std::sqrt(sum / count) : kNan;
      error.matching_m = kMatchingNoise_px * z_m * z_m / (rectified.rig.fx_px * rectified.rig.baseline_m);
      error.total_m = std::hypot(error.calibration_m, error.matching_m);
      result_.depth_errors.push_back(error);
    }
  }

  void CrossValidate() {
    std::vector<BoardView> halves[2];
    for (std::size_t i = 0; i < result_.bundle.views.size(); ++i)
      halves[i % 2].push_back(result_.bundle.views[i]);
    const BundleOptions& options = result_.bundle_options;
    RawRig rigs[2];
    try {
      for (const int h : {0, 1}) rigs[h] = AdjustBundle(board_, halves[h], result_.bundle.rig, options).rig;
    } catch (const InvalidArgument&) {
      return;
    }
    CrossValidation& cross = result_.cross_validation.emplace();
    // Directions of covered cells under both, after the turn that makes them agree best.
    const CameraProjection a(rigs[0].left), b(rigs[1].left);
    std::vector<std::pair<Vector3, Vector3>> rays;
    for (int cell = 0; cell < 100; ++cell) {
      if (result_.left.corners[static_cast<std::size_t>(cell)] == 0) continue;
      const Vector2 pixel{(cell % 10 + 0.5) * input_.width_px / 10,
                          (cell / 10 + 0.5) * input_.height_px / 10};
      const auto p = a.Unproject(pixel), q = b.Unproject(pixel);
      if (p && q) rays.emplace_back(*p, *q);
    }
    Matrix3 turn;
    for (int i = 0; i < 10; ++i) {  // small turns: the mean of what is missing at right angles
      Vector3 mean;
      for (const auto& [p, q] : rays) mean = mean + Cross(turn * q, p);
      turn = RotationOf((1.5 / static_cast<double>(std::max<std::size_t>(1, rays.size()))) * mean) * turn;
    }
    std::vector<double> differences;
    for (const auto& [p, q] : rays) {
      const auto x = a.Project(p), y = a.Project(turn * q);
      if (x && y) differences.push_back(std::hypot(x->x - y->x, x->y - y->y));
    }
    cross.projection_median_px = Median(differences);
    cross.projection_max_px = Quantile(differences, 1);
    if (!WhyNotRectifiable(result_.bundle.rig).empty()) return;
    const Rectification rectified = MakeRectification(result_.bundle.rig);
    std::vector<double> depths;
    ForPointsAt(result_.bundle.rig, rectified, Median(result_.distance_m),
                [&](const Vector2& p, const Vector2& q) {
                  const double x = TriangulatedDepth(rigs[0], rectified.rectified_from_left, p, q);
                  const double y = TriangulatedDepth(rigs[1], rectified.rectified_from_left, p, q);
                  if (std::isfinite(x) && std::isfinite(y)) depths.push_back(200 * std::abs(x - y) / (x + y));
                });
    cross.depth_median_percent = Median(depths);
    cross.depth_max_percent = Quantile(depths, 1);
  }

  void Judge() {
    const BundleResult& bundle = result_.bundle;
    const auto cause = [&](std::string text) { result_.causes.push_back(std::move(text)); };
    const auto warn = [&](std::string text) { result_.warnings.push_back(std::move(text)); };
    if (result_.causes.empty()) {
      if (const std::string why = WhyNotRectifiable(bundle.rig); !why.empty()) cause(why);
    }
    const double baseline_m = bundle.rig.baseline_m();
    if (result_.causes.empty() && input_.expected_baseline_m &&
        std::abs(baseline_m / *input_.expected_baseline_m - 1) > 0.05) {
      cause(fmt::format(
          "wrong square size: the baseline comes out as {:.4g} m, and --baseline says {:.4g} m; squares of "
          "{:.5g} m, {:.3g} times --square, would explain it",
          baseline_m, *input_.expected_baseline_m,
          input_.board.square_m * *input_.expected_baseline_m / baseline_m,
          *input_.expected_baseline_m / baseline_m));
    } else if (result_.causes.empty() && (baseline_m > 3 || baseline_m < 0.003)) {
      warn(fmt::format("a baseline of {:.4g} m is unusual: is --square in metres?", baseline_m));
    }
    const double mono = std::max(result_.mono_left_px, result_.mono_right_px);
    if (result_.causes.empty() && bundle.rms_px > 1 && bundle.rms_px > 2.5 * mono) {
      cause(fmt::format(
          "left and right are not synchronised, or the cameras moved against each other: each camera fits "
          "its boards to {:.2f} px, both together only to {:.2f} px",
          mono, bundle.rms_px));
    }
    const double bend_m =
        std::max({std::abs(result_.bend_m.x), std::abs(result_.bend_m.y), std::abs(result_.bend_m.z)});
    if (result_.causes.empty() && result_.bend_sigmas > 6 && bend_gain_ > 1.05 && bend_m > 0.002 * size_m_) {
      const std::string text = fmt::format(
          "the board is not flat: it bends by {:.2f} mm, and the corners fit {:.0f} % better when that is "
          "allowed for; "
          "glue it to glass or to a plate",
          1000 * bend_m, 100 * (bend_gain_ - 1));
      if (bend_m > 0.005 * size_m_ && bend_gain_ > 1.3) {
        cause(text);
      } else {
        warn(text);
      }
    }
    if (result_.causes.empty() && bundle.rms_px > 2) {
      cause(fmt::format(
          "the corners fit to {:.2f} px only: are the images sharp, is --board right, does --lens suit "
          "(plumb_bob, rational, fisheye)?",
          bundle.rms_px));
    }
    if (result_.tilt_spread_degrees < 15) {
      const std::string text = fmt::format(
          "the boards are too similar: their tilts differ by at most {:.0f} degrees, too little to find the "
          "focal lengths; tilt the board by 30 to 45 degrees in all directions",
          result_.tilt_spread_degrees);
      if (result_.tilt_spread_degrees < 6) {
        cause(text);
      } else {
        warn(text);
      }
    }
    if (bundle.views.size() < 10)
      warn(fmt::format("too few boards: {} were used; 10 to 30 give a rig that can be trusted",
                       bundle.views.size()));
    const int cells = std::min(result_.left.num_cells, result_.right.num_cells);
    if (cells < 55) {
      warn(fmt::format(
          "boards cover {} of 100 cells of the image: move the board into the corners and near the edges",
          cells));
    }
    const double outliers = 100.0 * bundle.num_outliers / std::max(1, bundle.num_corners);
    if (outliers > 3)
      warn(fmt::format("{:.1f} % of the corners do not fit and were left out: more than 3 %", outliers));
    if (result_.causes.empty() && bundle.rms_px > 0.7)
      warn(fmt::format("rms {:.2f} px is high: look at the worst boards, for blur and shake", bundle.rms_px));
    if (result_.epipolar_median_px > 0.5)
      warn(fmt::format("the median epipolar error is {:.2f} px: matching suffers from 0.5 px on",
                       result_.epipolar_median_px));
    if (result_.cross_validation && result_.cross_validation->depth_median_percent > 1) {
      warn(fmt::format("odd and even boards give depths that differ by {:.1f} %: more boards are needed",
                       result_.cross_validation->depth_median_percent));
    }
    result_.verdict = !result_.causes.empty() ? "refused" : result_.warnings.empty() ? "good" : "usable";
  }

  const CalibrationInput& input_;
  const std::vector<Vector3> board_;
  double size_m_ = 1;
  std::vector<BoardView> views_;
  RawRig rig_;
  double bend_gain_ = 1;
  StereoCalibration result_;
};

}  // namespace

StereoCalibration CalibrateStereo(const CalibrationInput& input) { return Calibrator(input).Run(); }

}  // namespace parallax::app
