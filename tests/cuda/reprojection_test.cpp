// Depth and cloud of the device against pipeline/reprojection.
#include "pipeline/reprojection.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <limits>

#include "cuda/device/device_image.h"
#include "cuda/reprojection.h"
#include "tests/cuda/require_device.h"
#include "tests/support/matcher_sweep.h"

namespace parallax::test {
namespace {

class CudaReprojectionTest : public CudaTest {};

template <typename T>
void ExpectEqualCloud(int width, int height, std::uint64_t seed) {
  SweepRandom random(seed);
  HostImage<float> disparity(width, height), depth(width, height), device_depth(width, height);
  HostImage<T> left(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      disparity(x, y) = random.OneIn(4) ? std::numeric_limits<float>::quiet_NaN()
                                        : static_cast<float>(random.Between(-64, 4000)) / 32.0F;
      std::fill_n(reinterpret_cast<std::uint8_t*>(&left(x, y)), sizeof(T),
                  static_cast<std::uint8_t>(random.Between(0, 255)));
    }
  }
  const StereoRig rig{.fx_px = 721.5, .cx_px = 60.25, .cy_px = 17.75, .baseline_m = 0.5372, .doffs_px = 1.5};
  const ReprojectionParameters limits{.min_depth_m = 3.5F, .max_depth_m = 80.0F};
  DepthFromDisparity(disparity.ConstView(), rig, limits, depth.View());
  const CameraImage image(std::move(left));
  const PointCloud cloud = CloudFromDepth(depth.ConstView(), ViewOf(image), rig);

  const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  cuda::DeviceImage<float> d(width, height), z(width, height);
  cuda::DeviceImage<T> colors(width, height);
  cuda::DeviceBuffer<Point3f> points(count);
  cuda::DeviceBuffer<Rgb8> point_colors(count);
  cuda::DeviceBuffer<std::uint32_t> num_points(1);
  cuda::DeviceBuffer<std::byte> scratch(cuda::CloudScratchBytes(width, height));
  cuda::UploadAsync(disparity.ConstView(), d.View(), stream);
  cuda::UploadAsync(std::get<HostImage<T>>(image).ConstView(), colors.View(), stream);
  cuda::DepthFromDisparity(d.ConstView(), rig, limits, z.View(), stream);
  cuda::CloudInput input{.depth = z.ConstView(), .gray = {}, .gray16 = {}, .color = {}};
  if constexpr (std::is_same_v<T, std::uint8_t>) input.gray = colors.ConstView();
  if constexpr (std::is_same_v<T, std::uint16_t>) input.gray16 = colors.ConstView();
  if constexpr (std::is_same_v<T, Rgb8>) input.color = colors.ConstView();
  cuda::CloudFromDepth(input, rig, {points.data(), point_colors.data(), num_points.data(), scratch.data()},
                       stream);
  cuda::DownloadAsync(z.ConstView(), device_depth.View(), stream);
  std::uint32_t num = 0;
  ASSERT_EQ(cudaMemcpyAsync(&num, num_points.data(), sizeof(num), cudaMemcpyDeviceToHost, stream),
            cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(DifferenceOf("depth", depth, device_depth), "");
  ASSERT_EQ(num, cloud.size());
  PointCloud actual;
  actual.points.resize(num);
  actual.colors.resize(num);
  ASSERT_EQ(cudaMemcpyAsync(actual.points.data(), points.data(), num * sizeof(Point3f),
                            cudaMemcpyDeviceToHost, stream),
            cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(actual.colors.data(), point_colors.data(), num * sizeof(Rgb8),
                            cudaMemcpyDeviceToHost, stream),
            cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_TRUE(actual.points == cloud.points);
  EXPECT_TRUE(actual.colors == cloud.colors);
  cudaStreamDestroy(stream);
}

TEST_F(CudaReprojectionTest, EqualsTheCpu) {
  ExpectEqualCloud<std::uint8_t>(123, 45, 1);
  ExpectEqualCloud<std::uint16_t>(1, 1, 2);
  ExpectEqualCloud<std::uint16_t>(301, 7, 3);
  ExpectEqualCloud<Rgb8>(64, 64, 4);
}

TEST_F(CudaReprojectionTest, RefusesARigWithoutBaseline) {
  EXPECT_THROW(cuda::DepthFromDisparity({}, StereoRig{.fx_px = 700}, {}, {}, nullptr), InvalidArgument);
}

}  // namespace
}  // namespace parallax::test
