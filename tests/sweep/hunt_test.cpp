// The hunt: cases are the same again, cover what there is, and a wrong back end is caught.
#include "tests/sweep/hunt.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "pipeline/simd/instruction_sets.h"
#include "tests/support/wrong_matcher.h"

namespace parallax::test {
namespace {

HuntGround Cpu() { return {{"cpu"}, cpu::InstructionSets(), 0}; }

TEST(HuntTest, CasesAreValidCoverWhatThereIsAndAreTheSameAgain) {
  std::set<std::string> sets;
  int ad_census = 0, limited = 0, in_flight = 0, large = 0;
  for (std::uint64_t number = 1; number <= 1000; ++number) {
    const HuntCase c = MakeHuntCase(5, number, Cpu());
    ASSERT_TRUE(Validate(c.sweep.parameters).empty()) << Describe(c);
    EXPECT_EQ(Describe(c), Describe(MakeHuntCase(5, number, Cpu())));
    EXPECT_NE(Describe(c), Describe(MakeHuntCase(6, number, Cpu())));
    sets.insert(c.instruction_set);
    ad_census += c.sweep.parameters.method == Method::kAdCensus;
    limited += c.memory_percent > 0;
    in_flight += c.num_in_flight > 1;
    large += c.sweep.options.width > 300;
  }
  EXPECT_EQ(sets.size(), cpu::InstructionSets().size());
  EXPECT_GT(ad_census, 200);
  EXPECT_GT(limited, 80);
  EXPECT_GT(in_flight, 200);
  EXPECT_GT(large, 0);
}

TEST(HuntTest, PixelsAndParametersDoNotDependOnTheMachine) {
  const HuntCase here = MakeHuntCase(9, 3, Cpu()), there = MakeHuntCase(9, 3, {{"cuda"}, {}, 0});
  EXPECT_EQ(Describe(here.sweep), Describe(there.sweep));
  EXPECT_EQ(CommandOf(there), "parallax_sweep --seed 9 --case 3 --backend cuda");
  EXPECT_EQ(CommandOf(MakeHuntCase(9, 3, {{"cpu"}, {"AVX2"}, 0})),
            "parallax_sweep --seed 9 --case 3 --backend cpu --instruction-set AVX2");
}

TEST(HuntTest, FindsNothingInAFewCases) {
  for (std::uint64_t number = 1; number <= 40; ++number) {
    const HuntCase c = MakeHuntCase(1, number, Cpu());
    ASSERT_EQ(RunHuntCase(c), "") << CommandOf(c) << '\n' << Describe(c);
  }
  cpu::UseInstructionSet("");
}

TEST(HuntTest, CatchesABackEndThatErrsInOneValue) {
  const HuntCase c = MakeHuntCase(1, 1, Cpu());
  const std::string text =
      RunHuntCase(c, [](const HuntCase& hunted, const Parameters& parameters, const MatcherOptions& options) {
        return std::make_unique<WrongMatcher>(
            MakeHuntMatcher(hunted, parameters, options),
            [](DisparityMap& result, StageResults* /*stages*/) { ++result.confidence(0, 0); });
      });
  cpu::UseInstructionSet("");
  EXPECT_EQ(text.find("result confidence: pixel (0, 0) is "), 0U) << text;
}

}  // namespace
}  // namespace parallax::test
