#include "cuda/matcher/cuda_matcher.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "cuda/matcher/tuned_matcher.h"
#include "cuda/sgm/volume_layout.h"
#include "pipeline/rules/matching_tables.h"
#include "tests/cuda/constancy.h"
#include "tests/cuda/require_device.h"
#include "tests/support/matcher_sweep.h"
#include "tests/support/plain_parameters.h"

namespace parallax::test {
namespace {

class CudaMatcherTest : public CudaTest {};

TEST_F(CudaMatcherTest, EqualsTheReferenceOverASweep) { RunMatcherSweep(MakeCudaMatcher, "cuda", 600); }

// Matchers whose rows are always aggregated in pairs, or never.
MatcherFactory WithRows(bool in_pairs) {
  const CudaTuning tuning{.pairs_rows_from = in_pairs ? 0 : 1'000'000};
  return [tuning](const Parameters& parameters, const MatcherOptions& options) {
    return MakeTunedCudaMatcher(parameters, options, tuning);
  };
}

TEST_F(CudaMatcherTest, EqualsTheReferenceWithRowsInPairs) { RunMatcherSweep(WithRows(true), "cuda", 300); }

// Sizes next to what a warp, a lane and a block hold, all windows and both path counts.
TEST_F(CudaMatcherTest, EqualsTheReferenceAtTheEdgesOfTheLayout) {
  int seed = 0;
  for (const int num_disparities :
       {1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 192, 193, 256, 257, 512, 513, 1024}) {
    SweepCase c = MakeSweepCase(static_cast<std::uint64_t>(1000 + ++seed));
    c.options.width = 33 + 7 * seed;
    c.options.height = 5 + seed;
    c.parameters.matching_cost.num_disparities = num_disparities;
    c.parameters.matching_cost.min_disparity = seed % 3 - 1;
    c.parameters.census_transform.window = static_cast<CensusWindow>(seed % 5);
    c.parameters.aggregation.num_paths = seed % 2 == 0 ? 4 : 8;
    const std::string difference = RunSweepCase(MakeCudaMatcher, c);
    EXPECT_TRUE(difference.empty()) << difference << Describe(c);
  }
}

TEST_F(CudaMatcherTest, EqualsTheReferenceOnWideImages) {
  int seed = 0;
  for (const int num_disparities : {17, 64, 90, 128, 192, 256, 384, 600}) {
    const MatcherFactory make_matcher = WithRows(seed % 3 != 0);
    SweepCase c = MakeSweepCase(static_cast<std::uint64_t>(2000 + ++seed));
    c.options.width = 1600 - 101 * seed;
    c.options.height = seed % 2 == 0 ? 5 * seed : seed;
    c.parameters.matching_cost.num_disparities = num_disparities;
    c.parameters.aggregation.num_paths = 8;
    const std::string difference = RunSweepCase(make_matcher, c);
    EXPECT_TRUE(difference.empty()) << difference << Describe(c);
  }
}

// Diagonals that go round the image several times.
TEST_F(CudaMatcherTest, EqualsTheReferenceOnTallImages) {
  int seed = 0;
  for (const int width : {1, 2, 3, 4, 5, 7, 8, 17, 32, 61}) {
    SweepCase c = MakeSweepCase(static_cast<std::uint64_t>(3000 + ++seed));
    c.options.width = width;
    c.options.height = 450 - 37 * seed;
    c.parameters.matching_cost.num_disparities = seed % 3 == 0 ? 200 : 1 + 13 * seed;
    c.parameters.aggregation.num_paths = 8;
    const std::string difference = RunSweepCase(MakeCudaMatcher, c);
    EXPECT_TRUE(difference.empty()) << difference << Describe(c);
  }
}

// D that 24 of a warp's lanes hold (VolumeLayout::lanes), and its neighbours.
TEST_F(CudaMatcherTest, EqualsTheReferenceWhereLanesAreIdle) {
  int seed = 0;
  for (const int num_disparities : {128, 129, 136, 144, 159, 160, 183, 184, 185, 190, 191, 192, 193}) {
    for (const int num_paths : {4, 8}) {
      SweepCase c = MakeSweepCase(static_cast<std::uint64_t>(4000 + ++seed));
      c.options.width = 260 + 5 * seed;
      c.options.height = 9 + 3 * seed;
      c.parameters.matching_cost.num_disparities = num_disparities;
      c.parameters.matching_cost.min_disparity = seed % 3 - 1;
      c.parameters.aggregation.num_paths = num_paths;
      const std::string difference = RunSweepCase(WithRows(seed % 4 < 2), c);
      EXPECT_TRUE(difference.empty()) << difference << Describe(c);
    }
  }
}

// Large P2: 8-bit sums leave out the matching costs, which selection adds (VolumeLayout::leaves_costs_out).
TEST_F(CudaMatcherTest, EqualsTheReferenceWhereSumsLeaveCostsOut) {
  int seed = 0;
  for (const int num_disparities : {64, 128, 192, 256, 512, 1024}) {
    for (const int p2 : {97, 112, 120, 127}) {
      const MatcherFactory make_matcher = WithRows(seed % 2 != 0);
      SweepCase c = MakeSweepCase(static_cast<std::uint64_t>(3000 + ++seed));
      c.options.width = 301 - 12 * seed;
      c.options.height = seed % 4 == 0 ? seed : 9 * seed;
      Parameters& p = c.parameters;
      p.matching_cost.num_disparities = num_disparities;
      p.matching_cost.min_disparity = seed % 5 == 0 ? -7 : 0;
      p.census_transform.window = seed % 3 == 0 ? CensusWindow::kCenterSymmetric9x7 : CensusWindow::k9x7;
      p.aggregation.num_paths = seed / 2 % 2 == 0 ? 8 : 4;
      p.aggregation.p1 = p2 == 127 ? 127 : 10;
      p.aggregation.p2 = p2;
      p.aggregation.p2_min = seed % 3 * 20;
      p.aggregation.p2_slope = seed % 4 == 1 ? 0.0F : 1.0F;
      p.aggregation.p2_vertical_percent = p2 == 97 ? 130 : 100;
      if (p.matching_cost.gradient_weight > 0) {
        p.matching_cost.gradient_weight = 4, p.matching_cost.gradient_cap = 6;
      }
      const cuda::VolumeLayout layout = cuda::MakeVolumeLayout(p, MakeMatchingTables(p), 100, 100);
      EXPECT_TRUE(layout.leaves_costs_out) << Describe(c);
      const std::string difference = RunSweepCase(make_matcher, c);
      EXPECT_TRUE(difference.empty()) << difference << Describe(c);
    }
  }
}

TEST_F(CudaMatcherTest, GivesTheSameBytesEveryTime) { ExpectTheSameBytesEveryTime(test::PlainParameters()); }

TEST_F(CudaMatcherTest, FramesInFlightComeOutInOrderAndEqual) {
  std::vector<SweepPair> pairs;
  std::vector<DisparityMap> expected;
  SweepCase c = MakeSweepCase(11);
  c.parameters = test::PlainParameters();
  c.parameters.matching_cost.num_disparities = 48;
  c.options.width = 97;
  c.options.height = 41;
  for (int i = 0; i < 7; ++i) {
    c.seed = static_cast<std::uint64_t>(100 + i);
    pairs.push_back(MakeSweepPair(c));
    expected.emplace_back();
    MakeReferenceMatcher(c.parameters, c.options)
        ->Compute(ViewOf(pairs.back().left), ViewOf(pairs.back().right), expected.back());
  }
  const auto queue = MakeCudaFrameQueue(c.parameters, c.options, 3);
  std::size_t collected = 0;
  const auto collect = [&] {
    const DisparityMap actual = Clone(queue->Collect());
    const std::string difference = DifferenceOf("frame", expected[collected % pairs.size()], actual);
    EXPECT_TRUE(difference.empty()) << "frame " << collected << ": " << difference;
    ++collected;
  };
  for (std::size_t i = 0; i < 50; ++i) {
    if (queue->in_flight() == queue->capacity()) collect();
    queue->Submit(ViewOf(pairs[i % pairs.size()].left), ViewOf(pairs[i % pairs.size()].right));
  }
  while (queue->in_flight() > 0) collect();
  EXPECT_EQ(collected, 50U);
  EXPECT_THROW(queue->Collect(), Error);
}

// Cases of one set of parameters and many sizes up to the largest, sizes that come back among them.
std::vector<SweepCase> CasesOfManySizes(int width, int height) {
  const SweepCase first = MakeSweepCase(23);
  std::vector<SweepCase> cases;
  for (const auto& [w, h] : {std::pair(width, height),
                             {width - 3, height},
                             {17, height},
                             {width, 5},
                             {1, 1},
                             {width / 2, height / 3},
                             {width, height},
                             {17, height},
                             {2, height}}) {
    SweepCase c = first;
    c.seed = cases.size() + 300;
    c.options.width = w;
    c.options.height = h;
    c.pixel_type = static_cast<int>(cases.size() % 3);
    cases.push_back(c);
  }
  return cases;
}

TEST_F(CudaMatcherTest, TakesAnySizeUpToTheLargest) {
  for (const int number : {0, 1, 2, 3, 4, 5}) {
    Parameters parameters = test::PlainParameters();
    parameters.matching_cost.num_disparities = number % 2 == 0 ? 128 : 75;
    parameters.aggregation.num_paths = number < 3 ? 8 : 4;
    parameters.aggregation.p2 = number % 3 == 0 ? 64 : number % 3 == 1 ? 120 : 1000;
    // From some 30 rows on they are aggregated in pairs.
    const CudaTuning tuning{.pairs_rows_from = 60};
    const MatcherOptions largest{.width = 203, .height = 77};
    const auto matcher = MakeTunedCudaMatcher(parameters, largest, tuning);
    const auto queue = MakeTunedCudaFrameQueue(parameters, largest, 3, tuning);
    std::vector<SweepPair> pairs;
    std::vector<DisparityMap> expected;
    for (SweepCase c : CasesOfManySizes(largest.width, largest.height)) {
      c.parameters = parameters;
      pairs.push_back(MakeSweepPair(c));
      const SweepTruth truth = MakeSweepTruth(c, pairs.back());
      DisparityMap actual, observed;
      StageResults stages;
      matcher->Compute(ViewOf(pairs.back().left), ViewOf(pairs.back().right), actual);
      EXPECT_EQ(DifferenceOf("frame", truth.map, actual), "") << Describe(c);
      matcher->Compute(ViewOf(pairs.back().left), ViewOf(pairs.back().right), observed, nullptr, &stages);
      EXPECT_EQ(DifferenceOf(truth.stages, stages), "") << Describe(c);
      expected.push_back(Clone(truth.map));
    }
    std::size_t free_before = 0, free_after = 0, total = 0, collected = 0;
    const auto run = [&] {
      const auto collect = [&] {
        const DisparityMap actual = queue->Take();
        const std::size_t i = collected++ % pairs.size();
        EXPECT_EQ(DifferenceOf("frame in flight", expected[i], actual), "") << i;
      };
      for (const SweepPair& pair : pairs) {
        if (queue->in_flight() == queue->capacity()) collect();
        queue->Submit(ViewOf(pair.left), ViewOf(pair.right));
      }
      while (queue->in_flight() > 0) collect();
    };
    for (int round = 0; round < 4; ++round) run();  // every slot has had every size
    ASSERT_EQ(cudaMemGetInfo(&free_before, &total), cudaSuccess);
    run();
    ASSERT_EQ(cudaMemGetInfo(&free_after, &total), cudaSuccess);
    EXPECT_EQ(free_before, free_after);
  }
}

TEST_F(CudaMatcherTest, RefusesWhatIsLargerThanItsMemory) {
  const auto matcher = MakeCudaMatcher({}, {.width = 20, .height = 10});
  DisparityMap result;
  for (const auto& [width, height] : {std::pair(21, 10), {20, 11}, {10, 20}}) {
    const CameraImage image = HostImage<std::uint8_t>(width, height, 7);
    EXPECT_THROW(matcher->Compute(ViewOf(image), ViewOf(image), result), InvalidArgument);
  }
}

// What is said to be needed is what is taken, and the number of disparities that is said to fit does.
TEST_F(CudaMatcherTest, CountsItsMemory) {
  const MatcherOptions options{.width = 1000, .height = 700};
  std::size_t free_before = 0, free_after = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_before, &total), cudaSuccess);
  const auto matcher = MakeCudaMatcher({}, options);
  ASSERT_EQ(cudaMemGetInfo(&free_after, &total), cudaSuccess);
  const std::size_t taken = free_before - free_after;
  EXPECT_GT(matcher->memory_bytes(), 5 * 128 * options.width * options.height / 1U);
  EXPECT_LE(taken, matcher->memory_bytes() + (8U << 20));  // the device hands out whole pages
  EXPECT_GE(taken + (8U << 20), matcher->memory_bytes());
}

TEST_F(CudaMatcherTest, SaysWhatDoesNotFit) {
  Parameters parameters = test::PlainParameters();
  parameters.matching_cost.num_disparities = 1024;
  try {
    MakeCudaMatcher(parameters, {.width = 40000, .height = 30000});
    FAIL() << "11 TB of volumes were accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("needs 1"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("MB of device memory"), std::string::npos) << error.what();
  }
  EXPECT_THROW(MakeCudaMatcher({}, {.width = 60000, .height = 2}), InvalidArgument);
  EXPECT_THROW(MakeCudaMatcher({}, {.width = 0, .height = 2}), InvalidArgument);
  EXPECT_THROW(MakeCudaMatcher({}, {.width = 8, .height = 8, .device = 99}), Error);
  const auto matcher = MakeCudaMatcher({}, {.width = 8, .height = 8});
  const CameraImage small = HostImage<std::uint8_t>(7, 8, 0), wide = HostImage<std::uint16_t>(8, 8, 0),
                    right = HostImage<std::uint8_t>(8, 8, 0);
  DisparityMap result;
  EXPECT_THROW(matcher->Compute(ViewOf(small), ViewOf(right), result), InvalidArgument);
  EXPECT_THROW(matcher->Compute(ViewOf(wide), ViewOf(right), result), InvalidArgument);
}

TEST_F(CudaMatcherTest, TimesAddUp) {
  const auto matcher = MakeCudaMatcher({}, {.width = 64, .height = 48});
  const CameraImage image = HostImage<std::uint8_t>(64, 48, 9);
  DisparityMap result;
  StageTimes times;
  matcher->Compute(ViewOf(image), ViewOf(image), result, &times);
  for (const Stage stage : {Stage::kCensusTransform, Stage::kMatchingCost, Stage::kAggregation,
                            Stage::kConsistency, Stage::kFilter}) {
    EXPECT_GT(times[stage], 0.0);
  }
}

// Frame by frame: a constant one claims nothing, also with the stages' results, and leaves the next one
// alone.
TEST_F(CudaMatcherTest, ClaimsNothingOfConstantImages) {
  const HostImage<std::uint8_t> constant(64, 48, 9);
  HostImage<std::uint8_t> textured(64, 48, 9);
  for (int x = 0; x < 64; ++x) textured(x, x % 48) = static_cast<std::uint8_t>(37 * x);
  const auto most = [](HostImageView<const std::uint8_t> confidence) {
    int highest = 0;
    for (int y = 0; y < 48; ++y)
      highest = std::max<int>(highest, *std::max_element(confidence.Row(y), confidence.Row(y) + 64));
    return highest;
  };
  const auto matcher = MakeCudaMatcher({}, {.width = 64, .height = 48});
  const auto queue = MakeCudaFrameQueue({}, {.width = 64, .height = 48}, 2);
  DisparityMap result;
  StageResults stages;
  const HostImage<std::uint8_t>* const rights[] = {&constant, &textured, &constant};
  for (const auto* right : rights) {
    matcher->Compute(textured.ConstView(), right->ConstView(), result);
    EXPECT_EQ(most(result.confidence.ConstView()) > 0, right == &textured);
    matcher->Compute(textured.ConstView(), right->ConstView(), result, nullptr, &stages);
    EXPECT_EQ(most(result.confidence.ConstView()) > 0, right == &textured);
    queue->Submit(textured.ConstView(), right->ConstView());
    EXPECT_EQ(most(queue->Collect().confidence) > 0, right == &textured);
  }
}

// Run everywhere.
TEST(CudaDeviceTest, SaysWhichCardsItWasBuiltFor) {
  EXPECT_EQ(DescribeArchitectures("90"), "compute capability 9.0 and newer");
  EXPECT_EQ(DescribeArchitectures("75-real 80-real 120-virtual"), "compute capability 7.5, 8.0 and newer");
  EXPECT_EQ(DescribeArchitectures("86-real"), "compute capability 8.6");
  EXPECT_EQ(DescribeArchitectures("80-virtual"), "compute capability 8.0 and newer");
  EXPECT_EQ(DescribeArchitectures("native"), "compute capability native");
  EXPECT_NE(DescribeBuiltArchitectures().find('.'), std::string::npos);
}

// Runs everywhere: without a device the reason is one clear line.
TEST(CudaDeviceTest, SaysWhyThereIsNoDevice) {
  std::string why_none;
  if (!ListCudaDevices(&why_none).empty()) {
    EXPECT_TRUE(why_none.empty());
    EXPECT_THROW(SelectCudaDevice(-1), Error);
    return;
  }
  EXPECT_FALSE(why_none.empty());
  EXPECT_FALSE(HasCudaDevice());
  try {
    MakeCudaMatcher({}, {.width = 8, .height = 8});
    FAIL() << "a matcher without a device";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the back end cpu"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace parallax::test
