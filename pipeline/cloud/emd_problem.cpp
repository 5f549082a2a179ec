#include "pipeline/cloud/emd_problem.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

namespace parallax::emd {
namespace {

constexpr int kKeyBits = 16;  // of each coordinate

// The index along Hilbert's curve of a cell, after Skilling 2004, "Programming the Hilbert curve".
std::uint64_t HilbertIndex(std::array<std::uint32_t, 3> cell) {
  for (std::uint32_t bit = 1u << (kKeyBits - 1); bit > 1; bit >>= 1) {
    const std::uint32_t below = bit - 1;
    for (std::uint32_t& axis : cell) {
      if (axis & bit) {
        cell[0] ^= below;
      } else {
        const std::uint32_t swap = (cell[0] ^ axis) & below;
        cell[0] ^= swap;
        axis ^= swap;
      }
    }
  }
  cell[1] ^= cell[0];
  cell[2] ^= cell[1];
  std::uint32_t gray = 0;
  for (std::uint32_t bit = 1u << (kKeyBits - 1); bit > 1; bit >>= 1) {
    if (cell[2] & bit) gray ^= bit - 1;
  }
  std::uint64_t index = 0;
  for (int bit = kKeyBits - 1; bit >= 0; --bit) {
    for (const std::uint32_t axis : cell) index = index << 1 | (((axis ^ gray) >> bit) & 1);
  }
  return index;
}

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

Side MakeSide(std::span<const Point3f> points, const Bounds& bounds, double scale) {
  const int n = static_cast<int>(points.size());
  double extent = 0;
  for (int k = 0; k < 3; ++k) extent = std::max(extent, bounds.high[k] - bounds.low[k]);
  const double cells = extent > 0 ? ((1 << kKeyBits) - 1) / extent : 0;
  const auto cell = [&](float value, int k) {
    return static_cast<std::uint32_t>((value - bounds.low[k]) * cells);
  };
  std::vector<std::uint64_t> keys(n);
  for (int i = 0; i < n; ++i) {
    keys[i] = HilbertIndex({cell(points[i].x, 0), cell(points[i].y, 1), cell(points[i].z, 2)});
  }
  Side side;
  side.order.resize(n);
  std::iota(side.order.begin(), side.order.end(), 0);
  std::sort(side.order.begin(), side.order.end(), [&](std::int32_t i, std::int32_t j) {
    const Point3f &p = points[i], &q = points[j];
    return std::tie(keys[i], p.x, p.y, p.z, i) < std::tie(keys[j], q.x, q.y, q.z, j);
  });

  const int num_boxes = (n + kBoxSize - 1) / kBoxSize;
  for (std::vector<float>* axis : {&side.x, &side.y, &side.z}) axis->resize(num_boxes * kBoxSize);
  for (int i = 0; i < num_boxes * kBoxSize; ++i) {
    const Point3f& p = points[side.order[std::min(i, n - 1)]];
    side.x[i] = static_cast<float>(p.x * scale);
    side.y[i] = static_cast<float>(p.y * scale);
    side.z[i] = static_cast<float>(p.z * scale);
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

Problem MakeProblem(const EmdPair& pair) {
  const Bounds bounds = BoundsOf(pair);
  const double diagonal_m = std::hypot(bounds.high[0] - bounds.low[0], bounds.high[1] - bounds.low[1],
                                       bounds.high[2] - bounds.low[2]);
  const int exponent = UnitExponent(diagonal_m);
  Problem problem;
  problem.size = static_cast<int>(pair.a.size());
  problem.num_boxes = (problem.size + kBoxSize - 1) / kBoxSize;
  problem.unit_m = std::ldexp(1.0, -exponent);
  problem.a = MakeSide(pair.a, bounds, std::ldexp(1.0, exponent));
  problem.b = MakeSide(pair.b, bounds, std::ldexp(1.0, exponent));
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

void SetMatch(const Problem& problem, std::span<const std::int32_t> match, EmdResult* result) {
  result->match_of_a.resize(match.size());
  result->match_of_b.resize(match.size());
  double sum = 0;
  for (std::size_t i = 0; i < match.size(); ++i) {
    const std::int32_t from = problem.a.order[i], to = problem.b.order[match[i]];
    result->match_of_a[from] = to;
    result->match_of_b[to] = from;
    sum += problem.Distance(static_cast<int>(i), match[i]);
  }
  result->upper_m = sum / static_cast<double>(match.size()) * problem.unit_m;
}

}  // namespace parallax::emd
