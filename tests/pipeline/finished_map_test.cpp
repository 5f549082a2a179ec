#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "pipeline/types/disparity_map_view.h"

namespace parallax {
namespace {

DisparityMap MapOf(float disparity) {
  return {HostImage<float>(3, 2, disparity), HostImage<std::uint8_t>(3, 2, 1),
          HostImage<std::uint8_t>(3, 2, 7)};
}

TEST(FinishedMap, HoldsItsOwn) {
  FinishedMap map = MapOf(5);
  EXPECT_EQ(map.disparity()(2, 1), 5);
  EXPECT_EQ(map.validity()(2, 1), 1);
  EXPECT_EQ(map.confidence()(2, 1), 7);
  const float* const pixels = map.disparity().data;
  map.Own().disparity(2, 1) = 6;
  EXPECT_EQ(map.disparity()(2, 1), 6);
  const FinishedMap moved = std::move(map);
  EXPECT_EQ(moved.disparity().data, pixels) << "nothing is copied";
}

TEST(FinishedMap, GivesBackWhatIsLent) {
  const auto lent = std::make_shared<DisparityMap>(MapOf(5));
  FinishedMap map(ViewOf(*lent), lent);
  EXPECT_EQ(map.disparity().data, lent->disparity.ConstView().data);
  FinishedMap moved = std::move(map);
  EXPECT_EQ(lent.use_count(), 2);
  moved = FinishedMap();
  EXPECT_EQ(lent.use_count(), 1);
}

TEST(FinishedMap, CopiesWhatIsLentWhereItIsChanged) {
  const auto lent = std::make_shared<DisparityMap>(MapOf(5));
  FinishedMap map(ViewOf(*lent), lent);
  map.Own().disparity(0, 0) = 6;
  EXPECT_EQ(lent.use_count(), 1) << "given back";
  EXPECT_EQ(lent->disparity(0, 0), 5);
  EXPECT_EQ(map.disparity()(0, 0), 6);
  EXPECT_EQ(map.disparity()(2, 1), 5);
}

TEST(FinishedMap, IsEmptyAtFirst) { EXPECT_TRUE(FinishedMap().disparity().Empty()); }

}  // namespace
}  // namespace parallax
