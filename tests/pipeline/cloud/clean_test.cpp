#include "parallax/cloud_measures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "parallax/error.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "tests/support/cloud_cases.h"
#include "tests/support/nan.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

std::vector<Point3f> OnALine(std::initializer_list<float> places) {
  std::vector<Point3f> points;
  for (const float x : places) points.push_back({x, 0, 0});
  return points;
}

class CleanTest : public ::testing::Test {
 protected:
  std::vector<std::int32_t> Statistical(const std::vector<Point3f>& points, int num_neighbours, double ratio,
                                        OutlierConvention convention) {
    return KeepStatisticalInliers(points, {num_neighbours, ratio, convention}, *measures_);
  }
  std::unique_ptr<CloudMeasures> measures_ = MakeCpuCloudMeasures(2);
};

TEST_F(CleanTest, StatisticalOutliersByHand) {
  // Distances to the nearest other: 1 1 1 1 7: mean 2.2, deviation sqrt(7.2) = 2.683.
  const std::vector<Point3f> line = OnALine({0, 1, 2, 3, 10});
  EXPECT_THAT(Statistical(line, 1, 1.0, OutlierConvention::kPcl), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Statistical(line, 1, 1.78, OutlierConvention::kPcl), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Statistical(line, 1, 1.79, OutlierConvention::kPcl), ElementsAre(0, 1, 2, 3, 4));
  // Open3D's 2 neighbours are the point and the nearest other: all distances and the limit halved.
  EXPECT_THAT(Statistical(line, 2, 1.78, OutlierConvention::kOpen3d), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Statistical(line, 2, 1.79, OutlierConvention::kOpen3d), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(CleanTest, ALimitThatIsReachedKeepsForPclAndRemovesForOpen3d) {
  const std::vector<Point3f> even = OnALine({0, 1, 2, 3});  // all distances 1, deviation 0
  EXPECT_THAT(Statistical(even, 1, 1.0, OutlierConvention::kPcl), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Statistical(even, 2, 1.0, OutlierConvention::kOpen3d), IsEmpty());
}

// The square of its distance is infinite, which must not make the others' mean so.
TEST_F(CleanTest, APointBeyondSinglePrecisionIsAnOutlierAndNoMore) {
  const std::vector<Point3f> line = OnALine({0, 1, 2, 3, 10, 3e38F});
  EXPECT_THAT(Statistical(line, 1, 1.78, OutlierConvention::kPcl), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Statistical(line, 1, 1.79, OutlierConvention::kPcl), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(CleanTest, TheConventionsDifferOnDuplicates) {
  const std::vector<Point3f> line = OnALine({0, 0, 1, 2, 3});
  // Distances 0 0 1 1 1: mean 0.6, deviation 0.548: all within 1.148.
  EXPECT_THAT(Statistical(line, 1, 1.0, OutlierConvention::kPcl), ElementsAre(0, 1, 2, 3, 4));
  // Open3D: 0 0 .5 .5 .5: mean 0.3, deviation sqrt(3 * 0.04 / 4) = 0.173 without the zeros.
  EXPECT_THAT(Statistical(line, 2, 1.15, OutlierConvention::kOpen3d), IsEmpty());
  EXPECT_THAT(Statistical(line, 2, 1.16, OutlierConvention::kOpen3d), ElementsAre(2, 3, 4));
}

TEST_F(CleanTest, StatisticalOutliersOfSmallAndBadClouds) {
  for (const auto convention : {OutlierConvention::kPcl, OutlierConvention::kOpen3d}) {
    EXPECT_THAT(Statistical({}, 5, 1, convention), IsEmpty());
    EXPECT_THAT(Statistical({{1, 2, 3}}, 5, 1, convention), IsEmpty());
  }
  // A point that is not finite goes and leaves the others' statistics alone.
  std::vector<Point3f> line = OnALine({0, 1, 2, 3, 10});
  line.insert(line.begin() + 1, Point3f{kNan, 0, 0});
  EXPECT_THAT(Statistical(line, 1, 1.79, OutlierConvention::kPcl), ElementsAre(0, 2, 3, 4, 5));
  EXPECT_THAT([&] { Statistical(line, 65, 1, OutlierConvention::kPcl); },
              ThrowsMessage<InvalidArgument>(HasSubstr("neighbours is 65: must be 1 to 64")));
  EXPECT_THROW(Statistical(line, 0, 1, OutlierConvention::kPcl), InvalidArgument);
  EXPECT_THROW(Statistical(line, 1, 0, OutlierConvention::kPcl), InvalidArgument);
  EXPECT_THROW(Statistical(line, 1, kNan, OutlierConvention::kPcl), InvalidArgument);
}

TEST_F(CleanTest, FindsWhatWasAddedToASurface) {
  std::vector<Point3f> points = testing::SurfaceCloud(60, 50);
  const auto clean = static_cast<std::int32_t>(points.size());
  for (int i = 0; i < 10; ++i) points.push_back({static_cast<float>(i), 20, 30});
  for (const auto convention : {OutlierConvention::kPcl, OutlierConvention::kOpen3d}) {
    const auto kept = Statistical(points, 20, 3, convention);
    EXPECT_LT(kept.back(), clean);
    EXPECT_GT(static_cast<double>(kept.size()), 0.9 * clean);
  }
  const auto kept = KeepRadiusInliers(points, {.radius_m = 0.9, .min_neighbours = 4}, *measures_);
  EXPECT_LT(kept.back(), clean);
  EXPECT_GT(static_cast<double>(kept.size()), 0.9 * clean);
}

TEST_F(CleanTest, RadiusOutliersByHand) {
  const std::vector<Point3f> line = OnALine({0, 1, 2, 4, 4, kNan});
  const auto keep = [&](double radius, int number) {
    return KeepRadiusInliers(line, {radius, number}, *measures_);
  };
  EXPECT_THAT(keep(1, 1), ElementsAre(0, 1, 2, 3, 4));  // at the radius itself counts; a duplicate counts
  EXPECT_THAT(keep(0.99, 1), ElementsAre(3, 4));
  EXPECT_THAT(keep(1, 2), ElementsAre(1));
  EXPECT_THAT(keep(2, 2), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(keep(2, 3), ElementsAre(2));
  EXPECT_THAT(keep(100, 5), IsEmpty());
  EXPECT_THROW(keep(0, 1), InvalidArgument);
  EXPECT_THROW(keep(1, 0), InvalidArgument);
}

TEST_F(CleanTest, VoxelsByHand) {
  PointCloud cloud;
  cloud.points = {{0.9F, 0, 0}, {-0.1F, 0, 0}, {0.1F, 0, 0}, {kNan, 0, 0}, {0.6F, 0, 0}, {1, 0, 0}};
  cloud.colors = {{10, 0, 0}, {20, 0, 0}, {11, 1, 0}, {99, 0, 0}, {13, 0, 255}, {30, 0, 0}};
  // Voxel 0: 0.9, 0.1, 0.6, mean 0.533; voxel -1: -0.1; voxel 1: 1.
  EXPECT_THAT(KeepOnePerVoxel(cloud.points, 1), ElementsAre(1, 4, 5));
  const PointCloud means = MeansOfVoxels(cloud, 1);
  ASSERT_EQ(means.size(), 3U);
  EXPECT_FLOAT_EQ(means.points[0].x, 1.6F / 3);
  EXPECT_EQ(means.points[1], cloud.points[1]);
  EXPECT_EQ(means.points[2], cloud.points[5]);
  EXPECT_THAT(means.colors, ElementsAre(Rgb8{11, 0, 85}, Rgb8{20, 0, 0}, Rgb8{30, 0, 0}));
  cloud.colors.clear();
  EXPECT_THAT(MeansOfVoxels(cloud, 1).colors, IsEmpty());
  EXPECT_THAT(KeepOnePerVoxel({}, 1), IsEmpty());
  EXPECT_THAT(KeepOnePerVoxel(OnALine({5.25F, 5, 5.5F}), 1), ElementsAre(0));
  // Along each axis the second of three is the nearest to the mean.
  EXPECT_THAT(KeepOnePerVoxel(OnALine({0.1F, 0.6F, 0.9F}), 1), ElementsAre(1));
  EXPECT_THAT(KeepOnePerVoxel(std::vector<Point3f>{{0, 0.1F, 0}, {0, 0.6F, 0}, {0, 0.9F, 0}}, 1),
              ElementsAre(1));
  EXPECT_THAT(KeepOnePerVoxel(std::vector<Point3f>{{0, 0, 0.1F}, {0, 0, 0.6F}, {0, 0, 0.9F}}, 1),
              ElementsAre(1));
  EXPECT_THAT(KeepOnePerVoxel(OnALine({5, 5, 5}), 1), ElementsAre(0));  // equals: the lowest index
}

TEST_F(CleanTest, EveryPointIsInItsVoxel) {
  const std::vector<Point3f> points = testing::UniformCloud(5000, 3);
  const auto kept = KeepOnePerVoxel(points, 0.125F);
  EXPECT_EQ(kept.size(), 512U);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_EQ(MeansOfVoxels({points, {}}, 0.125F).size(), 512U);
}

TEST_F(CleanTest, BadVoxels) {
  EXPECT_THROW(KeepOnePerVoxel(OnALine({1}), 0), InvalidArgument);
  EXPECT_THROW(KeepOnePerVoxel(OnALine({1}), kNan), InvalidArgument);
  EXPECT_THAT(
      [] {
        KeepOnePerVoxel(OnALine({1, 1e9F}), 0.1F);
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("use larger voxels")));
  EXPECT_THROW(MeansOfVoxels({OnALine({1, 2}), {Rgb8{}}}, 1), InvalidArgument);
}

TEST_F(CleanTest, SelectsInTheOrderAskedFor) {
  const PointCloud cloud = {OnALine({0, 1, 2}), {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}};
  const std::vector<std::int32_t> indices = {2, 0, 2};
  const PointCloud selected = Select(cloud, indices);
  EXPECT_EQ(selected.points, OnALine({2, 0, 2}));
  EXPECT_THAT(selected.colors, ElementsAre(Rgb8{2, 2, 2}, Rgb8{0, 0, 0}, Rgb8{2, 2, 2}));
  EXPECT_THAT(Select({cloud.points, {}}, indices).colors, IsEmpty());
  for (const std::int32_t bad : {-1, 3}) {
    EXPECT_THAT([&] { Select(cloud, std::vector{bad}); },
                ThrowsMessage<InvalidArgument>(HasSubstr("in a cloud of 3")));
  }
}

}  // namespace
}  // namespace parallax
