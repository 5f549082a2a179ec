#include "cuda/filters/cuda_speckle.h"

#include "pipeline/reference/stages.h"
#include "tests/cuda/require_device.h"
#include "tests/cuda/uploaded_images.h"

namespace parallax::test {
namespace {

class CudaSpeckleTest : public CudaTest {};

TEST_F(CudaSpeckleTest, EqualsTheReference) {
  const cuda::Stream stream;
  for (int number = 0; number < 40; ++number) {
    SweepRandom random(static_cast<std::uint64_t>(number) + 1);
    const auto [width, height] = RandomSize(number, random);
    FilterParameters parameters;
    parameters.speckle_size = random.OneOf(0, 1, 2, 10, 100, 5000);
    parameters.speckle_range = random.OneOf(0.0F, 0.25F, 1.0F, 1024.0F);
    DisparityMap expected = RandomMap(width, height, random);
    UploadedMap map(expected, stream);
    reference::RemoveSpeckles(parameters, expected);
    cuda::DeviceImage<std::uint32_t> labels(width, height), sizes(width, height);
    cuda::RemoveSpeckles(parameters, {labels.View(), sizes.View()}, map.View(), stream.get());
    EXPECT_EQ(DifferenceOf("speckle", expected, map.Download(stream)), "") << "case " << number;
  }
}

}  // namespace
}  // namespace parallax::test
