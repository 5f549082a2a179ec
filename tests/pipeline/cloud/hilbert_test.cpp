// The curve one cell at a time, and the keys of many cells at a time.
#include "pipeline/cloud/hilbert.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

#include "pipeline/cloud/curve_order.h"
#include "pipeline/cloud/hilbert_index.h"

namespace parallax {
namespace {

TEST(HilbertIndex, LeadsThroughEveryCellToOneBesideIt) {
  constexpr int kBits = 3, kSize = 1 << kBits;
  std::map<std::uint64_t, std::array<int, 3>> cells;
  for (int i = 0; i < kSize * kSize * kSize; ++i) {
    const int x = i % kSize, y = i / kSize % kSize, z = i / (kSize * kSize);
    cells[HilbertIndex<kBits>(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                              static_cast<std::uint32_t>(z))] = {x, y, z};
  }
  ASSERT_EQ(cells.size(), 512U);
  EXPECT_EQ(cells.rbegin()->first, 511U);
  const std::array<int, 3>* before = nullptr;
  for (const auto& [place, cell] : cells) {
    if (before != nullptr) {
      int distance = 0;
      for (std::size_t k = 0; k < 3; ++k) distance += std::abs(cell[k] - (*before)[k]);
      EXPECT_EQ(distance, 1) << place;
    }
    before = &cell;
  }
}

TEST(HilbertKeys, AreThePlacesOfTheirCells) {
  constexpr int kCount = 64 * kHilbertBlock;
  alignas(64) static std::uint32_t x[kCount], y[kCount], z[kCount], keys[kCount];
  std::mt19937 random(1);
  for (int i = 0; i < kCount; ++i) {
    for (std::uint32_t* axis : {&x[i], &y[i], &z[i]})
      *axis = static_cast<std::uint32_t>(random()) % (1u << kHilbertBits);
  }
  HilbertKeys(x, y, z, kCount, keys);
  for (int i = 0; i < kCount; ++i) EXPECT_EQ(keys[i], HilbertIndex<kHilbertBits>(x[i], y[i], z[i])) << i;
}

// Length of the path through the points in this order, m. Points with an index below `first` are left out.
double PathLength_m(const std::vector<Point3f>& points, const std::vector<std::int32_t>& order,
                    std::int32_t first) {
  double sum = 0;
  const Point3f* before = nullptr;
  for (const std::int32_t i : order) {
    if (i < first) continue;
    const Point3f& point = points[static_cast<std::size_t>(i)];
    if (before != nullptr) sum += std::hypot(point.x - before->x, point.y - before->y, point.z - before->z);
    before = &point;
  }
  return sum;
}

TEST(CurveOrder, PointsOfOneCellAreOrderedWithinIt) {
  // All but one point are in one cell; a run of 40,000 is ordered by all threads, a shorter one by one thread.
  for (const int count : {2000, 40'000}) {
    std::mt19937 random(2);
    std::uniform_real_distribution<float> uniform(0, 1);
    std::vector<Point3f> points{{1e5F, 1e5F, 1e5F}};
    for (int i = 0; i < count; ++i) points.push_back({uniform(random), uniform(random), uniform(random)});
    ThreadPool threads(2);
    const std::vector<std::int32_t> order = CurveOrder(points, threads);
    ASSERT_EQ(order.size(), points.size());
    // Neighbours on the curve are about count^(-1/3) apart, points in any order 0.66.
    EXPECT_LT(PathLength_m(points, order, 1), 2 * std::pow(count, 2.0 / 3)) << count;
  }
}

}  // namespace
}  // namespace parallax
