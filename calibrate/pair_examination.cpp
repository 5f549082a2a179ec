#include "calibrate/pair_examination.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>
#include <utility>

#include "calibrate/gray_mat.h"
#include "calibrate/row_model.h"
#include "calibrate/statistics.h"

namespace parallax {
namespace {

using State = Finding::State;

constexpr double kDegrees = 180 / std::numbers::pi;
constexpr PointSearch kQuickSearch{
    .num_features = 600, .max_row_px = 1e6, .min_disparity = -1, .max_disparity = 1};
constexpr PointSearch kSearch{
    .num_features = 3000, .max_row_px = 1e6, .min_disparity = -1, .max_disparity = 1};

// Limits between the faults of tests/app/calibrate/doctor_test.cpp and the right pairs of the data sets.
constexpr int kFewestFeatures = 150, kFewestMatches = 40;  // of the quick search
constexpr double kShareOfOneScene = 0.08, kShareOfTwoScenes = 0.04;
constexpr double kSigmas = 5;  // of a figure that counts
// A turn that moves the rows of the image's corners by more is reported; by kPartIsFault_px, it is a fault.
constexpr double kPartOfRig_px = 0.4, kPart_px = 1.5, kPartIsFault_px = 4;
constexpr double kRowOfRig_px = 0.5, kRowOfRigInPlaces_px = 1.5;
constexpr double kRow_px = 1.3, kRowInPlaces_px = 2.5;
constexpr double kRowNote_px = 0.5, kWorthMending_px = 0.1;
constexpr double kNotTogether_frames = 0.1, kNotTogether_px = 0.5;
constexpr double kShutter_px = 1;
constexpr double kShareOutside = 0.1;
constexpr double kBrightnessFactor = 1.4, kDark = 20;
constexpr double kBlurOfOne_px = 0.8, kBlurOfBoth_px = 1.7;
constexpr double kSaturated = 0.4, kEven = 0.8, kNoise = 5;
constexpr double kMostNoiseOfEven = 2;  // with more, it is noise that hides the texture
constexpr double kSubpixel_px = 0.25;   // what disparities are off by if all is well

CameraImageView ViewOfMat(const cv::Mat& gray) {
  return HostImageView<const std::uint8_t>(gray.ptr(), gray.cols, gray.rows,
                                           static_cast<std::ptrdiff_t>(gray.step[0]));
}

// The rig that is assumed if there is no calibration.
StereoRig UsualRig(int width, int height) {
  return {.fx_px = static_cast<double>(width), .cx_px = width / 2.0, .cy_px = height / 2.0};
}

// The share of the features that are found again, where the rows of all fit together.
double ShareFound(const PointMatches& found, int width, int height) {
  constexpr double kSameRow_px = 3;
  if (std::ssize(found.matches) < kFewestMatches) return 0;
  const StereoRig rig = UsualRig(width, height);
  const RobustFit fit = FitRows(found.matches, rig);
  const auto num_fitting = ((fit.residuals.array() * rig.fx_px).abs() < kSameRow_px).count();
  return num_fitting < kFewestMatches ? 0 : static_cast<double>(num_fitting) / found.num_features;
}
bool ShowOneScene(const SmallPicture& left, const cv::Mat& right) {
  return ShareFound(MatchPoints(left.View(), ViewOfMat(right), kQuickSearch), right.cols, right.rows) >=
         kShareOfOneScene;
}

// Noise in gray levels (Immerkaer 1996): the mean of the tenth of blocks where a second derivative is least.
double NoiseOf(const cv::Mat& gray) {
  constexpr int kBlock = 16;
  const cv::Mat kernel = (cv::Mat_<float>(3, 3) << 1, -2, 1, -2, 4, -2, 1, -2, 1);
  cv::Mat response;
  cv::filter2D(gray, response, CV_32F, kernel);
  response = cv::abs(response);
  std::vector<double> blocks;
  for (int y = 1; y + kBlock < gray.rows; y += kBlock) {
    for (int x = 1; x + kBlock < gray.cols; x += kBlock) {
      const cv::Rect block(x, y, kBlock, kBlock);
      const double mean = cv::mean(gray(block))[0];
      if (mean > 15 && mean < 240) blocks.push_back(cv::mean(response(block))[0]);
    }
  }
  if (blocks.empty()) return 0;
  std::sort(blocks.begin(), blocks.end());
  return std::sqrt(std::numbers::pi / 2) / 6 * QuantileOfSorted(blocks, 0.1);
}

// The contrast that every other image has, as blurred as the other; strong noise smoothed away.
cv::Mat ForMatching(const cv::Mat& gray, double noise, double blur_px) {
  const double sigma_px = std::hypot(noise > kNoise ? 1.5 : 0, blur_px > kBlurOfOne_px ? blur_px : 0);
  cv::Mat even = gray;
  if (sigma_px > 0) cv::GaussianBlur(gray, even, {}, sigma_px);
  cv::Scalar mean, deviation;
  cv::meanStdDev(even, mean, deviation);
  return WithUsualContrast(even, mean[0], deviation[0]);
}

// Squared gradients: of the image, and of the image smoothed by `sigma`.
cv::Mat GradientEnergy(const cv::Mat& gray, double sigma, bool along_rows_alone) {
  cv::Mat image, x, y;
  gray.convertTo(image, CV_32F);
  if (sigma > 0) cv::GaussianBlur(image, image, {}, sigma);
  const cv::Mat kernel = (cv::Mat_<float>(1, 3) << -0.5F, 0, 0.5F);
  cv::filter2D(image, x, CV_32F, kernel);
  if (along_rows_alone) return x.mul(x);
  cv::filter2D(image, y, CV_32F, kernel.t());
  return x.mul(x) + y.mul(y);
}

// How far the strongest edges are spread, as the sigma of a Gaussian: a step spread by s has a gradient energy of
// 1 / (2 sqrt(pi) s), so s follows from the energy before and after another blur. 0 = unknown.
double EdgeWidth(const cv::Mat& gray, double noise) {
  constexpr double kBlur_px = 2, kStrongest = 0.9;
  constexpr int kStep = 4;
  const cv::Size window(15, 15);
  cv::Mat fine = GradientEnergy(gray, 0, false), coarse = GradientEnergy(gray, kBlur_px, false);
  cv::boxFilter(fine, fine, -1, window);
  cv::boxFilter(coarse, coarse, -1, window);
  std::vector<std::pair<double, double>> places;
  for (int y = 0; y < gray.rows; y += kStep) {
    for (int x = 0; x < gray.cols; x += kStep) {
      const auto energy = static_cast<double>(fine.at<float>(y, x)) - noise * noise;
      const auto blurred = static_cast<double>(coarse.at<float>(y, x));
      if (blurred > 1)
        places.emplace_back(blurred, kBlur_px / std::sqrt(std::max(1e-3, std::pow(energy / blurred, 2) - 1)));
    }
  }
  if (places.size() < 100) return 0;
  std::sort(places.begin(), places.end());
  std::vector<double> widths;
  for (std::size_t i = static_cast<std::size_t>(kStrongest * static_cast<double>(places.size()));
       i < places.size(); ++i)
    widths.push_back(places[i].second);
  return parallax::Median(std::move(widths));
}

std::string Percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace

// The result of FitRows.
struct PairExamination::RowModel {
  Eigen::Vector4d part = Eigen::Vector4d::Zero(),
                  part_px = Eigen::Vector4d::Zero();  // a, b, c, s; at the corners
  std::vector<double> offset_px;                      // of each match that was used, from the model
  double noise_px = 0;
  double time_frames = 0, time_sigma = 0;  // right after left; with_time
};

void PairExamination::LookAtScene(const SmallPicture& left, const SmallPicture& right) {
  const PointMatches found = MatchPoints(left.View(), right.View(), kQuickSearch);
  if (found.num_features < kFewestFeatures) return;
  const double share = ShareFound(found, right.gray.cols, right.gray.rows);
  shares_found_.push_back(share);
  if (share >= kShareOfTwoScenes || scene_ != Fault::kNone) return;
  scene_ = Fault::kTwoScenes;
  for (const auto& [code, what] : {std::pair(-1, "upside down"), std::pair(1, "mirrored left to right"),
                                   std::pair(0, "mirrored top to bottom")}) {
    cv::Mat flipped;
    cv::flip(right.gray, flipped, code);
    if (!ShowOneScene(left, flipped)) continue;
    scene_ = Fault::kTurnedOver;
    scene_text_ = fmt::format(": one image is {}", what);
    return;
  }
  if (!facts_.layout) return;
  const bool was_beside = IsSideBySide(*facts_.layout);
  const int width = left.gray.cols / (was_beside ? 1 : 2), height = left.gray.rows / (was_beside ? 2 : 1);
  SmallPicture half = left;
  half.gray = left.gray(cv::Rect(0, 0, width, height));
  if (!ShowOneScene(half,
                    left.gray(cv::Rect(was_beside ? 0 : width, was_beside ? height : 0, width, height))))
    return;
  scene_ = Fault::kOtherLayout;
  scene_text_ = was_beside ? ": the picture holds one image above the other"
                           : ": the picture holds two images side by side";
}

void PairExamination::Track(const cv::Mat& from, const cv::Mat& to, int frame, double sign) {
  constexpr double kThereAndBack_px = 0.3;
  std::vector<cv::Point2f> points, moved, back;
  std::vector<Seen*> whose;
  for (Seen& seen : seen_) {
    if (seen.frame != frame || seen.flow) continue;
    points.emplace_back(static_cast<float>(seen.match.left.x), static_cast<float>(seen.match.left.y));
    whose.push_back(&seen);
  }
  if (points.empty()) return;
  std::vector<std::uint8_t> good, good_back;
  cv::calcOpticalFlowPyrLK(from, to, points, moved, good, cv::noArray(), {15, 15}, 4);
  cv::calcOpticalFlowPyrLK(to, from, moved, back, good_back, cv::noArray(), {15, 15}, 4);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (good[i] == 0 || good_back[i] == 0 || cv::norm(back[i] - points[i]) > kThereAndBack_px) continue;
    whose[i]->flow = Vector2{sign * static_cast<double>(moved[i].x - points[i].x),
                             sign * static_cast<double>(moved[i].y - points[i].y)};
  }
}

void PairExamination::Add(const CameraImageView& left, const CameraImageView& right, const PairFacts& facts,
                          const RawRig* raw) {
  const cv::Mat gray[2] = {GrayMat(left), GrayMat(right)};
  facts_ = facts;
  if (raw != nullptr) raw_ = *raw;
  width_ = gray[0].cols;
  height_ = gray[0].rows;
  cv::Mat even[2];
  Light light[2];
  for (int i = 0; i < 2; ++i) {
    light[i].mean = cv::mean(gray[i])[0];
    light[i].noise = NoiseOf(gray[i]);
    light[i].edge_px = EdgeWidth(gray[i], light[i].noise);
    const auto num_pixels = static_cast<double>(gray[i].total());
    light[i].saturated = cv::countNonZero(gray[i] >= 254) / num_pixels;
    cv::Mat energy = GradientEnergy(gray[i], 0, true);
    cv::boxFilter(energy, energy, -1, {9, 9});
    const double noise = std::min(light[i].noise, kMostNoiseOfEven);
    const cv::Mat textured = energy > noise * noise + 0.5;
    const int num_textured = cv::countNonZero(textured);
    light[i].even = 1 - num_textured / num_pixels;
    if (num_textured > 0) {
      light[i].gradient =
          std::sqrt(std::max(0.5, cv::mean(energy, textured)[0] - light[i].noise * light[i].noise / 2));
    }
  }
  const double more_squared = light[0].edge_px * light[0].edge_px - light[1].edge_px * light[1].edge_px;
  for (int i = 0; i < 2; ++i) {
    const double blur_px = std::sqrt(std::max(0.0, i == 0 ? -more_squared : more_squared));
    even[i] = ForMatching(gray[i], light[i].noise, blur_px);
    lights_[i].push_back(light[i]);
  }
  const std::size_t num_judged = shares_found_.size();
  LookAtScene(Shrunk(ViewOfMat(even[0])), Shrunk(ViewOfMat(even[1])));
  if (shares_found_.size() > num_judged && shares_found_.back() >= kShareOfOneScene) {
    for (const PointMatch& match : MatchPoints(ViewOfMat(even[0]), ViewOfMat(even[1]), kSearch).matches)
      seen_.push_back({match, num_frames_, {}});
  }
  if (previous_.size() == even[0].size()) {
    Track(previous_, even[0], num_frames_ - 1, 1);
    Track(even[0], previous_, num_frames_, -1);
  }
  previous_ = even[0];
  ++num_frames_;
}

std::vector<PointMatch> PairExamination::Matches() const {
  std::vector<PointMatch> matches;
  for (const Seen& seen : seen_) matches.push_back(seen.match);
  return matches;
}

PairExamination::RowModel PairExamination::RowsOf(bool with_time) const {
  RowModel model;
  const StereoRig rig = facts_.rig.value_or(UsualRig(width_, height_));
  std::vector<PointMatch> matches;
  std::vector<Vector2> flows;
  for (const Seen& seen : seen_) {
    if (with_time && !seen.flow) continue;
    matches.push_back(seen.match);
    if (with_time) flows.push_back(*seen.flow);
  }
  if (std::ssize(matches) < kFewestMatches) return model;
  const RobustFit fit = FitRows(matches, rig, flows);
  model.noise_px = fit.noise * rig.fx_px;
  for (const double residual : fit.residuals) model.offset_px.push_back(residual * rig.fx_px);
  const Eigen::Vector4d corner(1, 0.25 * width_ * height_ / rig.fx_px / rig.fx_px, 0.5 * width_ / rig.fx_px,
                               0.5 * height_ / rig.fx_px);
  for (int i = 0; i < 4; ++i) {
    if (std::abs(fit.x[i]) < kSigmas * fit.sigma[i]) continue;
    model.part[i] = fit.x[i];
    model.part_px[i] = fit.x[i] * corner[i] * rig.fx_px;
  }
  if (with_time) {
    model.time_frames = fit.x[4];
    model.time_sigma = fit.sigma[4];
  }
  return model;
}

std::vector<double> PairExamination::Disparities() const {
  constexpr double kSameRow_px = 1.5;
  const RowModel rows = RowsOf(false);
  std::vector<double> disparities;
  for (std::size_t i = 0; i < rows.offset_px.size(); ++i) {
    if (std::abs(rows.offset_px[i]) > std::max(kSameRow_px, 3 * rows.noise_px)) continue;
    disparities.push_back(seen_[i].match.left.x - seen_[i].match.right.x);
  }
  std::sort(disparities.begin(), disparities.end());
  return disparities;
}

double PairExamination::Median(double Light::*value, int camera) const {
  std::vector<double> values;
  for (const Light& light : lights_[camera]) values.push_back(light.*value);
  return parallax::Median(std::move(values));
}

// Depth of an error of disparities: Z^2 / (f B) times it, in the middle of what is seen and far away.
std::string PairExamination::OffBy(double error_px) const {
  const std::vector<double> disparities = Disparities();
  if (std::ssize(disparities) < kFewestMatches)
    return fmt::format("disparities are off by about {:.1f} px", error_px);
  const double doffs_px = facts_.rig ? facts_.rig->doffs_px : 0;
  const double middle = QuantileOfSorted(disparities, 0.5) + doffs_px,
               far = QuantileOfSorted(disparities, 0.1) + doffs_px;
  if (middle < 1) return fmt::format("disparities are off by about {:.1f} px", error_px);
  if (!facts_.rig) return fmt::format("depths are off by about {:.1f} %", 100 * error_px / middle);
  const double fb = facts_.rig->fx_px * facts_.rig->baseline_m;
  const auto off_m = [&](double d) { return fb / d * error_px / d; };
  std::string text = fmt::format("depths are off by about {:.3g} m at {:.3g} m", off_m(middle), fb / middle);
  if (far > 1 && middle > 1.2 * far) text += fmt::format(", {:.3g} m at {:.3g} m", off_m(far), fb / far);
  return text;
}

Finding PairExamination::Scene() const {
  Finding finding{.check = "scene", .figure = "too few corners and edges to tell", .effect = ""};
  if (shares_found_.empty()) return finding;
  const double share = parallax::Median(shares_found_);
  finding.figure = Percent(share) + " of the points of one image are found in the other" + scene_text_;
  if (share >= kShareOfOneScene) {
    finding.state = State::kGood;
  } else if (share < kShareOfTwoScenes && Median(&Light::even, 0) < kEven &&
             Median(&Light::even, 1) < kEven) {
    finding.state = State::kFault;
    finding.fault = scene_;
    finding.effect = "no depth is right";
  }
  return finding;
}

Finding PairExamination::Order() const {
  Finding finding{.check = "order", .figure = "", .effect = ""};
  const std::vector<double> disparities = Disparities();
  if (std::ssize(disparities) < kFewestMatches) return finding;
  finding.state = State::kGood;
  finding.figure = fmt::format("{} of the points lie further left in the right image",
                               Percent(1 - ShareBelow(disparities, 0)));
  if (LookExchanged(disparities, facts_)) {
    finding.state = State::kFault;
    finding.fault = Fault::kExchanged;
    finding.figure += ": left and right are exchanged";
    finding.effect = "no depth is right";
  }
  return finding;
}

Finding PairExamination::Rows() const {
  Finding finding{.check = "rows", .figure = "", .effect = ""};
  if (std::ssize(seen_) < kFewestMatches) return finding;
  const RowOffsets rows = RowOffsetsOf(Matches(), width_, height_);
  const RowModel model = RowsOf(false);
  const double worst_px = std::max(std::abs(rows.median_px), rows.largest_px);
  finding.figure = fmt::format("left and right differ by {:+.2f} px (median), by up to {:.2f} in places",
                               rows.median_px, worst_px);
  const bool is_fault =
      facts_.is_rectified_here
          ? std::abs(rows.median_px) > kRowOfRig_px || rows.largest_px > kRowOfRigInPlaces_px
          : std::max(std::abs(rows.median_px), rows.median_absolute_px) > kRow_px ||
                rows.largest_px > kRowInPlaces_px || model.part_px.cwiseAbs().maxCoeff() > kPartIsFault_px;
  const bool is_worth_mending =
      worst_px > kRowNote_px || (facts_.is_rectified_here && std::abs(rows.median_px) > kWorthMending_px);
  finding.state = is_fault ? State::kFault : is_worth_mending ? State::kNote : State::kGood;
  if (finding.state == State::kGood) return finding;
  finding.fault = Fault::kRows;
  // Rows do not show which of the two cameras is turned: the right one is stated against the left one.
  std::vector<std::pair<double, std::string>> parts;
  const auto add = [&](int i, const std::string& text) {
    const double least_px = facts_.is_rectified_here ? kPartOfRig_px : kPart_px;
    if (std::abs(model.part_px[i]) > least_px) parts.emplace_back(-std::abs(model.part_px[i]), text);
  };
  const auto turn = [&](int i, const char* positive, const char* negative, const char* axis) {
    add(i, fmt::format("{:.2f} degrees {} (about {})", std::abs(model.part[i]) * kDegrees,
                       model.part[i] > 0 ? negative : positive, axis));
  };
  turn(0, "up", "down", "x");
  turn(1, "outwards", "inwards", "y");
  turn(2, "clockwise", "anticlockwise", "z");
  add(3, fmt::format("its image is {:.2f} % {}", 100 * std::abs(model.part[3]),
                     model.part[3] > 0 ? "larger" : "smaller"));
  std::sort(parts.begin(), parts.end());
  for (std::size_t i = 0; i < parts.size(); ++i)
    finding.figure += (i == 0 ? "; the right camera against the left one: " : ", ") + parts[i].second;
  if (!is_fault) return finding;
  if (parts.empty()) finding.figure += "; no turn of a camera explains it";
  finding.effect = "at slanted edges " + OffBy(worst_px);
  return finding;
}

Finding PairExamination::Size() const {
  Finding finding{.check = "calibration", .figure = "none", .effect = ""};
  if (!facts_.rig) return finding;
  const double cx = raw_ ? raw_->left.cx_px : facts_.rig->cx_px;
  const double cy = raw_ ? raw_->left.cy_px : facts_.rig->cy_px;
  const int width = raw_ && raw_->left.width_px > 0 ? raw_->left.width_px : width_;
  const int height = raw_ && raw_->left.height_px > 0 ? raw_->left.height_px : height_;
  finding.state = State::kGood;
  finding.figure = fmt::format("principal point ({:.0f}, {:.0f}) of {}x{} px", cx, cy, width, height);
  const std::optional<double> scale = ScaleOfOtherSize(cx, cy, width, height);
  if (!scale) return finding;
  finding.state = State::kFault;
  finding.fault = Fault::kOtherSize;
  finding.figure += fmt::format(": it fits images of about {:.0f}x{:.0f} px", 2 * cx, 2 * cy);
  finding.effect = fmt::format("depths are {:.2f} times the true ones", *scale);
  return finding;
}

Finding PairExamination::Time() const {
  Finding finding{.check = "time", .figure = "unknown: these frames hardly move up or down", .effect = ""};
  constexpr double kSure_frames = 0.05;
  const RowModel model = RowsOf(true);
  if (model.offset_px.empty() || model.time_sigma > kSure_frames) return finding;
  std::vector<double> speeds, vertical;
  for (const Seen& seen : seen_) {
    if (!seen.flow) continue;
    speeds.push_back(std::hypot(seen.flow->x, seen.flow->y));
    vertical.push_back(std::abs(seen.flow->y));
  }
  std::sort(vertical.begin(), vertical.end());
  const double off_px = std::abs(model.time_frames) * QuantileOfSorted(vertical, 0.9);
  if (QuantileOfSorted(vertical, 0.9) < 1) return finding;
  finding.state = State::kGood;
  finding.figure =
      fmt::format("the right image is taken {:.2f} frames {} the left one (sigma {:.2f})",
                  std::abs(model.time_frames), model.time_frames < 0 ? "before" : "after", model.time_sigma);
  if (std::abs(model.time_frames) < std::max(kNotTogether_frames, kSigmas * model.time_sigma) ||
      off_px < kNotTogether_px)
    return finding;
  finding.state = State::kFault;
  finding.fault = Fault::kNotTogether;
  finding.effect = "in this motion " + OffBy(std::abs(model.time_frames) * parallax::Median(speeds));
  return finding;
}

// Fits the flow of a rigid scene (Longuet-Higgins and Prazdny 1980), whose inverse depths the disparities
// give, and the effect of a rolling shutter: a shift that grows from row to row while the motion changes.
Finding PairExamination::Shutter() const {
  Finding finding{.check = "shutter", .figure = "no motion in these frames", .effect = ""};
  if (!facts_.rig || std::ssize(seen_) < kFewestMatches) return finding;
  const StereoRig& rig = *facts_.rig;
  const RowModel rows = RowsOf(false);
  double worst_px = 0;
  for (int frame = 0; frame < num_frames_; ++frame) {
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (seen_[i].frame == frame && seen_[i].flow &&
          std::abs(rows.offset_px[i]) < std::max(1.5, 3 * rows.noise_px))
        used.push_back(i);
    }
    if (std::ssize(used) < 2 * kFewestMatches) continue;
    Eigen::MatrixXd a(2 * std::ssize(used), 8);
    Eigen::VectorXd b(a.rows()), prior(8);
    prior << 1, 1, 1, 0.3, 0.3, 0.3, 0.3, 0.3;
    RobustFit fit;
    double forward = 0;
    for (int round = 0; round < 3; ++round) {
      for (std::size_t k = 0; k < used.size(); ++k) {
        const Seen& seen = seen_[used[k]];
        // Halfway between the frames, where the formula holds to second order.
        const double x = (seen.match.left.x + seen.flow->x / 2 - rig.cx_px) / rig.fx_px;
        const double y = (seen.match.left.y + seen.flow->y / 2 - rig.cy_px) / rig.fx_px;
        const double d = (seen.match.left.x - seen.match.right.x + rig.doffs_px) / rig.fx_px;  // baselines
        const double near = d / (1 - d * forward / 2);
        const auto i = static_cast<Eigen::Index>(2 * k);
        a.row(i) << -near, 0, x * near, x * y, -(1 + x * x), y, y, 0;
        a.row(i + 1) << 0, -near, y * near, 1 + y * y, -x * y, -x, 0, y;
        b[i] = seen.flow->x / rig.fx_px;
        b[i + 1] = seen.flow->y / rig.fx_px;
      }
      fit = FitRobustly(a, b, prior);
      forward = fit.x[2];
    }
    if (finding.state == State::kUnknown) finding.state = State::kGood;
    for (const int i : {6, 7}) {
      const double off_px = std::abs(fit.x[i]) * height_ / 2;
      const double sure_px = kSigmas * fit.sigma[i] * height_ / 2 + fit.noise * rig.fx_px;
      if (off_px > sure_px) worst_px = std::max(worst_px, off_px);
    }
  }
  if (finding.state == State::kUnknown) return finding;
  finding.figure = fmt::format("motion bends images by up to {:.1f} px", worst_px);
  if (worst_px < kShutter_px) return finding;
  finding.state = State::kFault;
  finding.fault = Fault::kRollingShutter;
  finding.effect = fmt::format("shapes lean by this much; {}", OffBy(worst_px));
  return finding;
}

Finding PairExamination::Range() const {
  Finding finding{.check = "range", .figure = "", .effect = ""};
  const std::vector<double> disparities = Disparities();
  const int end = facts_.min_disparity + facts_.num_disparities;
  finding.figure = fmt::format("disparities {} to {} px are searched", facts_.min_disparity, end - 1);
  const auto depth = [&](double d) {
    const double sum = d + facts_.rig->doffs_px;
    return sum > 0 ? facts_.rig->fx_px * facts_.rig->baseline_m / sum
                   : std::numeric_limits<double>::infinity();
  };
  if (facts_.rig) {
    finding.figure +=
        fmt::format(", from {:.3g} m on; depths are good to 10 % up to {:.3g} m", depth(end - 1),
                    0.1 * facts_.rig->fx_px * facts_.rig->baseline_m / kSubpixel_px);
  }
  if (std::ssize(disparities) < kFewestMatches || Order().state == State::kFault) return finding;
  const double low = QuantileOfSorted(disparities, 0.02), high = QuantileOfSorted(disparities, 0.98);
  finding.figure += fmt::format("; points lie at {:.0f} to {:.0f} px", low, high);
  if (facts_.rig && low + facts_.rig->doffs_px > 0)
    finding.figure += fmt::format(" ({:.3g} to {:.3g} m)", depth(high), depth(low));
  const double below = ShareBelow(disparities, facts_.min_disparity - 1.0);
  const double above = 1 - ShareBelow(disparities, end);
  finding.state = State::kGood;
  if (below > kShareOutside || above > kShareOutside) {
    finding.state = State::kFault;
    finding.fault = below > kShareOutside ? Fault::kBelowRange : Fault::kTooFewDisparities;
    finding.effect =
        below > kShareOutside
            ? fmt::format("{} of the points are below the range: what is far comes out wrong", Percent(below))
            : fmt::format("{} of the points are beyond the range: what is {} comes out wrong", Percent(above),
                          facts_.rig ? fmt::format("nearer than {:.3g} m", depth(end - 1)) : "near");
  } else if (const SearchRange enough = RangeFor(disparities);
             facts_.num_disparities > 2 * enough.num_disparities) {
    finding.state = State::kNote;
    finding.fault = Fault::kTooManyDisparities;
    finding.effect =
        fmt::format("{} disparities would do: faster, and fewer wrong matches", enough.num_disparities);
  }
  return finding;
}

Finding PairExamination::Exposure() const {
  const double left = Median(&Light::mean, 0), right = Median(&Light::mean, 1);
  const double factor = std::max(left, 1.0) / std::max(right, 1.0);
  Finding finding{.check = "exposure",
                  .state = State::kGood,
                  .figure = fmt::format("mean gray {:.0f} left, {:.0f} right", left, right),
                  .effect = ""};
  const bool is_dark = std::max(left, right) < kDark;
  if (!is_dark && std::max(factor, 1 / factor) < kBrightnessFactor) return finding;
  finding.state = State::kFault;
  finding.fault = Fault::kExposure;
  if (is_dark) {
    finding.figure += ": both are dark";
  } else {
    finding.figure += fmt::format(": the {} image is {:.1f} times as bright", factor > 1 ? "left" : "right",
                                  std::max(factor, 1 / factor));
  }
  const int dark = left < right ? 0 : 1;
  const double error_px = std::max(0.3, Median(&Light::noise, dark)) * std::sqrt(2.0) /
                          std::max(0.5, Median(&Light::gradient, dark)) / 5;
  finding.effect =
      "the darker image's noise and steps count more: " + OffBy(std::hypot(kSubpixel_px, error_px));
  return finding;
}

Finding PairExamination::Focus() const {
  Finding finding{.check = "focus", .figure = "", .effect = ""};
  const double left = Median(&Light::edge_px, 0), right = Median(&Light::edge_px, 1);
  if (left == 0 || right == 0) return finding;
  finding.figure = fmt::format("edges are {:.1f} px wide left, {:.1f} px right (sigma)", left, right);
  finding.state = State::kGood;
  const double more_px = std::sqrt(std::abs(left * left - right * right));
  if (more_px < kBlurOfOne_px && std::min(left, right) < kBlurOfBoth_px) return finding;
  finding.state = State::kFault;
  finding.fault = Fault::kFocus;
  finding.figure += more_px < kBlurOfOne_px
                        ? ": both are out of focus"
                        : fmt::format(": the {} lens is out of focus", left > right ? "left" : "right");
  finding.effect = "at edges " + OffBy(more_px < kBlurOfOne_px ? std::min(left, right) : more_px);
  return finding;
}

Finding PairExamination::Saturation() const {
  const double share = std::max(Median(&Light::saturated, 0), Median(&Light::saturated, 1));
  Finding finding{.check = "saturation",
                  .state = State::kGood,
                  .figure = Percent(share) + " of the pixels are white (254 or 255)",
                  .effect = ""};
  if (share < kSaturated) return finding;
  finding.state = State::kFault;
  finding.fault = Fault::kSaturation;
  finding.effect = "their depth is interpolated from their surroundings";
  return finding;
}

Finding PairExamination::Texture() const {
  const double share = std::max(Median(&Light::even, 0), Median(&Light::even, 1));
  Finding finding{.check = "texture",
                  .state = State::kGood,
                  .figure = Percent(share) + " of the pixels have no texture above the noise",
                  .effect = ""};
  if (share < kEven) return finding;
  finding.state = State::kFault;
  finding.fault = Fault::kTexture;
  finding.effect = "their depth is interpolated from their surroundings";
  return finding;
}

Finding PairExamination::Noise() const {
  const double left = Median(&Light::noise, 0), right = Median(&Light::noise, 1);
  const double noise = std::max(left, right);
  Finding finding{.check = "noise",
                  .state = State::kGood,
                  .figure = fmt::format("sigma {:.1f} gray levels left, {:.1f} right", left, right),
                  .effect = ""};
  if (noise < kNoise) return finding;
  finding.state = State::kFault;
  finding.fault = Fault::kNoise;
  const double gradient = std::max(1.0, Median(&Light::gradient, left > right ? 0 : 1));
  finding.effect = OffBy(std::hypot(kSubpixel_px, noise * std::sqrt(2.0) / gradient / 5));  // 5x5 pixels
  return finding;
}

std::vector<Finding> PairExamination::Findings() const {
  return {Scene(), Order(),    Rows(),  Size(),       Time(),    Shutter(),
          Range(), Exposure(), Focus(), Saturation(), Texture(), Noise()};
}

}  // namespace parallax
