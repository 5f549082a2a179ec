#include "cuda/ad_census/cuda_ad_census_refinement.h"

#include <functional>
#include <optional>

#include "tests/cuda/ad_census/reference_frame.h"
#include "tests/cuda/require_device.h"

namespace parallax::test {
namespace {

using cuda::ad_census::Refinement;

class CudaAdCensusRefinementTest : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (!IsSkipped()) stream_.emplace();
  }
  // Each step by itself makes, of what the reference has before it, what the reference has after it.
  void ExpectStep(const std::string& before, const std::string& after,
                  const std::function<void(Refinement&, const cuda::DeviceDisparityMap&)>& step) {
    for (int number = 0; number < kNumReferenceFrames; ++number) {
      ReferenceFrame frame(number, *stream_);
      const int width = frame.shape.width, height = frame.shape.height;
      const Parameters& parameters = frame.parameters;
      if (after == "filled" && !parameters.filter.fill) continue;
      if (after == "adjusted" && !parameters.ad_census.discontinuities) continue;
      cuda::Arena counter;
      cuda::ad_census::RefinementMemory::Take(counter, parameters, width, height);
      cuda::DeviceBuffer<std::byte> memory(counter.bytes());
      cuda::Check(cudaMemsetAsync(memory.data(), 0xCD, memory.size(), stream_->get()), "cudaMemsetAsync");
      cuda::Arena arena(memory.data());
      const auto sums = frame.UploadedVolume("sums");
      UploadedMap map(frame.Map(before), *stream_);
      Refinement refinement(cuda::ad_census::RefinementMemory::Take(arena, parameters, width, height),
                            frame.shape, parameters, frame.views().left, {sums.data(), nullptr});
      refinement.ReadMap(map.View(), stream_->get());
      step(refinement, map.View());
      EXPECT_EQ(DifferenceOf(after, frame.Map(after), map.Download(*stream_)), "") << "case " << number;
    }
  }

  std::optional<cuda::Stream> stream_;
};

TEST_F(CudaAdCensusRefinementTest, RegionVotingEqualsTheReference) {
  ExpectStep("without_speckles", "voted", [&](Refinement& refinement, const auto& map) {
    refinement.VoteInRegions(map, stream_->get());
    refinement.WriteMap(map, stream_->get());
  });
}

TEST_F(CudaAdCensusRefinementTest, InterpolationEqualsTheReference) {
  ExpectStep("voted", "filled", [&](Refinement& refinement, const auto& map) {
    refinement.Interpolate(map, stream_->get());
    refinement.WriteMap(map, stream_->get());
  });
}

TEST_F(CudaAdCensusRefinementTest, DiscontinuitiesEqualTheReference) {
  ExpectStep("filled", "adjusted", [&](Refinement& refinement, const auto& map) {
    refinement.AdjustDiscontinuities(stream_->get());
    refinement.WriteMap(map, stream_->get());
  });
}

TEST_F(CudaAdCensusRefinementTest, SubpixelEqualsTheReference) {
  ExpectStep("adjusted", "refined", [&](Refinement& refinement, const auto& map) {
    refinement.RefineSubpixel(map, stream_->get());
  });
}

}  // namespace
}  // namespace parallax::test
