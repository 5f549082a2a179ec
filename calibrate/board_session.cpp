#include "calibrate/board_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <utility>

#include "parallax/error.h"

namespace parallax {
namespace {

constexpr double kNewPlace_widths = 0.03;
// A board counts as still below this speed: cameras that take their images 5 ms apart then see it less than 0.3
// thousandths of the width apart. Corners are found to less than the least shift.
constexpr double kStill_widths_per_s = 0.06, kLeastShift_widths = 0.001, kShiftWithoutTimes_widths = 0.002;
constexpr double kLongestMove_s = 0.25;  // what moves for longer has moved too far
constexpr double kChosen_s = 1;          // pairs this far apart are pictures that somebody took one by one

// The verdict "good" wants 10 boards that fit, 55 % of the cells and tilts of 15 degrees: a little more of it.
constexpr std::size_t kEnoughBoards = 12;
constexpr int kEnoughCells = 58;
constexpr double kEnoughSlope = 0.21;  // 12 degrees to each side
constexpr double kEnoughDistances = 1.25;

constexpr double kUsualFocal_widths = 0.8;  // of cameras, 64 degrees: until boards tell more

constexpr std::array<const char*, 9> kPlaces = {"upper left corner", "upper edge", "upper right corner",
                                                "left edge",         "middle",     "right edge",
                                                "lower left corner", "lower edge", "lower right corner"};
constexpr std::array<std::size_t, 9> kPlacesInOrder = {4, 0, 2, 8, 6, 1, 5, 7, 3};
constexpr std::array<const char*, 4> kSides = {"upper", "left", "lower", "right"};

// The mean distance between the corners that both boards have, px; nullopt if they have none in common.
std::optional<double> ShiftOf(const std::vector<SeenCorner>& a, const std::vector<SeenCorner>& b) {
  double sum = 0;
  std::size_t count = 0;
  for (const SeenCorner& corner : a) {
    const auto other = std::find_if(b.begin(), b.end(),
                                    [&](const SeenCorner& seen) { return seen.corner == corner.corner; });
    if (other == b.end()) continue;
    sum += std::hypot(corner.pixel.x - other->pixel.x, corner.pixel.y - other->pixel.y);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

// The share of covered cells; a cell is a ninth of the image.
double CoveredShare(const CameraCoverage& coverage, std::size_t place) {
  constexpr std::array<int, 4> kBorders = {0, 3, 7, 10};
  const std::size_t column = place % 3, row = place / 3;
  int num = 0, num_covered = 0;
  for (int y = kBorders[row]; y < kBorders[row + 1]; ++y) {
    for (int x = kBorders[column]; x < kBorders[column + 1]; ++x) {
      ++num;
      num_covered += coverage.corners[static_cast<std::size_t>(10 * y + x)] > 0 ? 1 : 0;
    }
  }
  return static_cast<double>(num_covered) / num;
}

SessionNeed NeedOf(std::string text, double have, double enough) {
  return {std::move(text), std::clamp(have / enough, 0.0, 1.0)};
}

}  // namespace

BoardSession::BoardSession(const BoardSpec& board, Takes takes)
    : board_(board), takes_(takes), finder_(board) {}

void BoardSession::RequireSize(const std::string& name, int width_px, int height_px) {
  if (width_px_ == 0) {
    width_px_ = width_px;
    height_px_ = height_px;
  }
  if (width_px != width_px_ || height_px != height_px_) {
    throw Error(fmt::format(
        "{}: its images are {}x{}, but earlier ones are {}x{}: calibrate one image size at a time", name,
        width_px, height_px, width_px_, height_px_));
  }
}

const BoardSight& BoardSession::Look(const std::string& name, const CameraImageView& left,
                                     const CameraImageView& right, std::optional<double> time_s) {
  for (const CameraImageView& image : {left, right}) RequireSize(name, WidthOf(image), HeightOf(image));
  BoardView view;
  view.name = name;
  view.left = finder_.Find(left);
  if (takes_ == Takes::kEveryPair || !view.left.empty()) view.right = finder_.Find(right);
  return Add(std::move(view), WidthOf(left), HeightOf(left), time_s);
}

const BoardSight& BoardSession::Add(BoardView view, int width_px, int height_px,
                                    std::optional<double> time_s) {
  RequireSize(view.name, width_px, height_px);
  const bool is_seen = !view.left.empty() && !view.right.empty();
  BoardSight sight;
  sight.is_still = is_seen && IsStill(view, time_s);
  if (takes_ == Takes::kEveryPair) {
    sight.is_taken = true;
  } else if (is_seen && IsNew(view)) {
    sight.is_taken = sight.is_still;
    if (!sight.is_still) ++num_moving_;
  }
  if (sight.is_taken) Take(view);
  if (const auto plane = PlaneOf(view)) {
    const RoughPose pose = PoseOf(*plane, FocalWidths());
    sight.distance_m = pose.distance_m;
    sight.tilt_degrees = std::atan(std::hypot(pose.slope_right, pose.slope_down)) * kDegreesPerRadian;
  }
  sight.view = std::move(view);
  last_ = std::move(sight);
  last_time_s_ = time_s;
  return last_;
}

bool BoardSession::IsStill(const BoardView& view, std::optional<double> time_s) const {
  const auto left = ShiftOf(view.left, last_.view.left), right = ShiftOf(view.right, last_.view.right);
  if (!left || !right) return false;
  double most_widths = kShiftWithoutTimes_widths;
  if (time_s && last_time_s_) {
    const double passed_s = *time_s - *last_time_s_;
    if (passed_s > kChosen_s) return true;
    most_widths = std::max(kLeastShift_widths, kStill_widths_per_s * std::min(passed_s, kLongestMove_s));
  }
  return std::max(*left, *right) < most_widths * width_px_;
}

bool BoardSession::IsNew(const BoardView& view) const {
  return std::none_of(taken_.begin(), taken_.end(), [&](const BoardView& other) {
    const auto shift = ShiftOf(view.left, other.left);
    return shift && *shift < kNewPlace_widths * width_px_;
  });
}

void BoardSession::Take(const BoardView& view) {
  taken_.push_back(view);
  left_.Add(view.left, width_px_, height_px_);
  right_.Add(view.right, width_px_, height_px_);
  if (const auto plane = PlaneOf(view)) planes_.push_back(*plane);
}

std::optional<Matrix3> BoardSession::PlaneOf(const BoardView& view) const {
  const std::vector<Vector3> places = board_.Corners();
  const Vector3 middle = 0.5 * (places.front() + places.back());
  std::vector<cv::Point2d> on_board, in_image;
  for (const SeenCorner& seen : view.left) {
    const Vector3 place = places[static_cast<std::size_t>(seen.corner)] - middle;
    on_board.emplace_back(place.x, place.y);
    in_image.emplace_back((seen.pixel.x - 0.5 * (width_px_ - 1)) / width_px_,
                          (seen.pixel.y - 0.5 * (height_px_ - 1)) / width_px_);
  }
  if (on_board.size() < 6) return std::nullopt;
  const cv::Mat homography = cv::findHomography(on_board, in_image);
  if (homography.empty()) return std::nullopt;
  Matrix3 plane;
  for (int i = 0; i < 9; ++i) plane.m[static_cast<std::size_t>(i)] = homography.at<double>(i / 3, i % 3);
  // Both axes of the board are about as long as one m.
  const double scale = std::sqrt(std::hypot(plane(0, 0), plane(1, 0)) * std::hypot(plane(0, 1), plane(1, 1)));
  if (!(scale > 0)) return std::nullopt;
  for (double& value : plane.m) value /= plane(2, 2) < 0 ? -scale : scale;
  return plane;
}

// Zhang 2000, section 3.1, with square pixels and the principal point in the middle: what is left is one equation
// in 1 / f^2 for the right angle between the board's axes, and one for their equal lengths.
double BoardSession::FocalWidths() const {
  double sum_ab = 0, sum_aa = 0;
  for (const Matrix3& h : planes_) {
    for (const auto& [a, b] :
         {std::pair(h(0, 0) * h(0, 1) + h(1, 0) * h(1, 1), -h(2, 0) * h(2, 1)),
          std::pair(h(0, 0) * h(0, 0) + h(1, 0) * h(1, 0) - h(0, 1) * h(0, 1) - h(1, 1) * h(1, 1),
                    h(2, 1) * h(2, 1) - h(2, 0) * h(2, 0))}) {
      sum_ab += a * b;
      sum_aa += a * a;
    }
  }
  const double widths = sum_aa > 0.02 && sum_ab > 0 ? std::sqrt(sum_aa / sum_ab) : kUsualFocal_widths;
  return std::clamp(widths, 0.3, 3.0);
}

BoardSession::RoughPose BoardSession::PoseOf(const Matrix3& plane, double focal_widths) {
  const auto column = [&](int i) {
    return Vector3{plane(0, i) / focal_widths, plane(1, i) / focal_widths, plane(2, i)};
  };
  const Vector3 x = column(0), y = column(1), normal = Cross(x, y);
  const double z = std::abs(normal.z) > 1e-9 ? normal.z : 1e-9;
  return {.distance_m = 2 / (Length(x) + Length(y)) * plane(2, 2),
          .slope_right = -normal.x / z,
          .slope_down = -normal.y / z};
}

std::vector<BoardSession::RoughPose> BoardSession::TakenPoses() const {
  std::vector<RoughPose> poses;
  const double focal_widths = FocalWidths();
  for (const Matrix3& plane : planes_) poses.push_back(PoseOf(plane, focal_widths));
  return poses;
}

// Upper, left, lower and right: whether a board was taken with that side clearly farther away than the other.
std::array<bool, 4> BoardSession::TiltedSides() const {
  std::array<bool, 4> tilted{};
  for (const RoughPose& pose : TakenPoses()) {
    tilted[0] |= pose.slope_down < -kEnoughSlope;
    tilted[1] |= pose.slope_right < -kEnoughSlope;
    tilted[2] |= pose.slope_down > kEnoughSlope;
    tilted[3] |= pose.slope_right > kEnoughSlope;
  }
  return tilted;
}

// The largest distance divided by the smallest one.
double BoardSession::SpreadOfDistances() const {
  double nearest_m = 0, farthest_m = 0;
  for (const RoughPose& pose : TakenPoses()) {
    nearest_m = nearest_m == 0 ? pose.distance_m : std::min(nearest_m, pose.distance_m);
    farthest_m = std::max(farthest_m, pose.distance_m);
  }
  return nearest_m > 0 ? farthest_m / nearest_m : 1;
}

std::vector<SessionNeed> BoardSession::Needs() const {
  const std::array<bool, 4> tilted = TiltedSides();
  const auto num_tilted = std::count(tilted.begin(), tilted.end(), true);
  const int cells = std::min(left_.num_cells, right_.num_cells);
  const double spread = SpreadOfDistances();
  return {NeedOf(fmt::format("boards {} of {}", taken_.size(), kEnoughBoards),
                 static_cast<double>(taken_.size()), static_cast<double>(kEnoughBoards)),
          NeedOf(fmt::format("covered {} % of {} %", cells, kEnoughCells), cells, kEnoughCells),
          NeedOf(fmt::format("tilted to {} of 4 sides", num_tilted), static_cast<double>(num_tilted), 4),
          NeedOf(fmt::format("farthest {:.2f} of {:.2f} times the nearest", spread, kEnoughDistances),
                 spread - 1, kEnoughDistances - 1)};
}

bool BoardSession::IsEnough() const {
  const std::vector<SessionNeed> needs = Needs();
  return std::all_of(needs.begin(), needs.end(),
                     [](const SessionNeed& need) { return need.done_share >= 1; });
}

// A place counts as covered where either camera saw the board there: at the left edge of the left image and the
// right edge of the right one, the other camera sees no whole board.
std::optional<std::size_t> BoardSession::WantedPlace() const {
  if (std::min(left_.num_cells, right_.num_cells) >= kEnoughCells) return std::nullopt;
  return *std::min_element(kPlacesInOrder.begin(), kPlacesInOrder.end(), [&](std::size_t a, std::size_t b) {
    const auto covered = [&](std::size_t place) {
      return std::max(CoveredShare(left_, place), CoveredShare(right_, place));
    };
    return covered(a) < covered(b);
  });
}

std::string BoardSession::Advice() const {
  if (IsEnough()) return "there are enough boards";
  if (last_.view.left.empty()) return "show the whole board to both cameras";
  if (last_.view.right.empty()) return "the right camera does not see the whole board";
  std::string wanted;
  if (const auto place = WantedPlace()) wanted = fmt::format("move it to the {}", kPlaces[*place]);
  const std::array<bool, 4> tilted = TiltedSides();
  const auto side = std::find(tilted.begin(), tilted.end(), false);
  if (side != tilted.end()) {
    wanted += fmt::format("{} its {} side away from the cameras", wanted.empty() ? "tilt" : " and tilt",
                          kSides[static_cast<std::size_t>(side - tilted.begin())]);
  }
  if (wanted.empty() && SpreadOfDistances() < kEnoughDistances) {
    const auto [low, high] =
        std::minmax_element(last_.view.left.begin(), last_.view.left.end(),
                            [](const SeenCorner& a, const SeenCorner& b) { return a.pixel.x < b.pixel.x; });
    const bool is_large = high->pixel.x - low->pixel.x > 0.35 * width_px_;
    wanted = is_large ? "hold it farther away" : "hold it nearer to the cameras";
  }
  if (wanted.empty()) wanted = "move it to another place";
  if (!last_.is_still) wanted += ", then hold it still";
  return wanted;
}

}  // namespace parallax
