#include "pipeline/cloud/emd/emd_problem.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "pipeline/cloud/hilbert_index.h"

namespace parallax::emd {
namespace {

struct Bounds {
  std::array<double, 3> low, high;
};

Bounds BoundsOf(const EmdPair& pair) {
  const Point3f& first = pair.a[0];
  Bounds bounds{{first.x, first.y, first.z}, {first.x, first.y, first.z}};
  for (const std::span<const Point3f> cloud : {pair.a, pair.b}) {
    for (const Point3f& point : cloud) {
      const std::array<double, 3> p = {point.x, point.y, point.z};
      for (int k = 0; k < 3; ++k) {
        bounds.low[k] = std::min(bounds.low[k], p[k]);
        bounds.high[k] = std::max(bounds.high[k], p[k]);
      }
    }
  }
  return bounds;
}

Side MakeSide(std::span<const Point3f> points, const Scale& scale) {
  const int n = static_cast<int>(points.size());
  const auto cell = [&](float value, int k) {
    return static_cast<std::uint32_t>((value - scale.low_m[k]) * scale.cells_per_m);
  };
  std::vector<std::pair<std::uint64_t, std::int32_t>> keys(n);
  for (int i = 0; i < n; ++i) {
    keys[i] = {HilbertIndex<kCurveBits>(cell(points[i].x, 0), cell(points[i].y, 1), cell(points[i].z, 2)), i};
  }
  std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    const Point3f &p = points[a.second], &q = points[b.second];
    return std::tie(p.x, p.y, p.z, a.second) < std::tie(q.x, q.y, q.z, b.second);
  });
  Side side;
  side.order.resize(n);
  for (int i = 0; i < n; ++i) side.order[i] = keys[i].second;

  const int num_boxes = (n + kBoxSize - 1) / kBoxSize;
  for (std::vector<float>* axis : {&side.x, &side.y, &side.z}) axis->resize(num_boxes * kBoxSize);
  for (int i = 0; i < num_boxes * kBoxSize; ++i) {
    const Point3f& p = points[side.order[std::min(i, n - 1)]];
    side.x[i] = scale.Units(p.x);
    side.y[i] = scale.Units(p.y);
    side.z[i] = scale.Units(p.z);
  }
  const auto bound = [&](const std::vector<float>& axis, std::vector<float>* low, std::vector<float>* high) {
    for (int box = 0; box < num_boxes; ++box) {
      const auto [least, most] = std::minmax_element(axis.begin() + box * kBoxSize,  //
                                                     axis.begin() + (box + 1) * kBoxSize);
      low->push_back(*least);
      high->push_back(*most);
    }
    const std::size_t padded = (low->size() + 15) / 16 * 16;
    low->resize(padded, low->back());
    high->resize(padded, high->back());
  };
  bound(side.x, &side.low_x, &side.high_x);
  bound(side.y, &side.low_y, &side.high_y);
  bound(side.z, &side.low_z, &side.high_z);
  return side;
}

}  // namespace

int UnitExponent(double diagonal_m) {
  if (!(diagonal_m > 0)) return 0;
  int exponent = 0;
  std::frexp(diagonal_m, &exponent);  // diagonal < 2^exponent
  return kUnitBits - exponent;
}

Scale ScaleOf(const EmdPair& pair) {
  const Bounds bounds = BoundsOf(pair);
  double extent = 0;
  for (int k = 0; k < 3; ++k) extent = std::max(extent, bounds.high[k] - bounds.low[k]);
  const double diagonal_m = std::hypot(bounds.high[0] - bounds.low[0], bounds.high[1] - bounds.low[1],
                                       bounds.high[2] - bounds.low[2]);
  const int exponent = UnitExponent(diagonal_m);
  return {.low_m = bounds.low,
          .cells_per_m = extent > 0 ? ((1 << kCurveBits) - 1) / extent : 0,
          .units_per_m = std::ldexp(1.0, exponent),
          .unit_m = std::ldexp(1.0, -exponent)};
}

Problem MakeProblem(const EmdPair& pair) {
  Problem problem;
  problem.size = static_cast<int>(pair.a.size());
  problem.num_boxes = (problem.size + kBoxSize - 1) / kBoxSize;
  problem.scale = ScaleOf(pair);
  problem.a = MakeSide(pair.a, problem.scale);
  problem.b = MakeSide(pair.b, problem.scale);
  return problem;
}

void CompleteMatch(std::span<std::int32_t> match_of_a) {
  std::vector<bool> taken(match_of_a.size());
  for (const std::int32_t j : match_of_a) {
    if (j >= 0) taken[j] = true;
  }
  std::int32_t free = 0;
  for (std::int32_t& j : match_of_a) {
    if (j >= 0) continue;
    while (taken[free]) ++free;
    j = free++;
  }
}

void SetMatch(const EmdPair& pair, const Scale& scale, std::span<const std::int32_t> order_a,
              std::span<const std::int32_t> order_b, std::span<const std::int32_t> match, EmdResult* result) {
  result->match_of_a.resize(match.size());
  result->match_of_b.resize(match.size());
  const auto apart = [&](float a, float b) { return double{scale.Units(a)} - double{scale.Units(b)}; };
  double sum = 0;  // units
  for (std::size_t i = 0; i < match.size(); ++i) {
    const std::int32_t from = order_a[i], to = order_b[match[i]];
    result->match_of_a[from] = to;
    result->match_of_b[to] = from;
    const Point3f &p = pair.a[from], &q = pair.b[to];
    const double dx = apart(p.x, q.x), dy = apart(p.y, q.y), dz = apart(p.z, q.z);
    sum += std::sqrt(dx * dx + dy * dy + dz * dz);
  }
  result->upper_m = sum / static_cast<double>(match.size()) * scale.unit_m;
}

}  // namespace parallax::emd
