#include "cuda/filters/median.h"

#include "pipeline/reference/stages.h"
#include "tests/cuda/require_device.h"
#include "tests/cuda/uploaded_images.h"

namespace parallax::test {
namespace {

class CudaMedianTest : public CudaTest {};

TEST_F(CudaMedianTest, EqualsTheReference) {
  ThreadPool threads(1);
  const cuda::Stream stream;
  for (int number = 0; number < 40; ++number) {
    SweepRandom random(static_cast<std::uint64_t>(number) + 1);
    const auto [width, height] = RandomSize(number, random);
    const int side = number % 2 == 0 ? 3 : 5;
    DisparityMap expected = RandomMap(width, height, random);
    const auto from = Uploaded(expected.disparity, stream);
    reference::MedianFilter(side, expected, threads);
    cuda::DeviceImage<float> to(width, height);
    cuda::MedianFilter(side, from.ConstView(), to.View(), stream.get());
    EXPECT_EQ(DifferenceOf("median", expected.disparity, Downloaded(to, stream)), "") << "case " << number;
  }
}

}  // namespace
}  // namespace parallax::test
