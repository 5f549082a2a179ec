// The cpu back end against the reference: on every instruction set of this machine, with several numbers of
// threads, and within several limits of memory.
#include "pipeline/cpu/cpu_matcher.h"

#include <gtest/gtest.h>

#include <utility>

#include "parallax/error.h"
#include "pipeline/simd/instruction_sets.h"
#include "tests/support/images.h"
#include "tests/support/instruction_set_sweep.h"
#include "tests/support/plain_parameters.h"

namespace parallax {
namespace {

using test::InstructionSetGuard;
using test::SweepCase;
using test::SweepPair;
using test::SweepTruth;

// A case of a size and a number of disparities that is cut into several bands and tiles.
SweepCase MakeCase(int width, int height, int num_disparities, std::uint64_t seed) {
  SweepCase c;
  c.seed = seed;
  c.content = 5;
  c.options.width = width, c.options.height = height;
  c.parameters.matching_cost.num_disparities = num_disparities;
  return c;
}

void ExpectReferenceOnEveryInstructionSet(const SweepCase& c, const SweepPair& pair) {
  const InstructionSetGuard guard;
  const SweepTruth truth = test::MakeSweepTruth(c, pair);
  for (const std::string& set : cpu::InstructionSets()) {
    cpu::UseInstructionSet(set);
    EXPECT_EQ(test::RunSweepCase(test::WithThreads(MakeCpuMatcher, 2), c, pair, truth), "")
        << set << ", " << test::Describe(c);
  }
}

TEST(CpuMatcher, EqualsTheReferenceOnEveryInstructionSet) {
  test::RunSweepOnEveryInstructionSet(MakeCpuMatcher, 250, test::MakeSweepCase);
}

TEST(CpuMatcher, GivesTheSameBitsWithAnyNumberOfThreads) {
  for (const SweepCase& c : {MakeCase(333, 75, 128, 1), MakeCase(70, 130, 40, 2), MakeCase(17, 33, 200, 3)}) {
    const SweepPair pair = test::MakeSweepPair(c);
    const SweepTruth truth = test::MakeSweepTruth(c, pair);
    for (const int num_threads : {1, 2, 3, 7}) {
      EXPECT_EQ(test::RunSweepCase(test::WithThreads(MakeCpuMatcher, num_threads), c, pair, truth), "")
          << num_threads << " threads, " << test::Describe(c);
    }
  }
}

// Numbers of disparities whose loops are unrolled, away from the borders too, with pairs of path costs in a
// byte, pairs of their steps only, and neither.
TEST(CpuMatcher, EqualsTheReferenceWhereLoopsAreUnrolled) {
  for (const int num_disparities : {64, 128, 192, 256}) {
    for (const int num_paths : {4, 8}) {
      for (const auto& [window, p2] :
           {std::pair(CensusWindow::kCenterSymmetric9x7, 64), std::pair(CensusWindow::k9x7, 100),
            std::pair(CensusWindow::kCenterSymmetric9x7, 110), std::pair(CensusWindow::k7x7, 150)}) {
        SweepCase c = MakeCase(num_disparities + 75, 9, num_disparities, 11);
        c.parameters.census_transform.window = window;
        c.parameters.aggregation.num_paths = num_paths;
        c.parameters.aggregation.p2 = p2;
        ExpectReferenceOnEveryInstructionSet(c, test::MakeSweepPair(c));
      }
    }
  }
}

// With disparities below 0 partners lie beyond the right border, too.
TEST(CpuMatcher, EqualsTheReferenceBeyondBothBordersWhereLoopsAreUnrolled) {
  for (const int num_disparities : {64, 128}) {
    for (const int min_disparity : {-1, -20}) {
      SweepCase c = MakeCase(num_disparities + 75, 9, num_disparities, 12);
      c.parameters.matching_cost.min_disparity = min_disparity;
      c.parameters.census_transform.window = CensusWindow::kCenterSymmetric9x7;
      ExpectReferenceOnEveryInstructionSet(c, test::MakeSweepPair(c));
    }
  }
}

// The same with every term of the costs and the penalties, codes of 64 bits and others, and P2 of columns
// with which two steps fit a byte or do not.
TEST(CpuMatcher, EqualsTheReferenceWithAllTermsWhereLoopsAreUnrolled) {
  for (const int num_disparities : {64, 100, 128, 192, 256}) {
    for (const int num_paths : {4, 8}) {
      for (const auto& [window, percent] :
           {std::pair(CensusWindow::kTwoScale, 130), std::pair(CensusWindow::k5x5, 100),
            std::pair(CensusWindow::kTwoScale, 170), std::pair(CensusWindow::kTwoScale, 300)}) {
        SweepCase c = MakeCase(num_disparities + 75, 9, num_disparities, 11);
        c.parameters.census_transform.window = window;
        c.parameters.matching_cost.gradient_weight = 2;
        c.parameters.matching_cost.gradient_cap = 9;
        c.parameters.aggregation = {num_paths, 10, 98, 30, 1, 67, percent};
        ExpectReferenceOnEveryInstructionSet(c, test::MakeSweepPair(c));
      }
    }
  }
}

// The same where two path costs fit a byte (31 bits), and where the largest ones do not by one.
TEST(CpuMatcher, EqualsTheReferenceWithAllTermsWherePathCostsArePaired) {
  for (const int num_disparities : {64, 100, 128, 192, 256}) {
    for (const int num_paths : {4, 8}) {
      for (const int p2 : {80, 81}) {  // 2 (31 + 16 + 80) = 254
        SweepCase c = MakeCase(num_disparities + 75, 9, num_disparities, 11);
        c.parameters.census_transform.window = CensusWindow::kCenterSymmetricTwoScale;
        c.parameters.matching_cost.gradient_weight = 2;
        c.parameters.matching_cost.gradient_cap = 8;
        c.parameters.aggregation = {num_paths, 10, p2, 20, 1, 67, 100};
        ExpectReferenceOnEveryInstructionSet(c, test::MakeSweepPair(c));
      }
    }
  }
}

// Left a ramp, right the same as far as x = 20 and from there one that falls: there the census codes differ
// in every bit, so that path costs, and their sums over all paths, are as large as can be.
SweepPair MakeRamps(int width, int height) {
  const auto rising = [](int x, int y) { return 10 * x + y; };
  return {test::ImageFrom<std::uint16_t>(width, height, rising),
          test::ImageFrom<std::uint16_t>(
              width, height, [&](int x, int y) { return x < 20 ? rising(x, y) : 3000 - rising(x, y); })};
}

// The largest sum and number of disparities that fit 16 bits together, and one more of each.
TEST(CpuMatcher, EqualsTheReferenceWhereCostsAndDisparitiesHardlyFitOneKey) {
  for (const int num_disparities : {127, 128, 129}) {
    for (const int p2 : {96, 97}) {  // 4 * (31 + 96) = 508
      SweepCase c = MakeCase(150, 12, num_disparities, 13);
      c.parameters.census_transform.window = CensusWindow::kCenterSymmetric9x7;
      c.parameters.aggregation.num_paths = 4;
      c.parameters.aggregation.p1 = c.parameters.aggregation.p2 = p2;
      for (const int content : {1, 3, 5}) {
        c.content = content;
        ExpectReferenceOnEveryInstructionSet(c, test::MakeSweepPair(c));
      }
      ExpectReferenceOnEveryInstructionSet(c, MakeRamps(150, 12));
    }
  }
}

// The largest P2 with which two path costs, two steps, or one path cost fit 8 bits, and one more of each;
// with lanes that have no disparity beside those that have one, too.
TEST(CpuMatcher, EqualsTheReferenceWherePathCostsHardlyFitAByte) {
  for (const auto& [window, p2] :
       {std::pair(CensusWindow::kCenterSymmetric9x7, 96), std::pair(CensusWindow::kCenterSymmetric9x7, 127),
        std::pair(CensusWindow::kCenterSymmetric9x7, 224), std::pair(CensusWindow::k9x7, 193)}) {
    for (const int one_more : {0, 1}) {
      for (const int p1 : {5, p2}) {
        for (const int num_disparities : {64, 100}) {
          SweepCase c = MakeCase(80, 12, num_disparities, 17);
          c.parameters.census_transform.window = window;
          c.parameters.aggregation.p1 = p1;
          c.parameters.aggregation.p2 = p2 + one_more;
          ExpectReferenceOnEveryInstructionSet(c, test::MakeSweepPair(c));
          ExpectReferenceOnEveryInstructionSet(c, MakeRamps(80, 12));
        }
      }
    }
  }
}

// 4 and 8 paths, 8-bit and 16-bit path costs, each cut into as many slabs as the limit asks for.
TEST(CpuMatcher, GivesTheSameBitsWithinAnyMemoryLimit) {
  for (const int num_paths : {4, 8}) {
    for (const auto& [num_disparities, p2] :
         {std::pair(200, 64), std::pair(200, 200), std::pair(200, 1000), std::pair(128, 64)}) {
      SweepCase c = MakeCase(90, 64, num_disparities, 7);
      c.parameters.aggregation.num_paths = num_paths;
      c.parameters.aggregation.p2 = p2;
      const SweepPair pair = test::MakeSweepPair(c);
      const SweepTruth truth = test::MakeSweepTruth(c, pair);
      MatcherOptions options = c.options;
      options.num_threads = 2;
      std::size_t limit = MakeCpuMatcher(c.parameters, options)->memory_bytes(), smallest = limit;
      for (int step = 0; step < 4; ++step) {
        limit = limit * 4 / 5;
        std::size_t needed = 0;
        const auto make_within_limit = [&](const Parameters& parameters, MatcherOptions with_limit) {
          with_limit.num_threads = 2;
          with_limit.memory_limit_bytes = limit;
          auto matcher = MakeCpuMatcher(parameters, with_limit);
          needed = matcher->memory_bytes();
          return matcher;
        };
        try {
          EXPECT_EQ(test::RunSweepCase(make_within_limit, c, pair, truth), "")
              << "limit " << limit << ", " << test::Describe(c);
        } catch (const InvalidArgument&) {
          break;  // less than can be done: see RefusesALimitThatCannotBeKeptWithTheFigureThatIsNeeded
        }
        EXPECT_LE(needed, limit);
        smallest = needed;
      }
      EXPECT_LT(smallest, MakeCpuMatcher(c.parameters, options)->memory_bytes()) << "no limit had an effect";
    }
  }
}

// Frames of many sizes by turns in one matcher, with several slabs too: the bits of one made for each.
TEST(CpuMatcher, TakesFramesUpToItsSize) {
  for (const int num_disparities : {24, 70}) {
    for (const std::size_t limit_bytes : {std::size_t{0}, std::size_t{2'200'000}}) {
      test::SweepCase c = test::MakeSweepCase(12);
      c.parameters = test::PlainParameters();
      c.parameters.matching_cost.num_disparities = num_disparities;
      c.content = 5;
      const MatcherOptions largest{
          .width = 160, .height = 90, .num_threads = 2, .memory_limit_bytes = limit_bytes};
      const auto matcher = MakeCpuMatcher(c.parameters, largest);
      const std::size_t memory_bytes = matcher->memory_bytes();
      const std::pair<int, int> sizes[] = {{160, 90}, {1, 1},    {159, 90}, {160, 33}, {16, 90},
                                           {97, 58},  {160, 90}, {3, 2},    {128, 64}, {151, 89}};
      for (const auto& [width, height] : sizes) {
        c.options = {.width = width, .height = height};
        c.pixel_type = width % 3;
        const test::SweepPair pair = test::MakeSweepPair(c);
        const test::SweepTruth truth = test::MakeSweepTruth(c, pair);
        StageResults stages;
        DisparityMap fused, map;
        matcher->Compute(ViewOf(pair.left), ViewOf(pair.right), fused);
        matcher->Compute(ViewOf(pair.left), ViewOf(pair.right), map, nullptr, &stages);
        EXPECT_EQ(test::DifferenceOf(truth.stages, stages) + test::DifferenceOf("result", truth.map, map) +
                      test::DifferenceOf("fused", truth.map, fused),
                  "")
            << test::Describe(c) << ", limit " << limit_bytes;
      }
      EXPECT_EQ(matcher->memory_bytes(), memory_bytes);
    }
  }
}

TEST(CpuMatcher, RefusesALimitThatCannotBeKeptWithTheFigureThatIsNeeded) {
  MatcherOptions options;
  options.width = 640, options.height = 480;
  options.memory_limit_bytes = 1'000'000;
  try {
    MakeCpuMatcher(test::PlainParameters(), options);
    FAIL() << "a megabyte was enough";
  } catch (const InvalidArgument& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("640x480"), std::string::npos) << text;
    EXPECT_NE(text.find("limit of 1 MB"), std::string::npos) << text;
  }
}

TEST(CpuMatcher, HoldsAtMostTwoAndAHalfBytesACellAnd64Megabytes) {
  for (const int num_disparities : {1, 64, 65, 128, 250}) {
    Parameters parameters = test::PlainParameters();
    parameters.matching_cost.num_disparities = num_disparities;
    MatcherOptions options;
    options.width = 1242, options.height = 375;
    const double cells = 1242.0 * 375.0 * num_disparities;
    EXPECT_LE(static_cast<double>(MakeCpuMatcher(parameters, options)->memory_bytes()), 2.5 * cells + 64e6)
        << num_disparities << " disparities";
  }
}

TEST(CpuMatcher, RefusesWhatTheReferenceRefuses) {
  MatcherOptions options;
  EXPECT_THROW(MakeCpuMatcher(test::PlainParameters(), options), InvalidArgument);
  options.width = 8, options.height = 8;
  Parameters parameters = test::PlainParameters();
  parameters.matching_cost.num_disparities = 0;
  EXPECT_THROW(MakeCpuMatcher(parameters, options), InvalidArgument);
  const HostImage<std::uint8_t> fits(8, 8, 0), other(9, 8, 0);
  DisparityMap map;
  EXPECT_THROW(
      MakeCpuMatcher(test::PlainParameters(), options)->Compute(fits.ConstView(), other.ConstView(), map),
      InvalidArgument);
}

TEST(InstructionSets, AnUnknownOneIsRefusedWithThoseThereAre) {
  const InstructionSetGuard guard;
  try {
    cpu::UseInstructionSet("MMX");
    FAIL() << "MMX was taken";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find(cpu::InstructionSets().front()), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace parallax
