// The sweep itself: it must pass the reference and catch a back end that errs in one value.
#include "tests/support/matcher_sweep.h"
#include "tests/support/wrong_matcher.h"

namespace parallax::test {
namespace {

TEST(MatcherSweepTest, ReferenceEqualsItself) { RunMatcherSweep(MakeReferenceMatcher, "reference", 10); }

TEST(MatcherSweepTest, AdCensusReferenceEqualsItself) {
  RunMatcherSweep(MakeReferenceAdCensusMatcher, "reference", 10, MakeAdCensusSweepCase);
}

TEST(MatcherSweepTest, CasesAreValidAndCoverTheRange) {
  int negative = 0, large = 0, four = 0, tiny = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const SweepCase c = MakeSweepCase(seed);
    ASSERT_TRUE(Validate(c.parameters).empty()) << Describe(c);
    const SweepCase ad_census = MakeAdCensusSweepCase(seed);
    ASSERT_TRUE(Validate(ad_census.parameters).empty()) << Describe(ad_census);
    negative += c.parameters.matching_cost.min_disparity < 0;
    large += c.parameters.matching_cost.num_disparities > 300;
    four += c.parameters.aggregation.num_paths == 4;
    tiny += c.options.width * c.options.height < 10;
  }
  EXPECT_GT(negative, 50);
  EXPECT_GT(large, 5);
  EXPECT_GT(four, 100);
  EXPECT_GT(tiny, 5);
}

TEST(MatcherSweepTest, NamesTheFirstDifferingCell) {
  const auto make = [](const Parameters& parameters, const MatcherOptions& options) {
    return std::make_unique<WrongMatcher>(
        MakeReferenceMatcher(parameters, options), [](DisparityMap& /*result*/, StageResults* stages) {
          if (stages != nullptr) ++stages->Get<HostCostVolume<std::uint16_t>>("sums").View()(0, 0, 0);
        });
  };
  const std::string difference = RunSweepCase(make, MakeSweepCase(3));
  EXPECT_EQ(difference.find("sums: pixel (0, 0), d index 0 is "), 0U) << difference;
  EXPECT_NE(difference.find("; 1 cells differ"), std::string::npos) << difference;
}

TEST(MatcherSweepTest, ComparesWhateverIsHandedOutAndMissesWhatIsNot) {
  StageResults expected, actual;
  expected.Add("costs", HostCostVolume<std::uint8_t>(1, 1, 2));
  expected.Add("slopes", HostImage<float>(2, 1, 0.5F));
  expected.Add("arms", HostImage<std::uint8_t>(1, 1, std::uint8_t{3}));
  expected.Get<HostCostVolume<std::uint8_t>>("costs").View()(0, 0, 0) = 7;
  expected.Get<HostCostVolume<std::uint8_t>>("costs").View()(0, 0, 1) = 8;
  actual.Add("costs", expected.Get<HostCostVolume<std::uint8_t>>("costs").Clone());
  actual.Get<HostCostVolume<std::uint8_t>>("costs").View()(0, 0, 1) = 9;
  actual.Add("arms", HostImage<std::uint16_t>(1, 1, std::uint16_t{3}));
  actual.Add("more", HostImage<float>(1, 1, 0.0F));
  EXPECT_EQ(DifferenceOf(expected, actual),
            "costs: pixel (0, 0), d index 1 is 9 instead of 8; 1 cells differ\n"
            "slopes: not handed out\n"
            "arms: is an image of 16 bits instead of an image of 8 bits\n"
            "more: handed out, but not by the reference\n");
}

TEST(MatcherSweepTest, SeesTimesThatWereNotClearedOrNotFilledIn) {
  StageTimes times = TimesOfAnotherFrame();
  times[Stage::kAggregation] += 1;
  EXPECT_EQ(WhatIsWrongWith(times).find("time of census_transform: that of an earlier frame\n"), 0U);
  EXPECT_NE(WhatIsWrongWith(times).find("time of aggregation: "), std::string::npos);
  EXPECT_EQ(WhatIsWrongWith(StageTimes{}), "times: of no stage\n");
  times = {};
  times[Stage::kAggregation] += 1;
  EXPECT_EQ(WhatIsWrongWith(times), "");
}

}  // namespace
}  // namespace parallax::test
