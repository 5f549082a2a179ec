#include "config/frame_parameters.h"

#include <gtest/gtest.h>

namespace parallax {
namespace {

TEST(ParametersOfFrame, SearchesAsFarAsTheDataSetSays) {
  ChosenParameters chosen;
  chosen.parameters.matching_cost.min_disparity = 10;
  StereoFrame frame;
  const auto num_for = [&](int hint) {
    frame.num_disparities_hint = hint;
    return ParametersOfFrame(frame, chosen).matching_cost.num_disparities;
  };
  EXPECT_EQ(num_for(74), 64);
  EXPECT_EQ(num_for(10), 1);  // the largest disparity is the smallest
  EXPECT_EQ(num_for(5000), 1024);
}

}  // namespace
}  // namespace parallax
