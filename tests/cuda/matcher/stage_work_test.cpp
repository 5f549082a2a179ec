#include "cuda/matcher/stage_work.h"
#include "tests/support/plain_parameters.h"

#include <gtest/gtest.h>

namespace parallax::test {
namespace {

// 10 x 3 pixels of 8 bits, 100 disparities padded to 128: 3840 cells; codes of 32 bits, sums of 8.
Parameters SmallFrame(int num_paths) {
  Parameters p = test::PlainParameters();
  p.census_transform.window = CensusWindow::kCenterSymmetric9x7;
  p.matching_cost.num_disparities = 100;
  p.aggregation.num_paths = num_paths;
  p.aggregation.p2 = 40;
  return p;
}

TEST(StageWorkTest, CountsWhatEachStageReadsAndWrites) {
  const auto bytes = [](std::string_view stage, int num_paths) {
    return WorkOfStage(stage, SmallFrame(num_paths), 10, 3, 1).bytes;
  };
  EXPECT_EQ(bytes("census_transform", 8), 2 * (30 + 120));      // two images, two of codes
  EXPECT_EQ(bytes("matching_cost", 8), 2 * 120 + 3840);         // codes, costs
  EXPECT_EQ(bytes("aggregation", 8), 3840 + 30 + 4 * 3840);     // costs, guide, four volumes
  EXPECT_EQ(bytes("aggregation", 4), 3840 + 30 + 2 * 3840);     // two volumes
  EXPECT_EQ(bytes("consistency", 8), 4 * 3840 + 30 * (4 + 2));  // volumes, the three maps
  EXPECT_EQ(bytes("selection", 4), 2 * 3840 + 30 * (4 + 2));
  EXPECT_EQ(bytes("speckle", 8), 2 * 30 * 5);  // disparity and validity, both ways
  EXPECT_EQ(bytes("median", 8), 2 * 30 * 4);
  EXPECT_EQ(bytes("no such stage", 8), 0);
}

TEST(StageWorkTest, CountsOperationsOfLanes) {
  const StageWork costs = WorkOfStage("matching_cost", SmallFrame(8), 10, 3, 1);
  EXPECT_EQ(costs.population_counts, 3840);
  const StageWork paths = WorkOfStage("aggregation", SmallFrame(8), 10, 3, 1);
  EXPECT_EQ(paths.packed_operations, 8 * 3840 * 3 / 2);
  EXPECT_EQ(paths.shuffles, 8 * 30 * 32);
  EXPECT_EQ(paths.reductions, 8 * 30 * 32);
  EXPECT_EQ(WorkOfStage("consistency", SmallFrame(8), 10, 3, 1).packed_operations, 6 * 3840 / 2);

  Parameters wide = SmallFrame(8);  // codes of 62 bits: two words, and sums of 16 bits
  wide.census_transform.window = CensusWindow::k9x7;
  wide.aggregation.p2 = 100;
  EXPECT_EQ(WorkOfStage("matching_cost", wide, 10, 3, 1).population_counts, 2 * 3840);
  EXPECT_EQ(WorkOfStage("aggregation", wide, 10, 3, 1).bytes, 3840 + 30 + 4 * 2 * 3840);

  wide.matching_cost.num_disparities = 128;  // sums of 8 bits, to which selection adds the costs
  EXPECT_EQ(WorkOfStage("aggregation", wide, 10, 3, 1).bytes, 3840 + 30 + 4 * 3840);
  EXPECT_EQ(WorkOfStage("consistency", wide, 10, 3, 1).bytes, 5 * 3840 + 30 * (4 + 2));
}

TEST(StageWorkTest, CountsTheStagesOfAdCensus) {
  Parameters p = SmallFrame(8);  // 128 disparities with the padding, of 2 bytes: volumes of 7680 bytes
  p.method = Method::kAdCensus;
  const auto bytes = [&](std::string_view stage) { return WorkOfStage(stage, p, 10, 3, 1).bytes; };
  EXPECT_EQ(bytes("census_transform"), 2 * 30 * (1 + 4 + 4 + 4));  // image, codes, colours, arms
  EXPECT_EQ(bytes("matching_cost"), 2 * 30 * (4 + 4) + 7680);
  EXPECT_EQ(bytes("aggregation"), 7680 + 2 * 30 * 4 + 2 * 7680);  // costs, arms, sums of rows and of columns
  EXPECT_EQ(bytes("selection"), 2 * 7680 + 30 * (4 + 2 + 4));
  EXPECT_EQ(bytes("voting"), 30 * 8);
  EXPECT_EQ(bytes("fill"), 30 * 8);
  EXPECT_EQ(bytes("subpixel"), 30 * 6);
  EXPECT_EQ(bytes("median"), 2 * 30 * 4);  // as for semi-global matching
  p.ad_census.scanlines = false;
  EXPECT_EQ(bytes("aggregation"), 7680 + 2 * 30 * 4 + 7680);
}

TEST(StageWorkTest, TheFloorIsWhatTakesLongest) {
  const DeviceRates rates{.bytes_per_s = 1e12, .clock_hz = 1e9, .num_multiprocessors = 10};
  StageWork work;
  work.bytes = 2e9;
  EXPECT_DOUBLE_EQ(FloorOf(work, rates).ms, 2.0);
  EXPECT_EQ(FloorOf(work, rates).bound, "bytes");
  work.packed_operations = 63 * 1e7 * 3;  // 63 lanes x 10^6 clocks x 10 multiprocessors a millisecond
  EXPECT_DOUBLE_EQ(FloorOf(work, rates).ms, 3.0);
  EXPECT_EQ(FloorOf(work, rates).bound, "packed");
  work.reductions = 16 * 1e7 * 5;
  work.shuffles = 32 * 1e7 * 4;
  EXPECT_DOUBLE_EQ(FloorOf(work, rates).ms, 5.0);
  EXPECT_EQ(FloorOf(work, rates).bound, "redux");
  // A device whose rates are not known: bytes alone.
  EXPECT_DOUBLE_EQ(FloorOf(work, {.bytes_per_s = 1e12}).ms, 2.0);
}

}  // namespace
}  // namespace parallax::test
