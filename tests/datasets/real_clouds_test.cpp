// Measures of clouds on real ones: the truth of a frame, and what the cpu back end makes of the frame.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "datasets/source.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "pipeline/cloud/reprojection.h"
#include "pipeline/cpu/cpu_matcher.h"
#include "tests/datasets/test_files.h"
#include "tests/support/emd_clouds.h"
#include "tests/support/plain_parameters.h"

namespace parallax {
namespace {

std::vector<Point3f> Drawn(HostImageView<const float> disparity, const StereoFrame& frame, int count) {
  HostImage<float> depth(disparity.width, disparity.height);
  DepthFromDisparity(disparity, *frame.rig, {}, depth.View());
  const PointCloud cloud = CloudFromDepth(depth.ConstView(), ViewOf(frame.left), *frame.rig);
  std::vector<Point3f> points;
  for (const std::int32_t i : SampleIndices(static_cast<std::int64_t>(cloud.size()), count, 1))
    points.push_back(cloud.points[static_cast<std::size_t>(i)]);
  return points;
}

TEST(RealClouds, TheIntervalOfTheEmdHoldsTheExactValue) {
  PARALLAX_NEEDS_REAL_DATA()
  for (const std::string folder : {"kitti2015", "eth3d"}) {
    SCOPED_TRACE(folder);
    const auto source = OpenSource({(test::RealData() / folder).string()}, {.kind = "", .with_truth = true});
    ASSERT_TRUE(source->NextName());
    const StereoFrame frame = source->Read();
    ASSERT_TRUE(frame.rig && frame.truth);
    const auto matcher = MakeCpuMatcher(test::PlainParameters(), {.width = WidthOf(ViewOf(frame.left)),
                                                                  .height = HeightOf(ViewOf(frame.left))});
    DisparityMap estimate;
    matcher->Compute(ViewOf(frame.left), ViewOf(frame.right), estimate);

    const std::vector<Point3f> a = Drawn(estimate.disparity.ConstView(), frame, 1501);
    const std::vector<Point3f> b = Drawn(frame.truth->disparity.ConstView(), frame, 1501);
    const EmdPair pair{a, b};
    const double exact_m = ExactEmd(pair).upper_m;
    EXPECT_GT(exact_m, 0.01);
    for (const double gap : {0.02, 0.005, 0.001}) {
      const auto result = MakeCpuCloudMeasures(2)->EarthMoversDistances({&pair, 1}, {.gap = gap});
      test::ExpectEmdHolds(pair, result.front(), exact_m);
      EXPECT_LE(result.front().upper_m - result.front().lower_m, gap * result.front().upper_m);
    }
  }
}

}  // namespace
}  // namespace parallax
