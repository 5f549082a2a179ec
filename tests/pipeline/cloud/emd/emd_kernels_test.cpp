// The inner loops of the auction, worked by hand.
#include "pipeline/cloud/emd/emd_kernels.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace parallax::emd {
namespace {

// Points on the x axis, in whole boxes of 32.
Side PointsAt(const std::vector<float>& x) {
  constexpr std::size_t kBoxes = 16;  // padded to this
  Side side;
  side.x = x;
  side.y = side.z = std::vector<float>(x.size(), 0);
  side.low_x = std::vector<float>(kBoxes, 5);
  side.high_x = std::vector<float>(kBoxes, 100);
  side.low_y = side.high_y = side.low_z = side.high_z = std::vector<float>(kBoxes, 0);
  return side;
}

TEST(EmdKernels, OfEqualObjectsTheFirstIsChosenWhereverTheSearchBegins) {
  std::vector<float> x(64, 100);
  x[3] = x[7] = x[40] = 5;
  const Side objects = PointsAt(x);
  const std::vector<std::int32_t> price(64, 0);
  for (const int hint : {0, 1}) {
    std::vector<std::int32_t> box_min_price(16, kFar), bounds(16);
    box_min_price[0] = box_min_price[1] = 0;
    const Choice choice =
        FindBestTwo(objects, price.data(), box_min_price.data(), bounds.data(), 2, hint, 0, 0, 0);
    EXPECT_EQ(choice.object, 3) << hint;
    EXPECT_EQ(choice.value, 5);
    EXPECT_EQ(choice.second_value, 5);
  }
}

}  // namespace
}  // namespace parallax::emd
