#include "app/calibrate/row_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/options/adjusted_source.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

constexpr int kFewestMatches = 50;
constexpr double kFewestForWarning = 100;
constexpr double kWarn_px = 1;
constexpr double kSearched_px = 25;

double MedianSize(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
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

namespace {

RowOffsets RowsOf(const CameraImageView& left, const CameraImageView& right) {
  return RowOffsetsOf(MatchPoints(left, right, kSearched_px), WidthOf(left), HeightOf(left));
}

// Frames of images that are rectified here: looks whether their rows agree. True once that can be told.
bool CheckRows(StereoFrame& frame, FrameRectifier* rectifier) {
  if (!frame.seen) return false;
  const std::shared_ptr<const Rectifier> raw = rectifier != nullptr ? rectifier->For(frame) : nullptr;
  const RowOffsets rows = raw ? RowsOf(ViewOf(raw->RectifyLeft(ViewOf(frame.left))),
                                       ViewOf(raw->RectifyRight(ViewOf(frame.right))))
                              : RowsOf(ViewOf(frame.left), ViewOf(frame.right));
  if (rows.num_matches < kFewestForWarning) return false;
  const double offset_px = std::max(std::abs(rows.median_px), rows.largest_px);
  if (offset_px < kWarn_px) return true;
  frame.note += fmt::format(
      "{}the rig does not fit these images: rows of left and right differ by {:.1f} px in places; "
      "see parallax rig check",
      frame.note.empty() ? "" : "; ", offset_px);
  return true;
}

// The first frames are read in turn, so that it is always the same one that is told of.
class RowCheckedSource final : public AdjustedSource {
 public:
  RowCheckedSource(std::unique_ptr<FrameSource> source, std::shared_ptr<int> frames_left,
                   std::shared_ptr<FrameRectifier> rectifier)
      : AdjustedSource(std::move(source),
                       [frames_left, rectifier = std::move(rectifier)](StereoFrame& frame) {
                         if (*frames_left <= 0) return;
                         *frames_left = CheckRows(frame, rectifier.get()) ? 0 : *frames_left - 1;
                       }),
        frames_left_(std::move(frames_left)) {}
  std::function<StereoFrame()> Defer() override {
    return *frames_left_ > 0 ? std::function<StereoFrame()>() : AdjustedSource::Defer();
  }

 private:
  const std::shared_ptr<int> frames_left_;
};

}  // namespace

std::unique_ptr<FrameSource> WithRowCheck(std::unique_ptr<FrameSource> source,
                                          std::shared_ptr<FrameRectifier> rectifier) {
  constexpr int kFramesChecked = 3;
  return std::make_unique<RowCheckedSource>(std::move(source), std::make_shared<int>(kFramesChecked),
                                            std::move(rectifier));
}

}  // namespace parallax::app
