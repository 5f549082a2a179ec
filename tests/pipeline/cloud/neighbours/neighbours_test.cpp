#include "pipeline/cloud/neighbours/neighbours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "parallax/error.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "pipeline/simd/instruction_sets.h"
#include "tests/support/cloud_cases.h"
#include "tests/support/nan.h"

namespace parallax {
namespace {

using testing::BruteForceNeighbours;
using ::testing::ElementsAre;
using testing::HardClouds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::NamedCloud;
using ::testing::NanSensitiveFloatEq;
using testing::UniformCloud;

constexpr float kUnbounded = std::numeric_limits<float>::infinity();

void ExpectSame(const Neighbours& found, const Neighbours& expected, const std::string& what) {
  ASSERT_EQ(found.k, expected.k) << what;
  ASSERT_EQ(found.indices.size(), expected.indices.size()) << what;
  ASSERT_EQ(found.distances_m.size(), expected.distances_m.size()) << what;
  std::size_t differing = 0, first = 0;
  for (std::size_t i = found.indices.size(); i-- > 0;) {
    if (found.indices[i] != expected.indices[i] || found.distances_m[i] != expected.distances_m[i]) {
      ++differing;
      first = i;
    }
  }
  EXPECT_EQ(differing, 0U) << what << ": first at row " << first / found.k << ", place " << first % found.k
                           << ": " << found.indices[first] << " at " << found.distances_m[first]
                           << " instead of " << expected.indices[first] << " at "
                           << expected.distances_m[first];
}

TEST(NeighboursTest, OfFourPointsByHand) {
  // 2 and 1 are equally far from 0: the lower index first.
  const std::vector<Point3f> points = {{0, 0, 0}, {0, 3, 4}, {5, 0, 0}, {0, 0, 1}};
  const auto measures = MakeCpuCloudMeasures(1);
  const Neighbours others = measures->NearestNeighbours(points, {.k = 4});
  EXPECT_THAT(std::vector(others.indices.begin(), others.indices.begin() + 4),
              ElementsAre(3, 1, 2, kNoNeighbour));
  EXPECT_THAT(std::vector(others.distances_m.begin(), others.distances_m.begin() + 4),
              ElementsAre(1, 5, 5, kUnbounded));
  const Neighbours with_self = measures->NearestNeighbours(points, {.k = 3, .include_self = true});
  EXPECT_THAT(std::vector(with_self.indices.begin(), with_self.indices.begin() + 3), ElementsAre(0, 3, 1));
  const std::vector<Point3f> queries = {{0, 0, 2}, {kNan, 0, 0}};
  const Neighbours of_others = measures->NearestNeighbours(points, queries, 2);
  EXPECT_THAT(of_others.indices, ElementsAre(3, 0, kNoNeighbour, kNoNeighbour));
  EXPECT_THAT(of_others.distances_m, ElementsAre(1, 2, kUnbounded, kUnbounded));
}

TEST(NeighboursTest, EqualBruteForceOnHardClouds) {
  for (const int n : {1, 2, 15, 16, 17, 33, 256, 257, 1000}) {
    for (const NamedCloud& cloud : HardClouds(n)) {
      for (const int k : {1, 5, 8, 9, 16, 64}) {
        for (const bool self : {false, true}) {
          const auto measures = MakeCpuCloudMeasures(2);
          const std::string what = cloud.name + ", " + std::to_string(n) + " points, k " + std::to_string(k);
          const NeighbourOptions options = {.k = k, .include_self = self};
          const Neighbours expected = BruteForceNeighbours(cloud.points, cloud.points, k, !self);
          ExpectSame(measures->NearestNeighbours(cloud.points, options), expected, what);
          EXPECT_THAT(measures->MeanNeighbourDistances(cloud.points, options),
                      ::testing::Pointwise(NanSensitiveFloatEq(), MeanDistances(expected)))
              << what;
        }
      }
    }
  }
}

TEST(NeighboursTest, OfOtherQueriesEqualBruteForce) {
  const auto measures = MakeCpuCloudMeasures(2);
  for (const NamedCloud& cloud : HardClouds(600)) {
    for (const NamedCloud& queries : HardClouds(150)) {
      for (const int k : {1, 10}) {
        ExpectSame(measures->NearestNeighbours(cloud.points, queries.points, k),
                   BruteForceNeighbours(cloud.points, queries.points, k, false),
                   queries.name + " among " + cloud.name);
      }
    }
  }
}

TEST(NeighboursTest, SameForEveryInstructionSetAndNumberOfThreads) {
  std::vector<std::vector<Point3f>> clouds = {UniformCloud(40000, 5), testing::SurfaceCloud(150, 130)};
  clouds.push_back(clouds[0]);  // one long run of points in one cell
  clouds.back()[1234] = {-1e6F, 0, 1e6F};
  for (const auto& cloud : clouds) {
    for (const int k : {3, 8, 40}) {
      const Neighbours expected = MakeCpuCloudMeasures(1)->NearestNeighbours(cloud, {.k = k});
      for (const int threads : {2, 3, 7}) {
        ExpectSame(MakeCpuCloudMeasures(threads)->NearestNeighbours(cloud, {.k = k}), expected,
                   std::to_string(threads) + " threads");
      }
      for (const std::string& name : cpu::InstructionSets()) {
        cpu::UseInstructionSet(name);
        ExpectSame(MakeCpuCloudMeasures(2)->NearestNeighbours(cloud, {.k = k}), expected, name);
      }
      cpu::UseInstructionSet("");
    }
  }
  // The expected answer itself, at some points of a cloud too large for brute force on all.
  const std::vector<Point3f> queries(clouds[2].begin() + 1200, clouds[2].begin() + 1300);
  ExpectSame(MakeCpuCloudMeasures(2)->NearestNeighbours(clouds[2], queries, 8),
             BruteForceNeighbours(clouds[2], queries, 8, false), "outlier");
}

TEST(NeighboursTest, ManyEqualPointsAreQuick) {
  // The k lowest other indices each: without pruning by index this would look at 4 10^10 pairs.
  const std::vector<Point3f> points(200000, Point3f{1, 2, 3});
  const Neighbours found = MakeCpuCloudMeasures(2)->NearestNeighbours(points, {.k = 3});
  for (std::size_t row = 0; row < points.size(); ++row) {
    int expected = 0;
    for (int i = 0; i < 3; ++i, ++expected) {
      if (static_cast<std::size_t>(expected) == row) ++expected;
      ASSERT_EQ(found.indices[row * 3 + i], expected) << row;
    }
  }
}

TEST(NeighboursTest, EmptyCloudsAndBadNumbers) {
  const auto measures = MakeCpuCloudMeasures(2);
  const std::vector<Point3f> none, one = {{1, 2, 3}}, not_a_number(5, Point3f{kNan, 0, 0});
  EXPECT_THAT(measures->NearestNeighbours(none, {.k = 4}).indices, IsEmpty());
  EXPECT_THAT(measures->NearestNeighbours(one, {.k = 2}).indices, ElementsAre(kNoNeighbour, kNoNeighbour));
  EXPECT_THAT(measures->NearestNeighbours(one, {.k = 2, .include_self = true}).indices,
              ElementsAre(0, kNoNeighbour));
  EXPECT_THAT(measures->NearestNeighbours(none, one, 1).distances_m, ElementsAre(kUnbounded));
  EXPECT_THAT(measures->NearestNeighbours(one, none, 1).indices, IsEmpty());
  EXPECT_THAT(measures->NearestNeighbours(not_a_number, one, 1).indices, ElementsAre(kNoNeighbour));
  EXPECT_THAT(measures->MeanNeighbourDistances(one, {.k = 2}), ElementsAre(::testing::IsNan()));
  for (const int k : {0, -3, 65}) {
    EXPECT_THAT([&] { measures->NearestNeighbours(one, {.k = k}); },
                ::testing::ThrowsMessage<InvalidArgument>(HasSubstr("must be 1 to 64")));
    EXPECT_THROW(measures->NearestNeighbours(one, one, k), InvalidArgument);
  }
  EXPECT_THROW(CheckNeighbourOptions({.k = 1}, std::size_t{1} << 31), InvalidArgument);
  EXPECT_NO_THROW(CheckNeighbourOptions({.k = 1}, (std::size_t{1} << 31) - 1));
}

TEST(NeighboursTest, MeansAndDensitiesByHand) {
  const Neighbours rows = {2,
                           {1, 2, 0, kNoNeighbour, kNoNeighbour, kNoNeighbour, 1, 0},
                           {1, 2, 3, kUnbounded, kUnbounded, kUnbounded, 0, 0}};
  EXPECT_THAT(MeanDistances(rows), ElementsAre(1.5F, 3, ::testing::IsNan(), 0));
  const float pi = std::numbers::pi_v<float>;
  EXPECT_THAT(LocalDensity(rows, DensityKind::kSurface),
              ElementsAre(::testing::FloatEq(2 / (pi * 4)), ::testing::FloatEq(1 / (pi * 9)),
                          ::testing::IsNan(), kUnbounded));
  EXPECT_THAT(LocalDensity(rows, DensityKind::kVolume),
              ElementsAre(::testing::FloatEq(2 / (pi * 4 / 3 * 8)), ::testing::FloatEq(1 / (pi * 4 / 3 * 27)),
                          ::testing::IsNan(), kUnbounded));
}

TEST(NeighboursTest, DensityOfAPlaneOfKnownDensity) {
  // 100 x 100 points 0.1 m apart: 100 points / m^2, and away from the border every r_8 is sqrt(2) 0.1 m.
  std::vector<Point3f> points;
  for (int i = 0; i < 10000; ++i)
    points.push_back({static_cast<float>(i % 100) * 0.1F, static_cast<float>(i / 100) * 0.1F, 2});
  const auto neighbours = MakeCpuCloudMeasures(2)->NearestNeighbours(points, {.k = 8});
  const std::vector<float> density = LocalDensity(neighbours, DensityKind::kSurface);
  EXPECT_NEAR(density[50 * 100 + 50], 8 / (std::numbers::pi * 0.02), 0.01);
}

}  // namespace
}  // namespace parallax
