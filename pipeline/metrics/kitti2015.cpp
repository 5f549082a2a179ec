#include "pipeline/metrics/kitti2015.h"

#include <cmath>

#include "pipeline/metrics/evaluated_pixels.h"
#include "pipeline/metrics/interpolate_background.h"

namespace parallax {
namespace {

// The error and its ratio are floats and the bounds doubles, as in the development kit: 0.05 itself is no
// float, so a ratio that rounds to the float next to it counts as above.
bool IsOutlier(float true_d, float d) {
  constexpr double kAbsolute_px = 3.0;
  constexpr double kRelative = 0.05;
  const float error_px = std::fabs(true_d - d);
  const float ratio = error_px / std::fabs(true_d);
  return static_cast<double>(error_px) > kAbsolute_px && static_cast<double>(ratio) > kRelative;
}

void Count(ErrorCount& count, bool wrong) {
  count.num_errors += wrong;
  ++count.num_pixels;
}

}  // namespace

double ErrorCount::Rate() const {
  return num_pixels == 0 ? kNoScore : static_cast<double>(num_errors) / static_cast<double>(num_pixels);
}

ErrorCount& ErrorCount::operator+=(const ErrorCount& other) {
  num_errors += other.num_errors;
  num_pixels += other.num_pixels;
  return *this;
}

double Kitti2015Counts::Density() const {
  return all.num_pixels == 0
             ? kNoScore
             : static_cast<double>(all_estimated.num_pixels) / static_cast<double>(all.num_pixels);
}

double Kitti2015Counts::AllOrHolesRate() const {
  const std::int64_t num_holes = all.num_pixels - all_estimated.num_pixels;
  return ErrorCount{all_estimated.num_errors + num_holes, all.num_pixels}.Rate();
}

Kitti2015Counts& Kitti2015Counts::operator+=(const Kitti2015Counts& other) {
  background += other.background;
  background_estimated += other.background_estimated;
  foreground += other.foreground;
  foreground_estimated += other.foreground_estimated;
  all += other.all;
  all_estimated += other.all_estimated;
  return *this;
}

Kitti2015Counts EvaluateKitti2015(HostImageView<const float> estimate, HostImageView<const float> truth,
                                  HostImageView<const std::uint8_t> objects,
                                  HostImageView<const std::uint8_t> mask) {
  CheckSameSize(estimate, "the estimate", truth, "the truth");
  if (!objects.Empty()) CheckSameSize(objects, "the object map", truth, "the truth");
  const HostImage<float> filled = InterpolateBackground(estimate);
  Kitti2015Counts counts;
  ForEachEvaluatedPixel(truth, mask, [&](int x, int y, float true_d) {
    const bool wrong = IsOutlier(true_d, std::isnan(filled(x, y)) ? kDevkitInvalid : filled(x, y));
    const bool is_object = !objects.Empty() && objects(x, y) != 0;
    Count(counts.all, wrong);
    Count(is_object ? counts.foreground : counts.background, wrong);
    if (std::isnan(estimate(x, y))) return;
    Count(counts.all_estimated, wrong);
    Count(is_object ? counts.foreground_estimated : counts.background_estimated, wrong);
  });
  return counts;
}

}  // namespace parallax
