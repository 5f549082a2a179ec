#include "app/calibrate/calibration_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "app/output/error_text.h"
#include "app/output/ordered_json.h"
#include "app/report/html.h"
#include "calibrate/calibration_figures.h"
#include "pipeline/calibration/rectification.h"
#include "pipeline/rules/pixel_color.h"

namespace parallax::app {
namespace {

constexpr int kArrowScale = 40;

cv::Mat MatOf(const CameraImageView& image) {
  HostImage<Rgb8> pixels = RgbImage(image);
  const HostImageView<Rgb8> view = pixels.View();
  return cv::Mat(view.height, view.width, CV_8UC3, view.data, static_cast<std::size_t>(view.stride_bytes))
      .clone();
}

HostImage<Rgb8> ImageOf(const cv::Mat& mat) {
  HostImage<Rgb8> image(mat.cols, mat.rows);
  for (int y = 0; y < mat.rows; ++y) {
    for (int x = 0; x < mat.cols; ++x) {
      const cv::Vec3b& p = mat.at<cv::Vec3b>(y, x);
      image(x, y) = {p[0], p[1], p[2]};
    }
  }
  return image;
}

std::vector<std::size_t> WorstFirst(const StereoCalibration& calibration) {
  std::vector<std::size_t> order(calibration.bundle.views.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return calibration.board_rms_px[a] > calibration.board_rms_px[b];
  });
  return order;
}

double Largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}
double Smallest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

// The lens and, of the models that were tried, how well they explain pairs that they were not fitted to.
std::string LensText(const StereoCalibration& c) {
  std::string text;
  for (const LensTrial& trial : c.lens_trials)
    text += fmt::format("{}{} {:.3f} px", text.empty() ? "" : ", ", TextOf(trial.lens), trial.held_out_px);
  return TextOf(c.lens) + (text.empty() ? "" : "; rms of pairs held out: " + text);
}

}  // namespace

std::string ReportJson(const StereoCalibration& c) {
  OrderedJson json = {{"verdict", c.verdict},
                      {"causes", c.causes},
                      {"warnings", c.warnings},
                      {"rms_left_px", c.mono_left_px},
                      {"rms_right_px", c.mono_right_px},
                      {"rms_stereo_px", c.bundle.rms_px},
                      {"epipolar_median_px", c.epipolar_median_px},
                      {"epipolar_p95_px", c.epipolar_p95_px},
                      {"lens", TextOf(c.lens)},
                      {"lens_trials", OrderedJson::array()},  // the usual one first
                      {"view_left_percent", 100 * c.kept.left},
                      {"view_right_percent", 100 * c.kept.right},
                      {"baseline_m", c.bundle.rig.baseline_m()},
                      {"corner_noise_px", c.bundle.noise_px},
                      {"outlier_percent", OutlierPercent(c)},
                      {"boards_used", c.bundle.views.size()},
                      {"boards_rejected", OrderedJson::array()},
                      {"boards", OrderedJson::array()},  // worst first
                      {"coverage_left_percent", c.left.num_cells},
                      {"coverage_right_percent", c.right.num_cells},
                      {"coverage_left", c.left.corners},
                      {"coverage_right", c.right.corners},
                      {"tilt_spread_degrees", c.tilt_spread_degrees},
                      {"distance_min_m", Smallest(c.distance_m)},
                      {"distance_max_m", Largest(c.distance_m)},
                      {"bend_mm", {1000 * c.bend_m.x, 1000 * c.bend_m.y, 1000 * c.bend_m.z}},
                      {"cross_validation", nullptr},
                      {"depth_errors", OrderedJson::array()}};
  for (const LensTrial& trial : c.lens_trials) {
    json["lens_trials"] +=
        {{"lens", TextOf(trial.lens)}, {"held_out_px", trial.held_out_px}, {"problem", trial.problem}};
  }
  for (const RejectedBoard& board : c.rejected)
    json["boards_rejected"] += {{"name", board.name}, {"reason", board.reason}};
  for (const std::size_t i : WorstFirst(c)) {
    json["boards"] += {{"name", c.bundle.views[i].name},
                       {"rms_px", c.board_rms_px[i]},
                       {"tilt_degrees", c.tilt_degrees[i]},
                       {"distance_m", c.distance_m[i]}};
  }
  if (c.cross_validation) {
    json["cross_validation"] = {{"projection_median_px", c.cross_validation->projection_median_px},
                                {"projection_max_px", c.cross_validation->projection_max_px},
                                {"depth_median_percent", c.cross_validation->depth_median_percent},
                                {"depth_max_percent", c.cross_validation->depth_max_percent}};
  }
  for (const DepthError& error : c.depth_errors) {
    json["depth_errors"] += {{"distance_m", error.distance_m},
                             {"calibration_m", error.calibration_m},
                             {"matching_m", error.matching_m},
                             {"total_m", error.total_m}};
  }
  for (const RigParameter& parameter : RigParametersOf(c))
    json["parameters"][parameter.name] = {{"value", parameter.value}, {"sigma", parameter.sigma}};
  return JsonText(json);
}

std::string CornersVnl(const CalibrationInput& input, const std::vector<std::string>& left_files,
                       const std::vector<std::string>& right_files) {
  const std::size_t count = input.board.Corners().size();
  std::string text = "# filename x y level\n";
  for (const bool right : {false, true}) {
    for (std::size_t i = 0; i < input.views.size(); ++i) {
      const auto& corners = right ? input.views[i].right : input.views[i].left;
      const std::string& file = right ? right_files[i] : left_files[i];
      if (corners.empty()) {
        text += file + " - - -\n";
        continue;
      }
      std::size_t next = 0;
      for (std::size_t corner = 0; corner < count; ++corner) {
        if (next < corners.size() && corners[next].corner == static_cast<int>(corner)) {
          text += fmt::format("{} {:.4f} {:.4f} 0\n", file, corners[next].pixel.x, corners[next].pixel.y);
          ++next;
        } else {
          text += file + " - - -\n";
        }
      }
    }
  }
  return text;
}

std::string CalibrationText(const StereoCalibration& c, const CalibrationInput& input) {
  std::string text = fmt::format("verdict    {}\n", c.verdict);
  for (const std::string& cause : c.causes) text += "  because  " + Printable(cause) + "\n";
  for (const std::string& warning : c.warnings) text += "  but      " + Printable(warning) + "\n";
  text += fmt::format("boards     {} used of {}\n", c.bundle.views.size(), input.views.size());
  for (const RejectedBoard& board : c.rejected)
    text += fmt::format("  left out {}: {}\n", Printable(board.name), board.reason);
  text += fmt::format(
      "rms        left {:.3f} px, right {:.3f} px, both {:.3f} px; {:.1f} % of the corners left out\n",
      c.mono_left_px, c.mono_right_px, c.bundle.rms_px, OutlierPercent(c));
  text += fmt::format("epipolar   median {:.3f} px, 95 % below {:.3f} px\n", c.epipolar_median_px,
                      c.epipolar_p95_px);
  text += "lens       " + LensText(c) + "\n";
  text += fmt::format("baseline   {:.5f} m\n", c.bundle.rig.baseline_m());
  text +=
      fmt::format("view       shows {:.0f} % of the left image, {:.0f} % of the right one once rectified\n",
                  100 * c.kept.left, 100 * c.kept.right);
  text += fmt::format(
      "coverage   left {} %, right {} % of the image; tilts spread over {:.0f} degrees; {:.2f} to {:.2f} m\n",
      c.left.num_cells, c.right.num_cells, c.tilt_spread_degrees, Smallest(c.distance_m),
      Largest(c.distance_m));
  if (c.cross_validation) {
    text += fmt::format(
        "odd, even  projections differ by {:.2f} px (at most {:.2f}), depths by {:.2f} % (at most {:.2f})\n",
        c.cross_validation->projection_median_px, c.cross_validation->projection_max_px,
        c.cross_validation->depth_median_percent, c.cross_validation->depth_max_percent);
  }
  for (const DepthError& error : c.depth_errors) {
    text +=
        fmt::format("{}at {:>2} m {:.4f} m: {:.4f} m of the calibration, {:.4f} m of 0.25 px of disparity\n",
                    error.distance_m == 1 ? "error      " : "           ", error.distance_m, error.total_m,
                    error.calibration_m, error.matching_m);
  }
  return text;
}

std::string CalibrationPage(const StereoCalibration& c, const CalibrationInput& input,
                            const std::vector<ReportPicture>& pictures) {
  const char* color = c.verdict == "good" ? "#2a7" : c.verdict == "usable" ? "#b80" : "#c33";
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Calibration</title><style>"
      "body{font:15px/1.45 sans-serif;margin:1.5em auto;max-width:1300px;padding:0 1em;color:#222}"
      "table{border-collapse:collapse;margin:.6em 0 1.4em;font-variant-numeric:tabular-nums}"
      "th,td{padding:.15em .8em;text-align:right;border-bottom:1px solid #ddd}th:first-child,td:first-child"
      "{text-align:left}.verdict{display:inline-block;color:#fff;padding:.2em "
      ".8em;border-radius:.3em;font-weight:bold}"
      "figure{margin:0 0 2em}img{max-width:100%}h2{margin-top:1.6em}</style></head><body>\n";
  page += fmt::format("<h1>Calibration <span class=\"verdict\" style=\"background:{}\">{}</span></h1>\n",
                      color, c.verdict);
  if (!c.causes.empty() || !c.warnings.empty()) {
    page += "<ul>\n";
    for (const std::string& text : c.causes) page += "<li><b>" + Escaped(text) + "</b></li>\n";
    for (const std::string& text : c.warnings) page += "<li>" + Escaped(text) + "</li>\n";
    page += "</ul>\n";
  }
  const auto row = [&](const char* name, const std::string& value) {
    page += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", name, value);
  };
  page += "<table>\n";
  row("boards used, of pairs", fmt::format("{} of {}", c.bundle.views.size(), input.views.size()));
  row("rms left, right alone, of the same boards",
      fmt::format("{:.3f}, {:.3f} px", c.mono_left_px, c.mono_right_px));
  row("rms of the pair", fmt::format("{:.3f} px", c.bundle.rms_px));
  row("epipolar error, median, 95th percentile",
      fmt::format("{:.3f}, {:.3f} px", c.epipolar_median_px, c.epipolar_p95_px));
  row("corners not used", fmt::format("{:.1f} %", OutlierPercent(c)));
  row("lens", LensText(c));
  row("baseline", fmt::format("{:.5f} m", c.bundle.rig.baseline_m()));
  row("rectified view shows, left, right",
      fmt::format("{:.0f}, {:.0f} %", 100 * c.kept.left, 100 * c.kept.right));
  row("covered, left, right", fmt::format("{}, {} %", c.left.num_cells, c.right.num_cells));
  row("tilts spread over", fmt::format("{:.0f} degrees", c.tilt_spread_degrees));
  row("distances", fmt::format("{:.2f} to {:.2f} m", Smallest(c.distance_m), Largest(c.distance_m)));
  if (c.cross_validation) {
    row("odd against even boards: projections, median, largest",
        fmt::format("{:.2f}, {:.2f} px", c.cross_validation->projection_median_px,
                    c.cross_validation->projection_max_px));
    row("odd against even boards: depths, median, largest",
        fmt::format("{:.2f}, {:.2f} %", c.cross_validation->depth_median_percent,
                    c.cross_validation->depth_max_percent));
  }
  page += "</table>\n";
  if (!c.depth_errors.empty()) {
    page +=
        "<h2>Expected depth error</h2>\n<table><tr><th>distance</th><th>of the calibration</th><th>of 0.25 "
        "px of "
        "disparity</th><th>together</th></tr>\n";
    for (const DepthError& error : c.depth_errors) {
      page += fmt::format("<tr><td>{} m</td><td>{:.4f} m</td><td>{:.4f} m</td><td>{:.4f} m</td></tr>\n",
                          error.distance_m, error.calibration_m, error.matching_m, error.total_m);
    }
    page += "</table>\n";
  }
  for (const ReportPicture& picture : pictures) {
    page += "<figure><img src=\"" + Escaped(picture.file) + "\" alt=\"\"><figcaption>" +
            Escaped(picture.caption) + "</figcaption></figure>\n";
  }
  page +=
      "<h2>Boards, worst first</h2>\n<table><tr><th>board</th><th>rms px</th><th>tilt "
      "degrees</th><th>distance "
      "m</th></tr>\n";
  for (const std::size_t i : WorstFirst(c)) {
    page +=
        fmt::format("<tr><td>{}</td><td>{:.3f}</td><td>{:.0f}</td><td>{:.2f}</td></tr>\n",
                    Escaped(c.bundle.views[i].name), c.board_rms_px[i], c.tilt_degrees[i], c.distance_m[i]);
  }
  page += "</table>\n";
  if (!c.rejected.empty()) {
    page += "<h2>Left out</h2>\n<table>\n";
    for (const RejectedBoard& board : c.rejected)
      page += "<tr><td>" + Escaped(board.name) + "</td><td>" + Escaped(board.reason) + "</td></tr>\n";
    page += "</table>\n";
  }
  return page + "</body></html>\n";
}

HostImage<Rgb8> CoveragePicture(const StereoCalibration& c) {
  const double scale = 560.0 / c.width_px;
  const int width = 560, height = cvRound(c.height_px * scale), gap = 20;
  cv::Mat picture(height, 2 * width + gap, CV_8UC3, cv::Scalar(255, 255, 255));
  for (const bool right : {false, true}) {
    const int x0 = right ? width + gap : 0;
    const CameraCoverage& coverage = right ? c.right : c.left;
    const int most = std::max(1, *std::max_element(coverage.corners.begin(), coverage.corners.end()));
    for (int cell = 0; cell < 100; ++cell) {
      const int count = coverage.corners[static_cast<std::size_t>(cell)];
      const double t = std::sqrt(static_cast<double>(count) / most);
      const cv::Scalar color =
          count == 0 ? cv::Scalar(240, 214, 210) : cv::Scalar(225 - 190 * t, 238 - 110 * t, 228 - 130 * t);
      const cv::Point from(x0 + cell % 10 * width / 10, cell / 10 * height / 10);
      const cv::Point to(x0 + (cell % 10 + 1) * width / 10 - 2, (cell / 10 + 1) * height / 10 - 2);
      cv::rectangle(picture, from, to, color, cv::FILLED);
    }
    for (const BoardView& view : c.bundle.views) {
      for (const SeenCorner& seen : right ? view.right : view.left) {
        const cv::Point at(x0 + cvRound(seen.pixel.x * scale), cvRound(seen.pixel.y * scale));
        cv::circle(picture, at, 1, seen.is_outlier ? cv::Scalar(220, 30, 30) : cv::Scalar(20, 60, 50),
                   cv::FILLED);
      }
    }
  }
  return ImageOf(picture);
}

HostImage<Rgb8> ResidualPicture(const StereoCalibration& c, const CalibrationInput& input, std::size_t board,
                                const StereoFrame& frame) {
  const std::vector<Vector3> places = input.board.Corners();
  const BoardView& view = c.bundle.views[board];
  const RawRig& rig = c.bundle.rig;
  cv::Mat sides[2] = {MatOf(ViewOf(frame.left)), MatOf(ViewOf(frame.right))};
  for (const bool right : {false, true}) {
    cv::Mat& side = sides[right ? 1 : 0];
    const auto& corners = right ? view.right : view.left;
    const BoardPose pose = right
                               ? BoardPose{rig.right_from_left * view.pose.camera_from_board,
                                           rig.right_from_left * view.pose.translation_m + rig.translation_m}
                               : view.pose;
    const std::vector<Vector2> residuals = ResidualsOf(places, corners, right ? rig.right : rig.left, pose);
    const int thick = std::max(1, side.cols / 640);
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const cv::Point2d at(corners[i].pixel.x, corners[i].pixel.y);
      const cv::Scalar color = corners[i].is_outlier ? cv::Scalar(255, 40, 40) : cv::Scalar(40, 255, 80);
      cv::circle(side, at, 2 * thick, color, thick, cv::LINE_AA);
      if (std::isnan(residuals[i].x)) continue;
      const cv::Point2d end(at.x + kArrowScale * residuals[i].x, at.y + kArrowScale * residuals[i].y);
      cv::line(side, at, end, cv::Scalar(255, 220, 0), thick, cv::LINE_AA);
    }
  }
  cv::Mat picture;
  cv::hconcat(sides[0], sides[1], picture);
  return ImageOf(picture);
}

HostImage<Rgb8> RectifiedPicture(const StereoFrame& frame) {
  cv::Mat picture;
  cv::hconcat(MatOf(ViewOf(frame.left)), MatOf(ViewOf(frame.right)), picture);
  const int step = std::max(8, picture.rows / 16);
  for (int y = step / 2; y < picture.rows; y += step)
    cv::line(picture, {0, y}, {picture.cols - 1, y}, cv::Scalar(60, 220, 60), 1);
  return ImageOf(picture);
}

}  // namespace parallax::app
