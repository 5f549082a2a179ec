// Clouds for tests of the earth mover's distance, with the exact values that
// scipy.optimize.linear_sum_assignment gives for them, and what every answer must satisfy.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pipeline/cloud/emd/emd.h"

namespace parallax::test {

// 24 bits a draw of Knuth's 64-bit linear congruential generator, in [0, 1): the same in every language.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  std::uint32_t Bits() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 40);
  }
  float Unit() { return static_cast<float>(Bits()) / (1 << 24); }

 private:
  std::uint64_t state_;
};

inline std::vector<Point3f> EmdCloud(const std::string& kind, int n, int seed) {
  Draws draws(static_cast<std::uint64_t>(seed));
  std::vector<Point3f> points;
  for (int i = 0; i < n; ++i) {
    std::array<float, 3> p;
    for (float& value : p) value = draws.Unit();
    if (kind == "shell") {  // of a cube
      const std::uint32_t face = draws.Bits() % 6;
      p[face / 2] = static_cast<float>(face % 2);
    } else if (kind == "clusters") {
      const int c = static_cast<int>(draws.Bits() % 5);
      p = {static_cast<float>(c) + p[0] / 16, static_cast<float>(c * 3 % 5) + p[1] / 16,
           static_cast<float>(c * 2 % 5) + p[2] / 16};
    } else if (kind == "duplicates") {
      for (float& value : p) value = std::floor(value * 4);
    } else if (kind == "line") {
      p = {p[0], p[0], p[0]};
    } else if (kind == "disjoint") {
      p[0] += static_cast<float>(seed);
    } else if (kind == "far") {
      p = {p[0] * 64 + 100000, p[1] * 64, p[2] * 64};
    }
    points.push_back({p[0], p[1], p[2]});
  }
  return points;
}

struct EmdTruth {
  const char* kind;
  double mean_m;  // of EmdCloud(kind, 500, 1) and EmdCloud(kind, 500, 4), by scipy 1.10
};
inline constexpr EmdTruth kEmdTruths[] = {
    {"uniform", 0.0983667844394},   {"shell", 0.101944096447}, {"clusters", 0.21827814181},
    {"duplicates", 0.243115629062}, {"line", 0.0151390003611}, {"disjoint", 2.99887813818},
    {"far", 6.29544657969},
};

// time_limit_s: after which an answer without the gap is to come; a test of it fails then and does not hang.
inline EmdOptions EmdWithGap(double gap, double time_limit_s = EmdOptions{}.time_limit_s) {
  EmdOptions options;
  options.gap = gap;
  options.time_limit_s = time_limit_s;
  return options;
}

// Both matches are bijections and each other's inverse, the upper end is their mean distance, the interval is
// in order.
inline void ExpectSoundEmd(const EmdPair& pair, const EmdResult& result) {
  const std::size_t n = pair.a.size();
  ASSERT_EQ(result.match_of_a.size(), n);
  ASSERT_EQ(result.match_of_b.size(), n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t j = result.match_of_a[i];
    ASSERT_GE(j, 0) << i;
    ASSERT_LT(j, static_cast<std::int32_t>(n)) << i;
    ASSERT_EQ(result.match_of_b[j], static_cast<std::int32_t>(i));
    sum += std::hypot(static_cast<double>(pair.a[i].x) - pair.b[j].x,
                      static_cast<double>(pair.a[i].y) - pair.b[j].y,
                      static_cast<double>(pair.a[i].z) - pair.b[j].z);
  }
  EXPECT_NEAR(result.upper_m, sum / static_cast<double>(n), 1e-12 * result.upper_m);
  EXPECT_GE(result.lower_m, 0);
  EXPECT_LE(result.lower_m, result.upper_m);
}

// The interval also holds the exact value (known to 1e-11, relative).
inline void ExpectEmdHolds(const EmdPair& pair, const EmdResult& result, double exact_m) {
  ExpectSoundEmd(pair, result);
  EXPECT_LE(result.lower_m, exact_m * (1 + 1e-11));
  EXPECT_GE(result.upper_m, exact_m * (1 - 1e-11));
}

// Two points alone are next to nothing beside the extent of the rest, which is at rest. solve(a, b, options)
// gives the result of a back end, here and below.
template <typename Solve>
void ExpectEmdEndsAtItsResolution(const Solve& solve) {
  auto a = EmdCloud("uniform", 200, 5);
  a.push_back({1e7f, 0, 0});
  auto b = a;
  b[7].x += 1e-3f;
  std::reverse(b.begin(), b.end());
  const EmdResult result = solve(a, b, EmdWithGap(1e-4, 20));
  ExpectEmdHolds({a, b}, result, ExactEmd({a, b}).upper_m);
  EXPECT_EQ(result.stop, EmdStop::kResolution);
}

template <typename Solve>
void ExpectEmdStopsAtItsLimitsWithABijection(const Solve& solve) {
  const auto a = EmdCloud("uniform", 2000, 2), b = EmdCloud("uniform", 2000, 3);
  const double exact_m = ExactEmd({a, b}).upper_m;
  EmdOptions options = EmdWithGap(1e-4, 20);
  for (const std::int64_t rounds : {1, 2, 5, 20, 60}) {
    options.max_rounds = rounds;
    const EmdResult result = solve(a, b, options);
    ExpectEmdHolds({a, b}, result, exact_m);
    EXPECT_EQ(result.stop, EmdStop::kRounds);
    EXPECT_EQ(result.rounds, rounds);
  }
  options.max_rounds = 0;
  options.time_limit_s = 1e-6;
  const EmdResult result = solve(a, b, options);
  ExpectEmdHolds({a, b}, result, exact_m);
  EXPECT_EQ(result.stop, EmdStop::kTime);
}

}  // namespace parallax::test
