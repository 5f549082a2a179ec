#include "cuda/ad_census/cuda_ad_census_matching_cost.h"

#include "tests/cuda/ad_census/reference_frame.h"
#include "tests/cuda/require_device.h"

namespace parallax::test {
namespace {

class CudaAdCensusMatchingCostTest : public CudaTest {};

TEST_F(CudaAdCensusMatchingCostTest, EqualsTheReference) {
  namespace device = cuda::ad_census;
  const cuda::Stream stream;
  for (int number = 0; number < kNumReferenceFrames; ++number) {
    ReferenceFrame frame(number, stream);
    const AdCensusTables tables = MakeAdCensusTables(frame.parameters);
    cuda::DeviceBuffer<std::uint16_t> costs_of(device::kNumColorCosts + device::kNumCensusCosts);
    cuda::CopyNow(costs_of.data(), tables.color_cost.data(), device::kNumColorCosts, stream.get());
    cuda::CopyNow(costs_of.data() + device::kNumColorCosts, tables.census_cost.data(),
                  device::kNumCensusCosts, stream.get());
    auto costs = frame.EmptyVolume();
    device::MatchingCost(frame.views(), frame.shape, frame.parameters.ad_census.color_difference,
                         {costs_of.data(), tables.outside_cost}, costs.data(), stream.get());
    EXPECT_EQ(frame.DifferenceOfVolume("costs", costs), "") << "case " << number;
  }
}

}  // namespace
}  // namespace parallax::test
