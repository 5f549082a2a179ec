// Results under their stages' names.
#include "pipeline/types/stage_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "pipeline/matchers/stereo_matcher.h"
#include "tests/support/images.h"
#include "tests/support/plain_parameters.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;

std::string FaultOf(const auto& action) {
  try {
    action();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(StageResults, KeepsTheOrderAndStaysInPlace) {
  StageResults results;
  HostImage<std::uint16_t>& first = results.Add("first", HostImage<std::uint16_t>(2, 1, std::uint16_t{7}));
  for (int i = 0; i < 50; ++i) results.Add("image" + std::to_string(i), HostImage<float>(1, 1, 0.0F));
  EXPECT_EQ(&first, &results.Get<HostImage<std::uint16_t>>("first"));
  EXPECT_EQ(results.Get<HostImage<std::uint16_t>>("first")(1, 0), 7);
  EXPECT_EQ(results.names().front(), "first");
  EXPECT_EQ(results.names().back(), "image49");
  results.Clear();
  EXPECT_TRUE(results.names().empty());
}

TEST(StageResults, SaysWhatThereIs) {
  StageResults results;
  EXPECT_EQ(FaultOf([&] { results.Get<DisparityMap>("filled"); }),
            "no stage result 'filled': there are none");
  results.Add("winner_left", HostImage<std::uint16_t>(1, 1));
  results.Add("sums", HostCostVolume<std::uint16_t>(1, 1, 1));
  EXPECT_EQ(FaultOf([&] { results.Get<DisparityMap>("filled"); }),
            "no stage result 'filled': there are winner_left, sums");
  EXPECT_EQ(FaultOf([&] { results.Get<HostImage<float>>("sums"); }),
            "stage result 'sums' is a volume of 16 bits: ask for that type");
  EXPECT_EQ(FaultOf([&] { results.Add("sums", HostImage<float>(1, 1)); }),
            "stage result 'sums' is already there: clear the results first");
}

TEST(StageResults, SemiGlobalMatchingHandsOutItsStagesInOrder) {
  const auto image = test::ImageFrom<std::uint8_t>(20, 6, [](int x, int y) { return test::NoiseAt(x, y); });
  const auto matcher = MakeReferenceMatcher(test::PlainParameters(), {.width = 20, .height = 6});
  StageResults results;
  DisparityMap map;
  for (int i = 0; i < 2; ++i) {  // the second frame's in place of the first one's
    matcher->Compute(image.ConstView(), image.ConstView(), map, nullptr, &results);
    EXPECT_THAT(results.names(),
                ElementsAre("census_left", "census_right", "sums", "winner_left", "winner_right", "selected",
                            "consistent", "without_speckles", "filled"));
  }
}

}  // namespace
}  // namespace parallax
