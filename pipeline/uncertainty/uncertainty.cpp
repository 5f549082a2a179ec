#include "pipeline/uncertainty/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <tuple>

#include "parallax/error.h"

namespace parallax {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr int kGapRadius_px = 3;

// How many bounds are at most the value.
template <typename T, std::size_t kSize>
std::size_t ClassOf(T value, const std::array<T, kSize>& bounds) {
  std::size_t index = 0;
  while (index < kSize && bounds[index] <= value) ++index;
  return index;
}

// Rejected pixels of 7 rows in each column, and their sums over 7 columns.
class GapCounter {
 public:
  explicit GapCounter(HostImageView<const std::uint8_t> validity)
      : validity_(validity), columns_(static_cast<std::size_t>(validity.width), 0) {}

  // The number of rejected pixels around each pixel of a row.
  void CountRow(int y, std::vector<int>& counts) {
    std::fill(columns_.begin(), columns_.end(), 0);
    for (int i = -kGapRadius_px; i <= kGapRadius_px; ++i) {
      const std::uint8_t* row = validity_.Row(std::clamp(y + i, 0, validity_.height - 1));
      for (std::size_t x = 0; x < columns_.size(); ++x) columns_[x] += (row[x] & kRejected) != 0 ? 1 : 0;
    }
    const int last = validity_.width - 1;
    const auto column = [&](int x) { return columns_[static_cast<std::size_t>(std::clamp(x, 0, last))]; };
    int sum = 0;
    for (int x = -kGapRadius_px; x <= kGapRadius_px; ++x) sum += column(x);
    for (int x = 0; x <= last; ++x) {
      counts[static_cast<std::size_t>(x)] = sum;
      sum += column(x + kGapRadius_px + 1) - column(x - kGapRadius_px);
    }
  }

 private:
  HostImageView<const std::uint8_t> validity_;
  std::vector<int> columns_;
};

// The class of the bend at a pixel that has a value.
std::size_t BendClass(HostImageView<const float> disparity, int x, int y) {
  constexpr int kStep_px = 2;
  const float twice = 2 * disparity(x, y);
  float bend = -1;
  const auto look = [&](float before, float after) {
    const float sum = before + after;
    if (!std::isnan(sum)) bend = std::max(bend, std::fabs(sum - twice));
  };
  if (x >= kStep_px && x + kStep_px < disparity.width) {
    look(disparity(x - kStep_px, y), disparity(x + kStep_px, y));
  }
  if (y >= kStep_px && y + kStep_px < disparity.height) {
    look(disparity(x, y - kStep_px), disparity(x, y + kStep_px));
  }
  return bend < 0 ? kBendBounds_px.size() : ClassOf(bend, kBendBounds_px);
}

void CheckSameSize(int width, int height, HostImageView<const float> other, const char* what) {
  if (other.width == width && other.height == height) return;
  throw InvalidArgument("depths of " + std::to_string(width) + "x" + std::to_string(height) + " px and " +
                        what + " of " + std::to_string(other.width) + "x" + std::to_string(other.height) +
                        " px do not fit together: they must be of one size");
}

}  // namespace

HostImage<float> SigmaOfDisparity(const UncertaintyParameters& parameters, const DisparityMapView& map) {
  const auto& [disparity, validity, confidence] = map;
  HostImage<float> sigma(disparity.width, disparity.height);
  GapCounter gap_counter(validity);
  std::vector<int> gaps(static_cast<std::size_t>(disparity.width));
  const float rig_squared = parameters.rig_px * parameters.rig_px;
  constexpr std::size_t kLastConfidence = std::tuple_size_v<decltype(parameters.confidence_px)> - 1;
  for (int y = 0; y < disparity.height; ++y) {
    gap_counter.CountRow(y, gaps);
    for (int x = 0; x < disparity.width; ++x) {
      float& s = sigma(x, y);
      s = kNone;
      if (std::isnan(disparity(x, y))) continue;
      const std::size_t c =
          std::min(static_cast<std::size_t>(confidence(x, y) / kConfidenceClass), kLastConfidence);
      s = parameters.confidence_px[c] * parameters.bend[BendClass(disparity, x, y)];
      s *= parameters.gaps[ClassOf(gaps[static_cast<std::size_t>(x)], kGapBounds)];
      if ((validity(x, y) & kRejected) != 0) s *= parameters.rejected;
      if (rig_squared > 0) s = std::sqrt(s * s + rig_squared);
    }
  }
  return sigma;
}

HostImage<float> SigmaOfDepth(HostImageView<const float> sigma_px, HostImageView<const float> depth_m,
                              const StereoRig& rig) {
  CheckSameSize(depth_m.width, depth_m.height, sigma_px, "uncertainties");
  if (!(rig.fx_px > 0) || !(rig.baseline_m > 0)) {
    throw InvalidArgument(
        "a calibration without focal length or baseline gives no uncertainty of depth: both must be above 0");
  }
  const float focal_baseline = static_cast<float>(rig.fx_px * rig.baseline_m);
  HostImage<float> sigma_m(depth_m.width, depth_m.height);
  for (int y = 0; y < depth_m.height; ++y) {
    for (int x = 0; x < depth_m.width; ++x) {
      const float z = depth_m(x, y);
      const float squared = z * z;
      sigma_m(x, y) = squared / focal_baseline * sigma_px(x, y);
    }
  }
  return sigma_m;
}

template <typename T>
std::vector<float> ValuesOfPoints(HostImageView<const T> values, HostImageView<const float> depth_m) {
  CheckSameSize(values.width, values.height, depth_m, "depths");
  std::vector<float> of_points;
  for (int y = 0; y < depth_m.height; ++y) {
    for (int x = 0; x < depth_m.width; ++x) {
      if (!std::isnan(depth_m(x, y))) of_points.push_back(values(x, y));
    }
  }
  return of_points;
}
template std::vector<float> ValuesOfPoints(HostImageView<const float>, HostImageView<const float>);
template std::vector<float> ValuesOfPoints(HostImageView<const std::uint8_t>, HostImageView<const float>);

}  // namespace parallax
