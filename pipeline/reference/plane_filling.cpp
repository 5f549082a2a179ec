#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "pipeline/reference/refinement.h"
#include "pipeline/rules/refinement_math.h"

namespace parallax::reference {
namespace {

struct Sample {
  float weight = 0.0F;  // 0: none
  float value = 0.0F;
};
// [column][row]
using Samples = std::array<std::array<Sample, kPlaneSamples>, kPlaneSamples>;

bool IsKept(const DisparityMap& map, int x, int y) { return (map.validity(x, y) & kRejected) == 0; }

Samples SamplesAround(const DisparityMap& map, int center_x, int center_y, int step) {
  Samples samples;
  for (int column = 0; column < kPlaneSamples; ++column) {
    for (int row = 0; row < kPlaneSamples; ++row) {
      const int x = center_x + (column - kPlaneSampleRadius) * step;
      const int y = center_y + (row - kPlaneSampleRadius) * step;
      if (!map.disparity.ConstView().Contains(x, y) || std::isnan(map.disparity(x, y))) continue;
      samples[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)] = {
          IsKept(map, x, y) ? kKeptWeight : kRejectedWeight, map.disparity(x, y)};
    }
  }
  return samples;
}

// The lower weighted median of the values rounded down, as far as lowest .. highest go; nothing without
// samples.
bool FindStart(const Samples& samples, int lowest, int highest, float& start) {
  std::vector<std::pair<float, float>> values;  // and their weights
  float total = 0.0F;
  for (const auto& column : samples) {
    for (const Sample& sample : column) {
      if (sample.weight > 0.0F) values.emplace_back(std::floor(sample.value), sample.weight);
      total += sample.weight;
    }
  }
  if (values.empty()) return false;
  std::sort(values.begin(), values.end());
  float below = 0.0F;
  for (const auto& [value, weight] : values) {
    below += weight;
    if (2.0F * below < total) continue;
    start = ClampTo(value, static_cast<float>(lowest), static_cast<float>(highest));
    break;
  }
  return true;
}

// Sums in the order that refinement_math.h defines.
PlaneMoments SumOverColumns(std::array<PlaneMoments, kPlaneColumns> columns) {
  const auto add = [](PlaneMoments a, const PlaneMoments& b) {
    return PlaneMoments{a.w + b.w,     a.wu + b.wu, a.wv + b.wv,   a.wuu + b.wuu, a.wuv + b.wuv,
                        a.wvv + b.wvv, a.wd + b.wd, a.wud + b.wud, a.wvd + b.wvd};
  };
  for (std::size_t half = kPlaneColumns / 2; half >= 1; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) columns[i] = add(columns[i], columns[i + half]);
  }
  return columns[0];
}

DisparityPlane FitPlane(const Parameters& parameters, const Samples& samples) {
  const RefinementParameters& refinement = parameters.refinement;
  const int lowest = parameters.matching_cost.min_disparity;
  float start = 0.0F;
  if (!FindStart(samples, lowest, lowest + parameters.matching_cost.num_disparities - 1, start)) return {};
  const float step = static_cast<float>(refinement.plane_step);
  DisparityPlane plane{0.0F, 0.0F, 0.0F};  // above start, in steps
  for (const float factor : kPlaneRoundTolerances) {
    const float inverse_reach = 1.0F / PlaneReach(refinement.plane_tolerance, factor);
    std::array<PlaneMoments, kPlaneColumns> columns{};
    for (int column = 0; column < kPlaneSamples; ++column) {
      const float u = static_cast<float>(column - kPlaneSampleRadius);
      const float plane_of_column = plane.value + plane.slope_x * u;
      PlaneColumnSums sums{};
      for (int row = 0; row < kPlaneSamples; ++row) {
        const Sample& sample = samples[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)];
        if (sample.weight == 0.0F) continue;
        const float v = static_cast<float>(row - kPlaneSampleRadius);
        sums = AddPlaneSample(sums, sample.weight, sample.value - start, v,
                              plane_of_column + plane.slope_y * v, inverse_reach);
      }
      columns[static_cast<std::size_t>(column)] = MomentsOfColumn(sums, u);
    }
    const PlaneMoments moments = SumOverColumns(columns);
    if (moments.w < kPlaneLeastWeight) return {};
    plane = SolvePlane(moments, kPlaneLargestSlope * step);
  }
  return {plane.value + start, plane.slope_x / step, plane.slope_y / step};
}

// How well the pixels around (x, y) lie on a plane of value `at_pixel` there.
float SupportOf(const DisparityPlane& plane, float at_pixel, float reach,
                HostImageView<const std::uint8_t> guide, const DisparityMap& map, int x, int y) {
  constexpr float kStep = static_cast<float>(kSupportStep_px);
  const float step_x = plane.slope_x * kStep, step_y = plane.slope_y * kStep;
  float support = 0.0F;
  for (int i = 0; i < kSupportPixels; ++i) {
    const int u = x + SupportColumn(i) * kSupportStep_px, v = y + SupportRow(i) * kSupportStep_px;
    if (!guide.Contains(u, v) || std::isnan(map.disparity(u, v))) continue;
    const float at_row = at_pixel + static_cast<float>(SupportRow(i)) * step_y;
    const float residual = map.disparity(u, v) - (at_row + static_cast<float>(SupportColumn(i)) * step_x);
    const float left = reach - residual * residual;
    const int weight = SupportWeight(IsKept(map, u, v), guide(u, v), guide(x, y));
    support = support + static_cast<float>(weight) * (left > 0.0F ? left : 0.0F);
  }
  return support;
}

}  // namespace

HostImage<DisparityPlane> FitPlanes(const Parameters& parameters, const DisparityMap& map,
                                    ThreadPool& threads) {
  const int tile = parameters.refinement.plane_tile, step = parameters.refinement.plane_step;
  const auto center_of = [tile](int i) { return i * tile + tile / 2; };
  HostImage<DisparityPlane> planes((map.disparity.width() + tile - 1) / tile,
                                   (map.disparity.height() + tile - 1) / tile);
  threads.ParallelFor(planes.height(), [&](int row) {
    for (int column = 0; column < planes.width(); ++column) {
      planes(column, row) = FitPlane(parameters, SamplesAround(map, center_of(column), center_of(row), step));
    }
  });
  return planes;
}

void FillFromPlanes(const Parameters& parameters, HostImageView<const std::uint8_t> guide, DisparityMap& map,
                    ThreadPool& threads) {
  const RefinementParameters& refinement = parameters.refinement;
  const int width = map.disparity.width(), height = map.disparity.height(), tile = refinement.plane_tile;
  const auto center_of = [tile](int i) { return i * tile + tile / 2; };
  const HostImage<DisparityPlane> planes = FitPlanes(parameters, map, threads);
  const float reach = PlaneReach(refinement.plane_tolerance, 1.0F);
  const float lowest = static_cast<float>(parameters.matching_cost.min_disparity);
  const float highest = lowest + static_cast<float>(parameters.matching_cost.num_disparities - 1);
  HostImage<float> filled = map.disparity.Clone();
  threads.ParallelFor(height, [&](int y) {
    for (int x = 0; x < width; ++x) {
      if (IsKept(map, x, y)) continue;
      float best = 0.0F;  // a plane without any support is not chosen
      for (int row = y / tile - 1; row <= y / tile + 1; ++row) {
        for (int column = x / tile - 1; column <= x / tile + 1; ++column) {
          if (!planes.ConstView().Contains(column, row)) continue;
          const DisparityPlane& plane = planes(column, row);
          if (plane.value == kNoValue) continue;
          const float at_pixel = (plane.value + plane.slope_x * static_cast<float>(x - center_of(column))) +
                                 plane.slope_y * static_cast<float>(y - center_of(row));
          const float support = SupportOf(plane, at_pixel, reach, guide, map, x, y);
          if (support > best) best = support, filled(x, y) = ClampTo(at_pixel, lowest, highest);
        }
      }
    }
  });
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (!IsKept(map, x, y) && !std::isnan(filled(x, y)))
        map.validity(x, y) = static_cast<std::uint8_t>(map.validity(x, y) | kFilled);
    }
  }
  map.disparity = std::move(filled);
}

}  // namespace parallax::reference
