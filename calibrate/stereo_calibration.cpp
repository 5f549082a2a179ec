#include "calibrate/stereo_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <utility>

#include "calibrate/calibration_figures.h"
#include "calibrate/gray_mat.h"
#include "calibrate/statistics.h"
#include "parallax/error.h"

namespace parallax {
namespace {

constexpr double kMatchingNoise_px = 0.25;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double Quantile(std::vector<double> values, double q) {
  if (values.empty()) return kNan;
  const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

double AngleBetween_degrees(const Matrix3& a, const Matrix3& b) {
  return Length(RotationVectorOf(a * Transposed(b))) * kDegreesPerRadian;
}

BoardPose InRight(const RawRig& rig, const BoardPose& pose) {
  return {rig.right_from_left * pose.camera_from_board,
          rig.right_from_left * pose.translation_m + rig.translation_m};
}

BoardPose Relative(const BoardPose& left, const BoardPose& right) {
  const Matrix3 rotation = right.camera_from_board * Transposed(left.camera_from_board);
  return {rotation, right.translation_m - rotation * left.translation_m};
}

// --- one camera
// ---------------------------------------------------------------------------------------------------

// The pose of a flat board from directions; nullopt if too few point forward.
std::optional<BoardPose> PoseOf(const std::vector<Vector3>& board, const std::vector<SeenCorner>& corners,
                                const CameraModel& camera) {
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
    std::vector<cv::Mat> rotations, translations;
    // OpenCV swallows every exception of IPPE, which finds two poses, the better one first. If memory was
    // refused, poses are missing; a second call succeeds, or the next allocation throws.
    const auto solve = [&] {
      try {
        return cv::solvePnPGeneric(places, directions, cv::Mat::eye(3, 3, CV_64F), {}, rotations,
                                   translations, false, cv::SOLVEPNP_IPPE) == 2;
      } catch (const cv::Exception&) {  // one rotation more than translations
        return false;
      }
    };
    if (!solve() && !solve()) return std::nullopt;
    cv::Mat rotation = rotations[0], translation = translations[0];
    cv::solvePnPRefineLM(places, directions, cv::Mat::eye(3, 3, CV_64F), cv::noArray(), rotation,
                         translation);
    BoardPose pose;
    pose.camera_from_board =
        RotationOf({rotation.at<double>(0), rotation.at<double>(1), rotation.at<double>(2)});
    pose.translation_m = {translation.at<double>(0), translation.at<double>(1), translation.at<double>(2)};
    if (!(pose.translation_m.z > 0) || !std::isfinite(Length(pose.translation_m))) return std::nullopt;
    return pose;
  } catch (const cv::Exception& error) {
    RethrowRefusedMemory(error);
    return std::nullopt;
  }
}

// Why a camera that was found is not plausible, in one line; empty if it is.
std::string WhyNotPlausible(const CameraModel& camera) {
  if (!(camera.cx_px > 0 && camera.cy_px > 0 && camera.cx_px < camera.width_px &&
        camera.cy_px < camera.height_px))
    return fmt::format("its principal point ({:.0f}, {:.0f}) lies outside the image", camera.cx_px,
                       camera.cy_px);
  if (std::abs(camera.fx_px / camera.fy_px - 1) > 0.05)
    return fmt::format("its focal lengths {:.0f} and {:.0f} px differ by more than 5 %", camera.fx_px,
                       camera.fy_px);
  const CameraProjection projection(camera);
  const double right = camera.width_px - 1, bottom = camera.height_px - 1;
  for (int i = 0; i < 16; ++i) {
    const double x = right * i / 15, y = bottom * i / 15;
    for (const Vector2& border : {Vector2{x, 0}, {x, bottom}, {0, y}, {right, y}})
      if (!projection.Unproject(border)) return "its distortion turns back inside the image";
  }
  return "";
}

struct CameraFit {
  CameraModel camera;
  double usual_px = 0;
};

// The left camera of the views alone, from several focal lengths; plausible fits first, then the best. Fits
// few free numbers first, then more: the bent lines of a board must not be explained by a shifted or squeezed
// image.
std::vector<CameraFit> CalibrateCamera(const std::vector<Vector3>& board,
                                       const std::vector<BoardView>& all_views, int width, int height,
                                       LensModel lens) {
  constexpr std::size_t kMostViews = 15;  // enough for a start
  std::vector<BundleResult> starts;
  const int usual = lens == LensModel::kFisheye ? 4 : 5;
  BundleOptions options{
      .two_cameras = false, .num_coefficients = usual, .num_held = usual - 2, .freedom = Freedom::kFocal};
  for (const double ratio : {0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0}) {
    CameraModel camera{.width_px = width, .height_px = height};
    camera.fx_px = camera.fy_px = ratio * width;
    camera.cx_px = (width - 1) / 2.0;
    camera.cy_px = (height - 1) / 2.0;
    camera.lens = lens;
    std::vector<BoardView> views;
    const std::size_t step = (all_views.size() + kMostViews - 1) / kMostViews;
    for (std::size_t i = 0; i < all_views.size(); i += step) views.push_back(all_views[i]);
    const std::size_t num_asked = views.size();
    std::erase_if(views, [&](BoardView& view) {
      view.right.clear();
      const auto pose = PoseOf(board, view.left, camera);
      if (pose) view.pose = *pose;
      return !pose;
    });
    if (views.size() < 3 || 2 * views.size() < num_asked) continue;
    starts.push_back(AdjustBundle(board, std::move(views), {camera, camera, {}, {1, 0, 0}}, options));
  }
  std::ranges::stable_sort(starts, {}, &BundleResult::usual_px);
  const auto same_focal = [](const BundleResult& a, const BundleResult& b) {
    return std::abs(a.rig.left.fx_px / b.rig.left.fx_px - 1) < 0.01;
  };
  starts.erase(std::unique(starts.begin(), starts.end(), same_focal), starts.end());
  constexpr std::size_t kFollowed = 3;
  starts.resize(std::min(kFollowed, starts.size()));
  std::vector<CameraFit> fits;
  options.freedom = Freedom::kAll;
  for (BundleResult& result : starts) {
    for (const int held : {usual - 2, usual - 4}) {
      options.num_held = held;
      result = AdjustBundle(board, std::move(result.views), result.rig, options);
    }
    fits.push_back({result.rig.left, result.usual_px});
  }
  std::ranges::stable_sort(fits, {}, [](const CameraFit& fit) {
    return std::pair(!WhyNotPlausible(fit.camera).empty(), fit.usual_px);
  });
  return fits;
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

// A rig and how well it explains the pairs.
struct PairFit {
  RawRig start;  // each camera by its own boards
  LensChoice lens;
  std::vector<BoardView> views;  // those that are used
  std::vector<RejectedBoard> rejected;
  BundleResult bundle;
  std::vector<double> board_rms_px;            // of each used board, both cameras, outliers too
  double mono_left_px = 0, mono_right_px = 0;  // of the same boards
  int num_renumbered = 0;                      // boards that were counted from the other end
  bool is_poor = false;                        // each camera explains its boards, but not both together
};

BundleOptions OptionsOf(const LensChoice& lens, bool two_cameras = true) {
  return {.two_cameras = two_cameras, .num_coefficients = lens.num_coefficients, .num_held = lens.num_held};
}

// The same rig without the coefficients that are not fitted.
RawRig Reduced(RawRig rig, const LensChoice& lens) {
  for (CameraModel* camera : {&rig.left, &rig.right}) {
    auto& k = camera->distortion;
    std::fill(k.begin() + (lens.num_coefficients - lens.num_held), k.end(), 0.0);
  }
  return rig;
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
    const PairFit fit = FitPairs();
    Take(fit);
    if (fit.is_poor) {
      NameMishap(fit);
    } else {
      ChooseLens(fit);
      CheckTurned();
    }
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
        not_found_.push_back({view.name, left    ? "the board was not found in the right image"
                                         : right ? "the board was not found in the left image"
                                                 : "the board was not found in either image"});
      }
    }
    if (views_.size() >= kFewestBoards) return;
    std::size_t num_left = 0, num_right = 0;
    for (const BoardView& view : input_.views) {
      num_left += view.left.empty() ? 0U : 1U;
      num_right += view.right.empty() ? 0U : 1U;
    }
    std::string hint =
        "take at least 10 pairs that show the whole board, with different tilts and in all parts of "
        "the image";
    if (num_left >= kFewestBoards && num_right == 0 && input_.board.kind != BoardKind::kChessboard)
      hint = "the right images show no markers at all: are they mirrored?";
    const std::string counted =
        "is the board right? A chessboard is counted by its inner corners, ChArUco by squares, "
        "AprilGrid by tags";
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

  // Fits from the best start; from others where both cameras together explain less than each alone.
  PairFit FitPairs() {
    std::vector<RawRig> starts;
    const std::vector<LensModel> lenses =
        input_.lens ? std::vector{input_.lens->lens} : std::vector{LensModel::kPlumbBob, LensModel::kFisheye};
    const auto fits_of = [&](const std::vector<BoardView>& views, LensModel lens) {
      return CalibrateCamera(board_, views, input_.width_px, input_.height_px, lens);
    };
    const char* failed = "left";
    double least_px = std::numeric_limits<double>::infinity();
    for (const LensModel lens : lenses) {
      const auto left = fits_of(views_, lens), right = fits_of(RightAsLeft(views_), lens);
      if (!left.empty()) failed = "right";
      if (left.empty() || right.empty()) continue;
      std::vector<RawRig> more;
      for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
        more.push_back(
            {left[std::min(i, left.size() - 1)].camera, right[std::min(i, right.size() - 1)].camera, {}, {}});
      }
      lens_starts_.push_back(more.front());
      // The lens that explains each camera's boards better comes first.
      const double usual_px = left.front().usual_px + right.front().usual_px;
      starts.insert(usual_px < least_px ? starts.begin() : starts.end(), more.begin(), more.end());
      least_px = std::min(least_px, usual_px);
    }
    if (starts.empty()) {
      throw Error(fmt::format(
          "the {} camera cannot be calibrated: no focal length explains its boards; check the board "
          "and the lens model",
          failed));
    }
    std::optional<PairFit> best;
    for (const RawRig& rig : starts) {
      std::optional<PairFit> fit = FitFrom(rig);
      if (fit &&
          (!best || (best->is_poor && (!fit->is_poor || fit->bundle.usual_px < best->bundle.usual_px))))
        best = std::move(fit);
      if (best && !best->is_poor) break;
    }
    if (!best) throw Error("too few boards have a known pose: take more pairs");
    return *best;
  }

  // nullopt if the poses of too few boards can be found.
  std::optional<PairFit> FitFrom(RawRig rig) const {
    PairFit fit;
    fit.lens = rig.left.lens == LensModel::kFisheye ? LensChoice{LensModel::kFisheye, 4}
                                                    : LensChoice{LensModel::kPlumbBob, 5, 1};
    fit.start = rig;
    fit.views = views_;
    if (input_.board.IsAmbiguous()) fit.num_renumbered = RenumberTurnedPairs(rig, fit.views);
    const BoardPose middle = SpreadOf(PairPoses(rig, fit.views, Mishap::kNone, 0), size_m_).middle;
    rig.right_from_left = middle.camera_from_board;
    rig.translation_m = middle.translation_m;
    if (!Adjust(rig, fit)) return std::nullopt;
    return fit;
  }

  // The pose of the right camera against the left one in every pair, after undoing a mishap of taking the
  // images. shift: view i is paired with the right image of view i + shift.
  std::vector<PairPose> PairPoses(const RawRig& rig, const std::vector<BoardView>& views, Mishap mishap,
                                  int shift) const {
    CameraModel right = rig.right;
    if (mishap == Mishap::kMirrored) {
      right.cx_px = input_.width_px - 1 - right.cx_px;
      if (right.lens == LensModel::kPlumbBob) right.distortion[3] = -right.distortion[3];
    }
    std::vector<PairPose> poses;
    for (std::size_t i = 0; i < views.size(); ++i) {
      const auto j = static_cast<std::ptrdiff_t>(i) + shift;
      if (j < 0 || j >= std::ssize(views)) continue;
      const auto left_pose = PoseOf(board_, views[i].left, rig.left);
      if (!left_pose) continue;
      const auto& corners = views[static_cast<std::size_t>(j)].right;
      std::vector<BoardPose> candidates;
      const bool is_chessboard = input_.board.kind == BoardKind::kChessboard;
      for (const bool reversed : {false, true}) {
        if (reversed && !(is_chessboard && (mishap != Mishap::kNone))) continue;
        if (!reversed && mishap == Mishap::kTurnedNumbering) continue;
        const auto pose =
            PoseOf(board_,
                   is_chessboard ? Undone(corners, mishap, input_.board, input_.width_px, reversed) : corners,
                   right);
        if (pose) candidates.push_back(Relative(*left_pose, *pose));
      }
      // Mirrored boards may be numbered from either end: the numbering with the smaller rotation is right.
      const auto least =
          std::min_element(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
            return Length(RotationVectorOf(a.camera_from_board)) <
                   Length(RotationVectorOf(b.camera_from_board));
          });
      if (least != candidates.end()) poses.push_back({i, *least});
    }
    return poses;
  }

  // Left and right do not fit together: why.
  void NameMishap(const PairFit& fit) {
    const auto spread = [&](Mishap mishap, int shift) {
      return SpreadOf(PairPoses(fit.start, views_, mishap, shift), size_m_).size;
    };
    const double plain = spread(Mishap::kNone, 0);
    constexpr double kConsistent = 0.05;  // radians and thirds of boards
    const auto explains = [&](double size) { return size < std::min(kConsistent, plain / 3); };
    if (input_.board.kind == BoardKind::kChessboard && explains(spread(Mishap::kMirrored, 0))) {
      result_.causes.push_back(
          "one camera is mirrored: the boards fit together only when the right images are flipped left to "
          "right; "
          "switch the flip off, or flip the images, before calibrating");
      return;
    }
    for (const int shift : {1, -1, 2, -2, 3, -3}) {
      if (!explains(spread(Mishap::kNone, shift))) continue;
      result_.causes.push_back(fmt::format(
          "left and right are not synchronised: the right images fit the left ones {} pair{} {}; pair "
          "them by time, and trigger the cameras together",
          std::abs(shift), std::abs(shift) == 1 ? "" : "s", shift > 0 ? "earlier" : "later"));
      return;
    }
    result_.causes.push_back(
        fmt::format("left and right are not synchronised, or the cameras moved against each other: each "
                    "camera fits its boards "
                    "to {:.2f} px, both together only to {:.2f} px; hold the board still for each pair, and "
                    "fix the cameras",
                    std::max(fit.mono_left_px, fit.mono_right_px), Median(fit.board_rms_px)));
  }

  // A pair of an ambiguous board whose relative pose turns by about 180 degrees was numbered from two ends.
  // Returns how many there were.
  int RenumberTurnedPairs(const RawRig& rig, std::vector<BoardView>& views) const {
    const std::vector<PairPose> poses = PairPoses(rig, views, Mishap::kNone, 0),
                                turned = PairPoses(rig, views, Mishap::kTurnedNumbering, 0);
    int count = 0;
    for (const PairPose& pose : poses) {
      const auto other =
          std::find_if(turned.begin(), turned.end(), [&](const PairPose& t) { return t.view == pose.view; });
      if (other == turned.end()) continue;
      if (Length(RotationVectorOf(other->right_from_left.camera_from_board)) <
          Length(RotationVectorOf(pose.right_from_left.camera_from_board))) {
        views[pose.view].right =
            Undone(views[pose.view].right, Mishap::kTurnedNumbering, input_.board, input_.width_px, true);
        ++count;
      }
    }
    return count;
  }

  // All pairs agree that one camera is upside down against the other.
  void CheckTurned() {
    const double turn = Length(RotationVectorOf(result_.bundle.rig.right_from_left)) * kDegreesPerRadian;
    if (turn > 135) {
      result_.causes.push_back(
          fmt::format("the board is rotated by 180 degrees between the images: one camera is mounted "
                      "upside down relative to the other ({:.0f} degrees); turn its images before "
                      "calibrating",
                      turn));
    }
  }

  // Fits the rig to the pairs of `fit`, and leaves out those that do not fit the others, while they are fewer than
  // half. False if the poses of too few boards can be found.
  bool Adjust(RawRig rig, PairFit& fit) const {
    std::vector<BoardView>& views = fit.views;
    std::erase_if(views, [&](BoardView& view) {
      const auto pose = PoseOf(board_, view.left, rig.left);
      if (pose)
        view.pose = *pose;
      else
        fit.rejected.push_back({view.name, "the board's pose could not be found"});
      return !pose;
    });
    if (views.size() < kFewestBoards) throw Error("too few boards have a known pose: take more pairs");
    for (;;) {
      fit.bundle = AdjustBundle(board_, views, rig, OptionsOf(fit.lens));
      rig = fit.bundle.rig;
      constexpr double kMost_px = 100;
      fit.board_rms_px = MeanSquares(fit.bundle, kMost_px * kMost_px);
      for (double& rms : fit.board_rms_px) rms = std::sqrt(rms);
      const double usual = Median(fit.board_rms_px), limit = std::max(4 * usual, 0.5);
      const auto is_bad = [&](double rms_px) { return rms_px > limit; };
      const auto num_bad = static_cast<std::size_t>(std::ranges::count_if(fit.board_rms_px, is_bad));
      if (num_bad == 0 || views.size() - num_bad < 3) break;
      std::vector<BoardView> kept;
      for (std::size_t i = 0; i < views.size(); ++i) {
        if (is_bad(fit.board_rms_px[i])) {
          fit.rejected.push_back(
              {views[i].name,
               fmt::format("it does not fit the others: rms {:.2f} px, where a typical board has {:.2f} px",
                           fit.board_rms_px[i], usual)});
        } else {
          kept.push_back(fit.bundle.views[i]);
        }
      }
      views = std::move(kept);
    }
    const auto alone = [&](bool right) {
      std::vector<BoardView> seen = right ? RightAsLeft(fit.bundle.views) : fit.bundle.views;
      RawRig single = rig;
      if (right) {
        single.left = rig.right;
        for (BoardView& view : seen) view.pose = InRight(rig, view.pose);
      }
      return AdjustBundle(board_, std::move(seen), single, OptionsOf(fit.lens, false)).rms_px;
    };
    fit.mono_left_px = alone(false);
    fit.mono_right_px = alone(true);
    const double usual = Median(fit.board_rms_px), mono = std::max(fit.mono_left_px, fit.mono_right_px);
    fit.is_poor = 2 * fit.views.size() < views_.size() || (usual > 1 && usual > 2.5 * mono);
    return true;
  }

  // Returns for each board the mean of the squared distances of its corners in both images, px^2. Outliers
  // are included, so that a board with mostly outliers shows; each corner counts for at most most_px2.
  std::vector<double> MeanSquares(const BundleResult& bundle, double most_px2) const {
    std::vector<double> all;
    for (const BoardView& view : bundle.views) {
      double sum = 0;
      std::size_t count = 0;
      const auto add = [&](const auto& corners, const CameraModel& camera, const BoardPose& pose) {
        for (const Vector2& r : ResidualsOf(board_, corners, camera, pose)) {
          const double square = r.x * r.x + r.y * r.y;
          sum += square < most_px2 ? square : most_px2;
          ++count;
        }
      };
      add(view.left, bundle.rig.left, view.pose);
      add(view.right, bundle.rig.right, InRight(bundle.rig, view.pose));
      all.push_back(sum / static_cast<double>(std::max<std::size_t>(1, count)));
    }
    return all;
  }

  void Take(const PairFit& fit) {
    result_.lens = fit.lens;
    result_.bundle = fit.bundle;
    result_.bundle_options = OptionsOf(fit.lens);
    result_.board_rms_px = fit.board_rms_px;
    result_.mono_left_px = fit.mono_left_px;
    result_.mono_right_px = fit.mono_right_px;
    result_.rejected = not_found_;
    result_.rejected.insert(result_.rejected.end(), fit.rejected.begin(), fit.rejected.end());
    result_.warnings.clear();
    if (fit.num_renumbered > 0) {
      result_.warnings.push_back(fmt::format(
          "{} pair{} had the board rotated by 180 degrees between the images (this board looks the "
          "same from both ends) and {} corrected; a board with one odd and one even side is unambiguous",
          fit.num_renumbered, fit.num_renumbered == 1 ? "" : "s", fit.num_renumbered == 1 ? "was" : "were"));
    }
  }

  // --- the lens

  // The models to choose from: the usual one first, then those that are taken if the boards do not determine it, then
  // those for which a lens must give a reason.
  std::vector<LensChoice> Lenses() const {
    constexpr auto kBob = LensModel::kPlumbBob, kFish = LensModel::kFisheye;
    if (!input_.lens) return {{kBob, 5}, {kBob, 5, 1}, {kBob, 5, 3}, {kFish, 4}, {kFish, 4, 2}, {kBob, 8}};
    if (input_.lens->lens == kFish) return {{kFish, 4}, {kFish, 4, 2}};
    std::vector<LensChoice> lenses{{kBob, 5}, {kBob, 5, 1}, {kBob, 5, 3}};
    if (input_.lens->num_coefficients > 5) lenses.insert(lenses.begin(), {kBob, 8});
    return lenses;
  }

  struct Trial {
    BundleResult bundle;
    std::vector<double> squares_px2;  // of each pair, held out; mean over its corners
    std::string problem;
  };

  // Whether the denominator of a rational model is known to half of what it is in the corners.
  static bool DeterminesDenominator(const BundleResult& bundle) {
    int first = 0;
    for (const CameraModel* camera : {&bundle.rig.left, &bundle.rig.right}) {
      const auto ray = CameraProjection(*camera).Unproject({0, 0});
      const double r2 = ray ? (ray->x * ray->x + ray->y * ray->y) / (ray->z * ray->z) : 1;
      for (const auto& [number, power] : {std::pair{9, r2}, {10, r2 * r2}, {11, r2 * r2 * r2}})
        if (!(bundle.Sigma(first + number) * power < 0.5)) return false;
      first += 12;
    }
    return true;
  }

  // Cross-validation: every fifth pair is held out in turn. Its board's pose is fitted to a rig of the others.
  // Corners further away than most_px count as that far.
  std::optional<Trial> Try(const LensChoice& lens, const RawRig& start, const std::vector<BoardView>& views,
                           double most_px) const {
    try {
      Trial trial;
      trial.bundle = AdjustBundle(board_, views, start, OptionsOf(lens));
      trial.squares_px2.resize(views.size());
      constexpr std::size_t kFolds = 5;
      for (std::size_t fold = 0; fold < kFolds; ++fold) {
        std::vector<BoardView> others, held_out;
        for (std::size_t i = 0; i < views.size(); ++i)
          (i % kFolds == fold ? held_out : others).push_back(trial.bundle.views[i]);
        BundleOptions options = OptionsOf(lens);
        options.start_is_near = true;
        const RawRig rig = AdjustBundle(board_, std::move(others), trial.bundle.rig, options).rig;
        options.freedom = Freedom::kPoses;
        const std::vector<double> squares =
            MeanSquares(AdjustBundle(board_, std::move(held_out), rig, options), most_px * most_px);
        for (std::size_t i = 0; i < squares.size(); ++i) trial.squares_px2[fold + i * kFolds] = squares[i];
      }
      // A last coefficient that clearly differs from 0 is accepted: the lens has that shape.
      const int last = 3 + lens.num_coefficients - lens.num_held, of_camera = 4 + lens.num_coefficients;
      for (const bool right : {false, true}) {
        const CameraModel& camera = right ? trial.bundle.rig.right : trial.bundle.rig.left;
        const double size = std::abs(camera.distortion[static_cast<std::size_t>(last - 4)]);
        const std::string why = WhyNotPlausible(camera);
        if (why.empty() || size > 3 * trial.bundle.Sigma((right ? of_camera : 0) + last)) continue;
        trial.problem = std::string("of the ") + (right ? "right" : "left") + " camera " + why;
      }
      if (trial.problem.empty() && lens.num_coefficients == 8 && !DeterminesDenominator(trial.bundle))
        trial.problem = "k4, k5 and k6 can balance k1, k2 and k3 at any size";
      return trial;
    } catch (const InvalidArgument&) {
      return std::nullopt;  // more unknowns than corners
    }
  }

  static double SumOfSquares(const BundleResult& bundle) {
    return bundle.rms_px * bundle.rms_px * (bundle.num_corners - bundle.num_outliers);
  }

  void ChooseLens(const PairFit& first) {
    std::vector<std::pair<LensChoice, Trial>> trials;
    for (const LensChoice& lens : Lenses()) {
      const bool is_settled = std::ranges::any_of(
          trials, [&](const auto& t) { return t.first.lens == lens.lens && t.second.problem.empty(); });
      if (is_settled && lens.num_held > 0) continue;
      RawRig start = first.bundle.rig;
      if (lens.lens != first.lens.lens) {
        const auto other =
            std::ranges::find_if(lens_starts_, [&](const RawRig& rig) { return rig.left.lens == lens.lens; });
        if (other == lens_starts_.end()) continue;
        start.left = other->left;
        start.right = other->right;
      }
      auto trial = Try(lens, Reduced(start, lens), first.bundle.views, 5 * first.bundle.usual_px);
      if (trial) trials.emplace_back(lens, std::move(*trial));
    }
    if (trials.empty()) return;
    const auto mean = [](const std::vector<double>& values) {
      return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    };
    for (const auto& [lens, trial] : trials)
      result_.lens_trials.push_back({lens, std::sqrt(mean(trial.squares_px2)), trial.problem});
    // The first model without a problem, unless another one fits the held-out pairs at least 2 % better. The gain
    // must exceed three standard errors of the mean log ratio over the pairs, so that no single pair decides.
    const auto is_better = [&](const Trial& trial, const Trial& than) {
      std::vector<double> gains, squares;
      for (std::size_t i = 0; i < trial.squares_px2.size(); ++i)
        gains.push_back(
            std::log(std::max(than.squares_px2[i], 1e-12) / std::max(trial.squares_px2[i], 1e-12)));
      const double gain = mean(gains);
      for (const double g : gains) squares.push_back((g - gain) * (g - gain));
      return gain > 0.04 && gain > 3 * std::sqrt(mean(squares) / static_cast<double>(gains.size()));
    };
    auto chosen = std::ranges::find_if(trials, [](const auto& t) { return t.second.problem.empty(); });
    if (chosen == trials.end()) chosen = trials.begin();
    // Coefficients are not held at 0 if the boards show that they are not 0: chi squared grows by more than
    // 25.
    const BundleResult& full = trials.front().second.bundle;
    if (chosen->first.num_held > 0 && chosen->first.lens == trials.front().first.lens &&
        SumOfSquares(chosen->second.bundle) - SumOfSquares(full) > 25 * full.noise_px * full.noise_px)
      chosen = trials.begin();
    for (auto other = trials.begin(); other != trials.end(); ++other)
      if (is_better(other->second, chosen->second)) chosen = other;
    PairFit fit;
    fit.lens = chosen->first;
    fit.views = views_;
    if (first.num_renumbered > 0) fit.num_renumbered = RenumberTurnedPairs(first.bundle.rig, fit.views);
    if (!Adjust(chosen->second.bundle.rig, fit)) return;
    Take(fit);
    const auto& [usual, usual_trial] = trials.front();
    const std::string advice = "; take more boards, tilted and in the corners";
    if (!chosen->second.problem.empty()) {
      result_.warnings.push_back("the lens model is unreliable: " + chosen->second.problem + advice);
    } else if (chosen != trials.begin() && usual.lens == fit.lens.lens &&
               usual.num_coefficients >= fit.lens.num_coefficients) {
      result_.warnings.push_back(
          fmt::format("the boards do not determine {} ({}): {} is used{}", TextOf(usual),
                      usual_trial.problem.empty() ? "it fits held-out pairs less well" : usual_trial.problem,
                      TextOf(fit.lens), advice));
    }
  }

  void Measure() {
    const BundleResult& bundle = result_.bundle;
    std::vector<Vector3> normals;
    for (const BoardView& view : bundle.views) {
      const Vector3 normal = view.pose.camera_from_board * Vector3{0, 0, 1};
      normals.push_back(normal);
      result_.tilt_degrees.push_back(std::acos(std::clamp(std::abs(normal.z), 0.0, 1.0)) * kDegreesPerRadian);
      result_.distance_m.push_back(Length(view.pose(0.5 * (board_.front() + board_.back()))));
      result_.left.Add(view.left, input_.width_px, input_.height_px);
      result_.right.Add(view.right, input_.width_px, input_.height_px);
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
    if (!WhyNotRectifiable(rig).empty()) return;
    const Rectification rectified = MakeRectification(rig);
    result_.kept = KeptShareOf(rig, rectified);
    if (result_.bundle.covariance.empty()) return;
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
          "wrong square size: the baseline comes out as {:.4g} m, but the measured baseline is {:.4g} "
          "m; squares of {:.5g} m, {:.3g} times the given size, would explain it",
          baseline_m, *input_.expected_baseline_m,
          input_.board.square_m * *input_.expected_baseline_m / baseline_m,
          *input_.expected_baseline_m / baseline_m));
    } else if (result_.causes.empty() && (baseline_m > 3 || baseline_m < 0.003)) {
      warn(fmt::format("a baseline of {:.4g} m is unusual: is the square size in metres?", baseline_m));
    }
    if (result_.causes.empty() && std::ssize(bundle.views) < kFewestBoards) {
      cause(fmt::format("only {} pairs fit each other, but at least {} are needed: take more pairs",
                        bundle.views.size(), kFewestBoards));
    }
    const double bend_m =
        std::max({std::abs(result_.bend_m.x), std::abs(result_.bend_m.y), std::abs(result_.bend_m.z)});
    if (result_.causes.empty() && result_.bend_sigmas > 6 && bend_gain_ > 1.05 && bend_m > 0.002 * size_m_) {
      const std::string text = fmt::format(
          "the board is not flat: it bends by {:.2f} mm, and the corners fit {:.0f} % better when the "
          "bend is modelled; glue it to glass or to a plate",
          1000 * bend_m, 100 * (bend_gain_ - 1));
      if (bend_m > 0.005 * size_m_ && bend_gain_ > 1.3) {
        cause(text);
      } else {
        warn(text);
      }
    }
    if (result_.causes.empty() && bundle.rms_px > 2) {
      cause(fmt::format(
          "the corners fit only to {:.2f} px: check that the images are sharp, and the board and the "
          "lens model (plumb_bob, rational, fisheye)",
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
      warn(fmt::format("too few boards: {} were used; use 10 to 30", bundle.views.size()));
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
      warn(fmt::format("the median epipolar error is {:.2f} px: matching suffers above 0.5 px",
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
  std::vector<BoardView> views_;  // whose board was found in both images
  std::vector<RejectedBoard> not_found_;
  std::vector<RawRig> lens_starts_;  // the best of each lens model, without the pose between the cameras
  double bend_gain_ = 1;
  StereoCalibration result_;
};

}  // namespace

void CameraCoverage::Add(const std::vector<SeenCorner>& seen, int width_px, int height_px) {
  for (const SeenCorner& corner : seen) {
    const int x = std::clamp(static_cast<int>(10 * corner.pixel.x / width_px), 0, 9);
    const int y = std::clamp(static_cast<int>(10 * corner.pixel.y / height_px), 0, 9);
    num_cells += corners[static_cast<std::size_t>(10 * y + x)]++ == 0 ? 1 : 0;
  }
}

StereoCalibration CalibrateStereo(const CalibrationInput& input) { return Calibrator(input).Run(); }

}  // namespace parallax
