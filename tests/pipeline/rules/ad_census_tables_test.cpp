#include "pipeline/rules/ad_census_tables.h"
#include "tests/support/plain_parameters.h"

#include <gtest/gtest.h>

namespace parallax {
namespace {

Parameters Paper() {
  Parameters parameters = test::PlainParameters();
  parameters.census_transform.window = CensusWindow::k9x7;
  return parameters;
}

TEST(AdCensusTables, HoldRobustCostsInUnitsOf512) {
  const AdCensusTables tables = MakeAdCensusTables(Paper());
  EXPECT_EQ(tables.color_cost[0], 0);
  EXPECT_EQ(tables.color_cost[30], 324);  // 512 (1 - exp(-10 / 10)) = 323.6
  EXPECT_EQ(tables.color_cost[765], 512);
  EXPECT_EQ(tables.census_cost[1], 17);  // 512 (1 - exp(-1 / 30)) = 16.8
  EXPECT_EQ(tables.census_cost[30], 324);
  EXPECT_EQ(tables.census_cost[62], 447);
  EXPECT_EQ(tables.outside_cost, 404);  // 959 * 27 / 64 = 404.6
}

TEST(AdCensusTables, PenaltiesFallToAQuarterAndATenth) {
  const AdCensusTables tables = MakeAdCensusTables(Paper());
  EXPECT_EQ(tables.p1, (std::array<std::uint16_t, 3>{512, 128, 51}));
  EXPECT_EQ(tables.p2, (std::array<std::uint16_t, 3>{1536, 384, 154}));
}

TEST(AdCensusTables, OneTermAlone) {
  Parameters parameters = Paper();
  parameters.ad_census.cost = AdCensusCost::kAd;
  EXPECT_EQ(MakeAdCensusTables(parameters).census_cost[62], 0);
  EXPECT_EQ(MakeAdCensusTables(parameters).outside_cost, 216);
  parameters.ad_census.cost = AdCensusCost::kCensus;
  EXPECT_EQ(MakeAdCensusTables(parameters).color_cost[765], 0);
}

TEST(AdCensusTables, NoCostLeavesTheRangeOfTheSums) {
  for (const float lambda : {1.0F, 3.0F, 30.0F, 1000.0F}) {
    Parameters parameters = Paper();
    parameters.ad_census.lambda_ad = parameters.ad_census.lambda_census = lambda;
    const AdCensusTables tables = MakeAdCensusTables(parameters);
    for (const std::uint16_t color : tables.color_cost) {
      for (const std::uint16_t census : tables.census_cost) ASSERT_LE(color + census, kMaxAdCensusCost);
    }
  }
  EXPECT_LT(kMaxAdCensusCost * kMaxArmSpan_px, 65536);
}

}  // namespace
}  // namespace parallax
