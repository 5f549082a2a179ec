#include "pipeline/live/limits.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "parallax/error.h"

namespace parallax {
namespace {

constexpr int kRadius_px = 4;
constexpr int kSide_px = 2 * kRadius_px + 1;

// Differences of the pixels of a row to those above and left of them.
void DifferencesOf(HostImageView<const std::uint8_t> gray, int y, std::vector<int>& differences) {
  const std::uint8_t* row = gray.Row(y);
  const std::uint8_t* above = gray.Row(std::max(y - 1, 0));
  for (int x = 0; x < gray.width; ++x) {
    differences[static_cast<std::size_t>(x)] =
        std::abs(row[x] - above[x]) + std::abs(row[x] - row[std::max(x - 1, 0)]);
  }
}

// Sums over windows along the row.
void SumAlong(const std::vector<int>& values, std::vector<int>& sums) {
  const int width = static_cast<int>(values.size());
  const auto at = [&](int x) { return values[static_cast<std::size_t>(std::clamp(x, 0, width - 1))]; };
  int sum = 0;
  for (int x = -kRadius_px; x <= kRadius_px; ++x) sum += at(x);
  for (int x = 0; x < width; ++x) {
    sums[static_cast<std::size_t>(x)] = sum;
    sum += at(x + kRadius_px + 1) - at(x - kRadius_px);
  }
}

}  // namespace

HostImage<std::uint16_t> TextureSums(HostImageView<const std::uint8_t> gray, ThreadPool& threads) {
  constexpr int kRowsOfTask = 32;
  HostImage<std::uint16_t> texture(gray.width, gray.height);
  threads.ParallelFor((gray.height + kRowsOfTask - 1) / kRowsOfTask, [&](int task) {
    const auto width = static_cast<std::size_t>(gray.width);
    std::vector<int> differences(width), total(width, 0);
    // The sums along the rows of the window, a ring.
    std::vector<std::vector<int>> sums(kSide_px, std::vector<int>(width, 0));
    const int begin = task * kRowsOfTask, end = std::min(gray.height, begin + kRowsOfTask);
    const auto add_row = [&](int y, std::vector<int>& into) {
      DifferencesOf(gray, std::clamp(y, 0, gray.height - 1), differences);
      for (std::size_t x = 0; x < width; ++x) total[x] -= into[x];
      SumAlong(differences, into);
      for (std::size_t x = 0; x < width; ++x) total[x] += into[x];
    };
    for (int i = 0; i < kSide_px - 1; ++i) add_row(begin - kRadius_px + i, sums[static_cast<std::size_t>(i)]);
    for (int y = begin; y < end; ++y) {
      add_row(y + kRadius_px, sums[static_cast<std::size_t>((y - begin + kSide_px - 1) % kSide_px)]);
      std::transform(total.begin(), total.end(), texture.Row(y),
                     [](int sum) { return static_cast<std::uint16_t>(sum); });
    }
  });
  return texture;
}

void RemoveOutOfLimits(const LiveParameters& parameters, HostImageView<const std::uint8_t> gray,
                       const std::optional<StereoRig>& rig, DisparityMap& map, ThreadPool& threads) {
  float lowest = -std::numeric_limits<float>::infinity(), highest = -lowest;
  if (parameters.near_m > 0 || parameters.far_m > 0) {
    if (!rig) {
      throw Error(
          "live.near_m and live.far_m need the cameras' calibration: give their rig, or set both to 0");
    }
    const auto disparity_at = [&](float depth_m) {
      return static_cast<float>(rig->fx_px * rig->baseline_m / static_cast<double>(depth_m) - rig->doffs_px);
    };
    if (parameters.near_m > 0) highest = disparity_at(parameters.near_m);
    if (parameters.far_m > 0) lowest = disparity_at(parameters.far_m);
  }
  HostImage<std::uint16_t> texture;
  if (parameters.min_texture > 0) texture = TextureSums(gray, threads);
  const float least_sum = parameters.min_texture * static_cast<float>(kSide_px * kSide_px);
  threads.ParallelFor(gray.height, [&](int y) {
    for (int x = 0; x < gray.width; ++x) {
      float& d = map.disparity(x, y);
      if (std::isnan(d)) continue;
      const bool is_kept = d >= lowest && d <= highest && map.confidence(x, y) >= parameters.min_confidence &&
                           gray(x, y) >= parameters.darkest && gray(x, y) <= parameters.brightest &&
                           (texture.Empty() || static_cast<float>(texture(x, y)) >= least_sum);
      if (is_kept) continue;
      d = std::numeric_limits<float>::quiet_NaN();
      map.validity(x, y) = static_cast<std::uint8_t>((map.validity(x, y) & ~kFilled) | kOutOfLimits);
    }
  });
}

}  // namespace parallax
