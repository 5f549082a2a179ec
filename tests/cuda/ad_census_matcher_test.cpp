// The method AD-Census on the GPU equals the reference, stage by stage.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cuda/matcher/cuda_matcher.h"
#include "tests/cuda/constancy.h"
#include "tests/cuda/require_device.h"
#include "tests/support/matcher_sweep.h"
#include "tests/support/plain_parameters.h"

namespace parallax::test {
namespace {

class CudaAdCensusTest : public CudaTest {};

std::string DifferenceAt(SweepCase c, int width, int height, int num_disparities) {
  c.options.width = width;
  c.options.height = height;
  c.parameters.matching_cost.num_disparities = num_disparities;
  const std::string difference = RunSweepCase(MakeCudaMatcher, c);
  return difference.empty() ? "" : difference + Describe(c);
}

TEST_F(CudaAdCensusTest, EqualsTheReferenceOverASweep) {
  RunMatcherSweep(MakeCudaMatcher, "cuda", 600, MakeAdCensusSweepCase);
}

// Sizes next to what a warp, a lane and a group hold.
TEST_F(CudaAdCensusTest, EqualsTheReferenceAtTheEdgesOfTheLayout) {
  std::uint64_t seed = 1000;
  for (const int num_disparities : {1,   2,   3,   31,  33,  63,  64,  65,  127, 128, 129,  191,
                                    192, 193, 256, 257, 383, 385, 512, 513, 767, 769, 1023, 1024}) {
    SweepCase c = MakeAdCensusSweepCase(++seed);
    c.parameters.matching_cost.min_disparity = static_cast<int>(seed % 3) - 1;
    const int size = static_cast<int>(seed - 1000);
    EXPECT_EQ(DifferenceAt(c, 33 + 7 * size, 5 + size, num_disparities), "");
  }
}

// Lines that are cut into segments, with the longest arms on noise.
TEST_F(CudaAdCensusTest, EqualsTheReferenceOnLongLines) {
  std::uint64_t seed = 2000;
  for (const auto& [width, height] : {std::pair(1600, 3), {3, 1200}, {900, 17}, {40, 700}, {1242, 40}}) {
    SweepCase c = MakeAdCensusSweepCase(++seed);
    c.parameters.ad_census.arm_length = 34;
    c.parameters.ad_census.iterations = 3;
    c.parameters.ad_census.arm_threshold = c.parameters.ad_census.arm_threshold_strict = 256;
    for (const SupportRegion support : {SupportRegion::kBoth, SupportRegion::kLeft}) {
      c.parameters.ad_census.support = support;
      EXPECT_EQ(DifferenceAt(c, width, height, 20 + 45 * static_cast<int>(seed - 2000)), "");
    }
  }
}

TEST_F(CudaAdCensusTest, EqualsTheReferenceAtEveryWidthOfAWord) {
  for (const int width : {1, 2, 31, 32, 33, 63, 64, 65, 95, 96, 97}) {
    SweepCase c = MakeAdCensusSweepCase(static_cast<std::uint64_t>(3000 + width));
    c.parameters.ad_census.scanlines = true;
    c.parameters.ad_census.step_threshold = 15;
    for (const int min_disparity : {0, -33, 32, 1}) {
      c.parameters.matching_cost.min_disparity = min_disparity;
      EXPECT_EQ(DifferenceAt(c, width, 19, 70), "");
    }
  }
}

TEST_F(CudaAdCensusTest, GivesTheSameBytesEveryTime) {
  Parameters parameters = test::PlainParameters();
  parameters.method = Method::kAdCensus;
  ExpectTheSameBytesEveryTime(parameters);
}

// All pixel types and several sizes through one matcher and through frames in flight.
TEST_F(CudaAdCensusTest, TakesAnySizeUpToTheLargestInAnyOrder) {
  for (const RightWinner right_winner : {RightWinner::kDiagonal, RightWinner::kOwn}) {
    SweepCase c = MakeAdCensusSweepCase(23);
    c.parameters.ad_census.right_winner = right_winner;
    const MatcherOptions largest{.width = 203, .height = 77};
    const auto matcher = MakeCudaMatcher(c.parameters, largest);
    const auto queue = MakeCudaFrameQueue(c.parameters, largest, 3);
    std::vector<SweepPair> pairs;
    std::vector<DisparityMap> expected;
    for (const auto& [width, height] :
         {std::pair(203, 77), {200, 77}, {17, 77}, {203, 5}, {1, 1}, {101, 25}, {203, 77}, {2, 77}}) {
      c.seed = pairs.size() + 300;
      c.pixel_type = static_cast<int>(pairs.size() % 3);
      c.options.width = width;
      c.options.height = height;
      pairs.push_back(MakeSweepPair(c));
      expected.push_back(MakeSweepTruth(c, pairs.back()).map);
      DisparityMap actual;
      matcher->Compute(ViewOf(pairs.back().left), ViewOf(pairs.back().right), actual);
      EXPECT_EQ(DifferenceOf("frame", expected.back(), actual), "") << Describe(c);
    }
    std::size_t collected = 0;
    const auto collect = [&] {
      const DisparityMap actual = queue->Take();
      const std::size_t i = collected++ % pairs.size();
      EXPECT_EQ(DifferenceOf("frame in flight", expected[i], actual), "") << i;
    };
    for (int round = 0; round < 4; ++round) {
      for (const SweepPair& pair : pairs) {
        if (queue->in_flight() == queue->capacity()) collect();
        queue->Submit(ViewOf(pair.left), ViewOf(pair.right));
      }
    }
    while (queue->in_flight() > 0) collect();
    EXPECT_EQ(collected, 4 * pairs.size());
  }
}

TEST_F(CudaAdCensusTest, SaysWhatDoesNotFit) {
  Parameters parameters = test::PlainParameters();
  parameters.method = Method::kAdCensus;
  parameters.matching_cost.num_disparities = 1024;
  try {
    MakeCudaMatcher(parameters, {.width = 40000, .height = 30000});
    FAIL() << "10 TB of volumes were accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("MB of device memory"), std::string::npos) << error.what();
  }
  EXPECT_THROW(MakeCudaMatcher(parameters, {.width = 60000, .height = 2}), InvalidArgument);
}

}  // namespace
}  // namespace parallax::test
