#include "app/quality/flat_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "app/output/ordered_json.h"
#include "datasets/formats/file_bytes.h"
#include "parallax/error.h"
#include "pipeline/calibration/vectors.h"

namespace parallax::app {
namespace {

constexpr std::size_t kFewestPixels = 100;
constexpr double kOutlierSigmas = 5;
constexpr double kLeastLimit_px = 1e-3;  // disparities of a perfect plane are rounded, too
constexpr int kRounds = 8;
constexpr double kMuchOutside_percent = 5, kLittleFill_percent = 50;
constexpr double kFarOffAPlane_px = 1;

double QuantileOfAll(std::vector<double> values, double q) {
  if (values.empty()) return std::nan("");
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? std::nan("") : sum / static_cast<double>(values.size());
}

// x of a symmetric positive matrix of 3 x 3 by Cramer's rule; false where it is singular.
bool Solve(const std::array<double, 6>& m, const std::array<double, 3>& b, std::array<double, 3>& x) {
  const auto& [xx, xy, x1, yy, y1, n] = m;
  const double c0 = yy * n - y1 * y1, c1 = x1 * y1 - xy * n, c2 = xy * y1 - x1 * yy;
  const double determinant = xx * c0 + xy * c1 + x1 * c2;
  if (!(determinant > 1e-12 * xx * yy * n)) return false;
  const double c4 = xx * n - x1 * x1, c5 = xy * x1 - xx * y1, c8 = xx * yy - xy * xy;
  x = {(c0 * b[0] + c1 * b[1] + c2 * b[2]) / determinant, (c1 * b[0] + c4 * b[1] + c5 * b[2]) / determinant,
       (c2 * b[0] + c5 * b[1] + c8 * b[2]) / determinant};
  return true;
}

}  // namespace

ImageRegion ParseRegion(const std::string& text) {
  std::vector<int> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto number = ParseCount(text.substr(begin, end - begin));
    if (!number || *number > 1000000) break;
    numbers.push_back(static_cast<int>(*number));
    begin = end + 1;
    if (end == text.size() && numbers.size() == 4) return {numbers[0], numbers[1], numbers[2], numbers[3]};
  }
  throw InvalidArgument("--region '" + text +
                        "' is not a region: give X,Y,WIDTH,HEIGHT in pixels, e.g. 200,150,240,180");
}

ImageRegion MiddleOf(int width, int height) {
  const int w = std::max(1, width * 2 / 5), h = std::max(1, height * 2 / 5);
  return {(width - w) / 2, (height - h) / 2, w, h};
}

FlatTarget::FlatTarget(const StereoRig& rig, int width, int height, const ImageRegion& region)
    : rig_(rig), width_(width), height_(height), region_(region) {
  if (region.x < 0 || region.y < 0 || region.width < 1 || region.height < 1 ||
      region.x + region.width > width || region.y + region.height > height) {
    throw InvalidArgument(
        fmt::format("the region {},{},{},{} is not inside the image of {}x{}: change --region", region.x,
                    region.y, region.width, region.height, width, height));
  }
  const auto size = static_cast<std::size_t>(region.width) * static_cast<std::size_t>(region.height);
  if (size < kFewestPixels)
    throw InvalidArgument(fmt::format(
        "a region of {} pixels is too small, {} is the minimum: change --region", size, kFewestPixels));
  pixels_.resize(size);
}

FlatTarget::Plane FlatTarget::FitPlane(const std::vector<Sample>& samples, double& limit_px) const {
  Plane plane;
  limit_px = std::numeric_limits<double>::infinity();
  std::vector<double> sizes(samples.size());
  for (int round = 0; round < kRounds; ++round) {
    std::array<double, 6> matrix{};
    std::array<double, 3> right{}, solution{};
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (round > 0 && sizes[i] > limit_px) continue;
      const auto& [u, v, d, pixel] = samples[i];
      const std::array<double, 6> products{u * u, u * v, u, v * v, v, 1};
      for (std::size_t k = 0; k < 6; ++k) matrix[k] += products[k];
      right = {right[0] + u * d, right[1] + v * d, right[2] + d};
    }
    if (!Solve(matrix, right, solution))
      throw Error("the matched pixels of the region lie on one line: choose another --region");
    plane = {solution[0], solution[1], solution[2]};
    for (std::size_t i = 0; i < samples.size(); ++i)
      sizes[i] = std::abs(samples[i].disparity - plane.At(samples[i].u, samples[i].v));
    // The median of an absolute deviation is 0.6745 sigma.
    limit_px = std::max(kLeastLimit_px, kOutlierSigmas * QuantileOfAll(sizes, 0.5) / 0.6745);
  }
  return plane;
}

void FlatTarget::Add(const DisparityMapView& map) {
  if (map.disparity.width != width_ || map.disparity.height != height_)
    throw Error(fmt::format("its images are {}x{}, but earlier ones are {}x{}", map.disparity.width,
                            map.disparity.height, width_, height_));
  std::vector<Sample> samples;
  std::size_t num_filled = 0;
  for (int y = 0; y < region_.height; ++y) {
    for (int x = 0; x < region_.width; ++x) {
      const int px = region_.x + x, py = region_.y + y;
      const double disparity = static_cast<double>(map.disparity(px, py)) + rig_.doffs_px;
      if (!(disparity > 0)) continue;  // no value, or nothing at any distance
      if ((map.validity(px, py) & kFilled) != 0) {
        ++num_filled;
        continue;
      }
      samples.push_back({(px - rig_.cx_px) / rig_.fx_px, (py - rig_.cy_px) / rig_.fx_px, disparity,
                         static_cast<std::size_t>(y) * static_cast<std::size_t>(region_.width) +
                             static_cast<std::size_t>(x)});
    }
  }
  if (samples.size() < kFewestPixels) {
    throw Error(
        fmt::format("only {} of the region's {} pixels were matched: check that the target is textured, "
                    "fills the region and lies within the searched disparities",
                    samples.size(), pixels_.size()));
  }
  double limit_px = 0;
  const Plane plane = FitPlane(samples, limit_px);
  const double fb = rig_.fx_px * rig_.baseline_m;
  const double normal = std::hypot(plane.a, plane.b, plane.c);
  for (const auto& [u, v, disparity, number] : samples) {
    const double off_px = disparity - plane.At(u, v);
    if (std::abs(off_px) > limit_px) {
      ++num_outliers_;
      continue;
    }
    ++num_inliers_;
    // a X + b Y + c Z = fx baseline on the plane.
    const double off_m = -fb * off_px / (disparity * normal), z = fb / disparity;
    squares_px_ += off_px * off_px;
    squares_m_ += off_m * off_m;
    Pixel& pixel = pixels_[number];
    if (pixel.count++ == 0) {
      pixel.first_z = z;
      pixel.first_d = disparity;
    }
    const double dz = z - pixel.first_z, dd = disparity - pixel.first_d;
    pixel.z += dz;
    pixel.zz += dz * dz;
    pixel.d += dd;
    pixel.dd += dd * dd;
    pixel.off_m += off_m;
    pixel.off_px += off_px;
  }
  const auto percent = [&](std::size_t count) {
    return 100 * static_cast<double>(count) / static_cast<double>(pixels_.size());
  };
  fill_percent_.push_back(percent(samples.size()));
  filled_percent_.push_back(percent(samples.size() + num_filled));
  planes_.push_back(plane);
}

FlatTargetFigures FlatTarget::Figures() const {
  FlatTargetFigures figures;
  figures.num_frames = static_cast<int>(planes_.size());
  if (planes_.empty()) return figures;
  figures.fill_percent = Mean(fill_percent_);
  figures.least_fill_percent = *std::min_element(fill_percent_.begin(), fill_percent_.end());
  figures.filled_percent = Mean(filled_percent_);
  Plane mean;
  for (const Plane& plane : planes_) {
    const double part = 1 / static_cast<double>(planes_.size());
    mean = {mean.a + part * plane.a, mean.b + part * plane.b, mean.c + part * plane.c};
  }
  const double u = (region_.x + (region_.width - 1) / 2.0 - rig_.cx_px) / rig_.fx_px;
  const double v = (region_.y + (region_.height - 1) / 2.0 - rig_.cy_px) / rig_.fx_px;
  figures.distance_m = rig_.fx_px * rig_.baseline_m / mean.At(u, v);
  figures.tilt_degrees = kDegreesPerRadian * std::atan2(std::hypot(mean.a, mean.b), mean.c);
  figures.tilt_right_degrees = kDegreesPerRadian * std::atan2(-mean.a, mean.c);
  figures.tilt_down_degrees = kDegreesPerRadian * std::atan2(-mean.b, mean.c);
  const auto all = static_cast<double>(num_inliers_);
  figures.plane_rms_m = std::sqrt(squares_m_ / all);
  figures.plane_rms_px = std::sqrt(squares_px_ / all);
  figures.outlier_percent =
      100 * static_cast<double>(num_outliers_) / static_cast<double>(num_inliers_ + num_outliers_);
  // Uses only pixels that are present in at least half of the frames.
  const int fewest = std::max(2, (figures.num_frames + 1) / 2);
  std::vector<double> sigmas_m, sigmas_px;
  double fixed_m = 0, fixed_px = 0;
  for (const Pixel& pixel : pixels_) {
    if (pixel.count < fewest) continue;
    const double n = pixel.count;
    const auto sigma = [n](double sum, double squares) {
      return std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1)));
    };
    sigmas_m.push_back(sigma(pixel.z, pixel.zz));
    sigmas_px.push_back(sigma(pixel.d, pixel.dd));
    fixed_m += pixel.off_m / n * (pixel.off_m / n);
    fixed_px += pixel.off_px / n * (pixel.off_px / n);
  }
  figures.temporal_m = QuantileOfAll(sigmas_m, 0.5);
  figures.temporal_px = QuantileOfAll(sigmas_px, 0.5);
  figures.temporal_p95_m = QuantileOfAll(sigmas_m, 0.95);
  const auto num_pixels = static_cast<double>(sigmas_m.size());
  figures.fixed_m = sigmas_m.empty() ? std::nan("") : std::sqrt(fixed_m / num_pixels);
  figures.fixed_px = sigmas_m.empty() ? std::nan("") : std::sqrt(fixed_px / num_pixels);
  return figures;
}

std::string QualityText(const QualityReport& report) {
  const FlatTargetFigures& f = report.figures;
  const ImageRegion& r = report.region;
  std::string text = fmt::format("frames      {}, region {}x{} at {},{} of {}x{}\n", f.num_frames, r.width,
                                 r.height, r.x, r.y, report.width, report.height);
  text += fmt::format("fill rate   {:.2f} % matched, {:.2f} % in the worst frame; {:.2f} % with filling\n",
                      f.fill_percent, f.least_fill_percent, f.filled_percent);
  text += fmt::format(
      "target      {:.4f} m away in the middle of the region, tilted by {:.2f} degrees: {:+.2f} to the "
      "right, "
      "{:+.2f} downwards\n",
      f.distance_m, f.tilt_degrees, f.tilt_right_degrees, f.tilt_down_degrees);
  text += fmt::format("plane fit   rms {:.3f} mm, {:.4f} px; {:.2f} % outliers left out\n",
                      1000 * f.plane_rms_m, f.plane_rms_px, f.outlier_percent);
  if (std::isfinite(f.temporal_m)) {
    text += fmt::format(
        "noise       over time {:.3f} mm, {:.4f} px (95 % of the pixels below {:.3f} mm); standing still "
        "{:.3f} "
        "mm, {:.4f} px\n",
        1000 * f.temporal_m, f.temporal_px, 1000 * f.temporal_p95_m, 1000 * f.fixed_m, f.fixed_px);
  } else {
    text += "noise       needs several frames\n";
  }
  if (report.distance_m) {
    text += fmt::format("Z accuracy  {:+.2f} mm, {:+.3f} % of {:.4f} m\n", 1000 * report.z_error_m(),
                        100 * report.z_error_m() / *report.distance_m, *report.distance_m);
  }
  if (f.outlier_percent > kMuchOutside_percent || f.plane_rms_px > kFarOffAPlane_px) {
    text += fmt::format("note        {}: does the whole region show one flat target? See --region\n",
                        f.outlier_percent > kMuchOutside_percent ? "many outliers" : "far from a plane");
  }
  if (f.fill_percent < kLittleFill_percent)
    text +=
        "note        few pixels were matched: a flat target needs texture, light and a distance within "
        "the searched range\n";
  return text;
}

std::string QualityJson(const QualityReport& report) {
  const FlatTargetFigures& f = report.figures;
  OrderedJson json = {
      {"frames", f.num_frames},
      {"image_size_px", {report.width, report.height}},
      {"region_px", {report.region.x, report.region.y, report.region.width, report.region.height}}};
  const std::pair<const char*, double> figures[] = {{"fill_percent", f.fill_percent},
                                                    {"least_fill_percent", f.least_fill_percent},
                                                    {"filled_percent", f.filled_percent},
                                                    {"distance_m", f.distance_m},
                                                    {"tilt_degrees", f.tilt_degrees},
                                                    {"tilt_right_degrees", f.tilt_right_degrees},
                                                    {"tilt_down_degrees", f.tilt_down_degrees},
                                                    {"plane_rms_m", f.plane_rms_m},
                                                    {"plane_rms_px", f.plane_rms_px},
                                                    {"outlier_percent", f.outlier_percent},
                                                    {"temporal_noise_m", f.temporal_m},
                                                    {"temporal_noise_px", f.temporal_px},
                                                    {"temporal_noise_p95_m", f.temporal_p95_m},
                                                    {"fixed_noise_m", f.fixed_m},
                                                    {"fixed_noise_px", f.fixed_px}};
  for (const auto& [key, value] : figures) json[key] = value;
  if (report.distance_m) {
    json["true_distance_m"] = *report.distance_m;
    json["z_error_m"] = report.z_error_m();
    json["z_error_percent"] = 100 * report.z_error_m() / *report.distance_m;
  }
  return JsonText(json);
}

}  // namespace parallax::app
