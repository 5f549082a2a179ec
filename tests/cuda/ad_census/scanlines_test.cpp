#include "cuda/ad_census/scanlines.h"

#include "tests/cuda/ad_census/reference_frame.h"
#include "tests/cuda/require_device.h"

namespace parallax::test {
namespace {

class CudaScanlinesTest : public CudaTest {};

TEST_F(CudaScanlinesTest, EqualTheReference) {
  const cuda::Stream stream;
  for (int number = 0; number < kNumReferenceFrames; ++number) {
    ReferenceFrame frame(number, stream);
    if (!frame.parameters.ad_census.scanlines) continue;
    const auto costs = frame.UploadedVolume("aggregated");
    auto rows = frame.EmptyVolume(), columns = frame.EmptyVolume();
    const cuda::ad_census::PathSums sums =
        cuda::ad_census::OptimizeScanlines(frame.views(), frame.shape, MakeAdCensusTables(frame.parameters),
                                           costs.data(), rows.data(), columns.data(), stream.get());
    const auto& expected = frame.Stage<HostCostVolume<std::uint16_t>>("sums");
    HostCostVolume<std::uint16_t> made(frame.shape.width, frame.shape.height, frame.shape.num_disparities);
    cuda::DeviceCostVolume<std::uint16_t> there(frame.shape.width, frame.shape.height,
                                                frame.shape.num_disparities);
    cuda::ad_census::AddPathSums(sums, frame.shape, there.View(), stream.get());
    cuda::CopyNow(made.View().data, there.data(), there.size(), stream.get());
    EXPECT_EQ(DifferenceOf("sums", expected, made), "") << "case " << number;
  }
}

}  // namespace
}  // namespace parallax::test
