#include "cuda/ad_census/cross_aggregation.h"

#include "tests/cuda/ad_census/reference_frame.h"
#include "tests/cuda/require_device.h"

namespace parallax::test {
namespace {

class CudaCrossAggregationTest : public CudaTest {};

TEST_F(CudaCrossAggregationTest, EqualsTheReference) {
  const cuda::Stream stream;
  for (int number = 0; number < kNumReferenceFrames; ++number) {
    ReferenceFrame frame(number, stream);
    auto costs = frame.UploadedVolume("costs");
    auto other = frame.EmptyVolume(), sizes = frame.EmptyVolume(), more_sizes = frame.EmptyVolume();
    cuda::DeviceBuffer<float> reciprocals(frame.shape.num_pixels()),
        more_reciprocals(frame.shape.num_pixels());
    const cuda::ad_census::RegionSizes regions{{sizes.data(), more_sizes.data()},
                                               {reciprocals.data(), more_reciprocals.data()}};
    cuda::ad_census::SizesMade made;
    cuda::ad_census::Fork fork;
    const AdCensusParameters& parameters = frame.parameters.ad_census;
    cuda::ad_census::MakeRegionSizes(frame.views(), frame.shape, parameters, regions, made, stream.get());
    const std::uint16_t* means =
        cuda::ad_census::AggregateOverCrosses(frame.views(), frame.shape, parameters, costs.data(),
                                              other.data(), regions, made, fork, stream.get());
    EXPECT_EQ(frame.DifferenceOfVolume("aggregated", means == costs.data() ? costs : other), "")
        << "case " << number;
  }
}

}  // namespace
}  // namespace parallax::test
