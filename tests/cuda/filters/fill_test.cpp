#include "cuda/filters/fill.h"

#include "pipeline/reference/stages.h"
#include "tests/cuda/require_device.h"
#include "tests/cuda/uploaded_images.h"

namespace parallax::test {
namespace {

class CudaFillTest : public CudaTest {};

TEST_F(CudaFillTest, EqualsTheReference) {
  ThreadPool threads(1);
  const cuda::Stream stream;
  for (int number = 0; number < 40; ++number) {
    SweepRandom random(static_cast<std::uint64_t>(number) + 1);
    const auto [width, height] = RandomSize(number, random);
    DisparityMap expected = RandomMap(width, height, random);
    if (number % 4 == 3) {  // few values: a second pass has work to do
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          if (random.OneIn(200)) continue;
          expected.disparity(x, y) = std::numeric_limits<float>::quiet_NaN();
          expected.validity(x, y) = random.OneOf(kOccluded, kMismatched);
        }
      }
    }
    UploadedMap map(expected, stream);
    reference::FillHoles(expected, threads);
    cuda::DeviceBuffer<std::uint32_t> has_value(cuda::NumFillWords(width, height)), holes_left(2), counter(1);
    std::uint32_t count = 1;
    cuda::Check(cudaMemcpyAsync(counter.data(), &count, sizeof(count), cudaMemcpyDefault, stream.get()),
                "cudaMemcpyAsync");
    cuda::FillHoles({has_value.data(), holes_left.data(), counter.data()}, map.View(), stream.get());
    cuda::Check(cudaMemcpyAsync(&count, counter.data(), sizeof(count), cudaMemcpyDefault, stream.get()),
                "cudaMemcpyAsync");
    EXPECT_EQ(DifferenceOf("fill", expected, map.Download(stream)), "") << "case " << number;
    EXPECT_EQ(count, 0U);
  }
}

}  // namespace
}  // namespace parallax::test
