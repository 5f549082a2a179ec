// Depth and cloud of the device against pipeline/reprojection.
#include "pipeline/cloud/reprojection.h"

#include <limits>

#include "cuda/cloud/cuda_reprojection.h"
#include "parallax/error.h"
#include "tests/cuda/require_device.h"
#include "tests/cuda/uploaded_images.h"

namespace parallax::test {
namespace {

class CudaReprojectionTest : public CudaTest {};

// holes: a pixel in so many has no disparity; 0: none has one.
template <typename T>
void ExpectEqualCloud(int width, int height, int holes, std::uint64_t seed) {
  SweepRandom random(seed);
  HostImage<float> disparity(width, height), depth_m(width, height);
  HostImage<T> left(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      disparity(x, y) = holes == 0 || random.OneIn(holes)
                            ? std::numeric_limits<float>::quiet_NaN()
                            : static_cast<float>(random.Between(-64, 4000)) / 32.0F;
      auto* bytes = reinterpret_cast<std::uint8_t*>(&left(x, y));
      for (std::size_t i = 0; i < sizeof(T); ++i)
        bytes[i] = static_cast<std::uint8_t>(random.Between(0, 255));
    }
  }
  const StereoRig rig{.fx_px = 721.5, .cx_px = 60.25, .cy_px = 17.75, .baseline_m = 0.5372, .doffs_px = 1.5};
  const ReprojectionParameters limits{.min_depth_m = 3.5F, .max_depth_m = 80.0F};
  DepthFromDisparity(disparity.ConstView(), rig, limits, depth_m.View());
  const PointCloud cloud = CloudFromDepth(depth_m.ConstView(), left.ConstView(), rig);

  const cuda::Stream stream;
  const std::size_t num_pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const cuda::DeviceImage<float> on_device = Uploaded(disparity, stream);
  const cuda::DeviceImage<T> colors = Uploaded(left, stream);
  cuda::DeviceImage<float> made_m(width, height);
  cuda::DeviceBuffer<Point3f> points(num_pixels);
  cuda::DeviceBuffer<Rgb8> point_colors(num_pixels);
  cuda::DeviceBuffer<std::uint32_t> num_points(1), counts(cuda::NumCloudCounts(num_pixels));
  cuda::DepthFromDisparity(on_device.ConstView(), rig, limits, made_m.View(), stream.get());
  cuda::CloudFromDepth(AsConst(made_m.View()), colors.ConstView(), rig,
                       {points.data(), point_colors.data(), num_points.data(), counts.data()}, stream.get());
  EXPECT_EQ(DifferenceOf("depth", depth_m, Downloaded(made_m, stream)), "");
  std::uint32_t num = 0;
  cuda::CopyNow(&num, num_points.data(), 1, stream.get());
  ASSERT_EQ(num, cloud.size());
  PointCloud made;
  made.points.resize(num);
  made.colors.resize(num);
  cuda::CopyNow(made.points.data(), points.data(), num, stream.get());
  cuda::CopyNow(made.colors.data(), point_colors.data(), num, stream.get());
  EXPECT_TRUE(made.points == cloud.points);
  EXPECT_TRUE(made.colors == cloud.colors);
}

// Sizes next to what a warp, a block, and a round of the sum over blocks hold.
TEST_F(CudaReprojectionTest, EqualsTheCpu) {
  std::uint64_t seed = 0;
  for (const auto& [width, height] :
       {std::pair(1, 1), {31, 1}, {33, 1}, {64, 16}, {1025, 1}, {301, 7}, {123, 45}, {1242, 375}}) {
    for (const int holes : {0, 2, 4, 1'000'000}) {
      ExpectEqualCloud<std::uint8_t>(width, height, holes, ++seed);
      ExpectEqualCloud<std::uint16_t>(width, height, holes, ++seed);
      ExpectEqualCloud<Rgb8>(width, height, holes, ++seed);
    }
  }
  ExpectEqualCloud<std::uint8_t>(1024, 1025, 3, ++seed);  // more blocks than a round adds up
}

TEST_F(CudaReprojectionTest, RefusesARigWithoutBaseline) {
  EXPECT_THROW(cuda::DepthFromDisparity({}, StereoRig{.fx_px = 700}, {}, {}, nullptr), InvalidArgument);
}

}  // namespace
}  // namespace parallax::test
