// A pair of clouds in the auction's form: integer costs, points in the order of a space-filling curve, in
// boxes of 32.
//
// Costs. Coordinates are multiplied by a power of two that takes the diagonal of both clouds' common bounding
// box to (2^23, 2^24] units, which is exact, and the cost of a pair is its distance in units, computed in
// float and cut to an integer: sums of costs and prices are then exact in any order, and
//   cost <= distance * (1 + 2^-21),  distance * (1 - 2^-21) < cost + 1.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/cloud/emd/emd.h"
#include "pipeline/cloud/emd/emd_schedule.h"

namespace parallax::emd {

// One cloud in curve order. Arrays of points are padded to whole boxes with copies of the last point, arrays
// of boxes to a multiple of 16 with copies of the last box.
struct Side {
  std::vector<std::int32_t> order;                                 // index in the input of every point
  std::vector<float> x, y, z;                                      // units
  std::vector<float> low_x, low_y, low_z, high_x, high_y, high_z;  // of boxes
};

// Converts metres to units, and to cells of the curve: 2^kCurveBits along the longest side of their box.
inline constexpr int kCurveBits = 16;
struct Scale {
  std::array<double, 3> low_m = {};                     // corner of the box
  double cells_per_m = 0, units_per_m = 1, unit_m = 1;  // units: a power of two
  float Units(float value_m) const { return static_cast<float>(value_m * units_per_m); }
};
Scale ScaleOf(const EmdPair& pair);

struct Problem {
  int size = 0, num_boxes = 0;
  Scale scale;
  Side a, b;

  // The cost of a's point i and b's point j, in curve order; units.
  std::int32_t Cost(int i, int j) const {
    const float dx = a.x[i] - b.x[j], dy = a.y[i] - b.y[j], dz = a.z[i] - b.z[j];
    return static_cast<std::int32_t>(std::sqrt(dx * dx + dy * dy + dz * dz));
  }
  // The distance itself, units.
  double Distance(int i, int j) const {
    const double dx = static_cast<double>(a.x[i]) - b.x[j], dy = static_cast<double>(a.y[i]) - b.y[j],
                 dz = static_cast<double>(a.z[i]) - b.z[j];
    return std::sqrt(dx * dx + dy * dy + dz * dz);
  }
};

// The pair must be valid (CheckEmdInput). Points in cells of equal key are ordered by their coordinates, so
// the result does not depend on the order of the input.
Problem MakeProblem(const EmdPair& pair);

// The power of two by which coordinates are multiplied. diagonal_m 0: 1.
int UnitExponent(double diagonal_m);

// How much a value (cost + price, prices >= 0, the smallest over all objects) can exceed the smallest true
// distance + price. A lower bound must subtract it because costs are rounded.
inline std::int32_t RoundingOfValue(std::int32_t value) { return (value >> (kUnitBits - 4)) + 1; }

// Completes match_of_a (curve order to curve order, -1 = none) to a bijection: free points of both sides are
// matched in the order of the curve.
void CompleteMatch(std::span<std::int32_t> match_of_a);

// Fills upper_m and both matches of result from a match in curve order; order_a, order_b: Side::order.
void SetMatch(const EmdPair& pair, const Scale& scale, std::span<const std::int32_t> order_a,
              std::span<const std::int32_t> order_b, std::span<const std::int32_t> match, EmdResult* result);

}  // namespace parallax::emd
