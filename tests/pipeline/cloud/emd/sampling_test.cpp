#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "parallax/error.h"
#include "pipeline/cloud/emd/emd.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SampleIndicesTest, AscendWithoutRepetition) {
  for (const std::int64_t count : {0, 1, 7, 99, 100}) {
    const auto indices = SampleIndices(100, count, 5);
    ASSERT_EQ(indices.size(), static_cast<std::size_t>(count));
    EXPECT_TRUE(std::is_sorted(indices.begin(), indices.end(), std::less_equal<>()));
    if (count > 0) {
      EXPECT_GE(indices.front(), 0);
      EXPECT_LT(indices.back(), 100);
    }
  }
}

TEST(SampleIndicesTest, MoreThanThereAreRepeatEvenly) {
  EXPECT_THAT(SampleIndices(3, 6, 9), ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(SampleIndices(1, 4, 9), ElementsAre(0, 0, 0, 0));
  const auto indices = SampleIndices(5, 13, 9);
  ASSERT_EQ(indices.size(), 13U);
  for (int i = 0; i < 5; ++i) {
    const auto times = std::count(indices.begin(), indices.end(), i);
    EXPECT_TRUE(times == 2 || times == 3) << i;
  }
}

TEST(SampleIndicesTest, TheSameEverywhereForASeed) {
  EXPECT_EQ(SampleIndices(1000, 10, 1), SampleIndices(1000, 10, 1));
  EXPECT_NE(SampleIndices(1000, 10, 1), SampleIndices(1000, 10, 2));
  // From a Python twin, written from the two papers.
  EXPECT_THAT(SampleIndices(1000, 10, 1), ElementsAre(343, 373, 444, 458, 474, 616, 619, 805, 904, 985));
  EXPECT_THAT(SampleIndices(1000, 10, 0xFFFFFFFFFFFFFFFFU),
              ElementsAre(172, 253, 371, 464, 568, 713, 718, 731, 770, 952));
}

TEST(SampleIndicesTest, EveryIndexIsAsLikely) {
  // 20,000 draws of 3 of 10: each index 6000 times, standard deviation sqrt(20000 * 0.3 * 0.7) = 65.
  std::vector<int> times(10, 0);
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    for (const std::int32_t index : SampleIndices(10, 3, seed)) ++times[index];
  }
  EXPECT_EQ(std::accumulate(times.begin(), times.end(), 0), 60000);
  for (const int t : times) EXPECT_NEAR(t, 6000, 5 * 65);
}

TEST(SampleIndicesTest, BadNumbers) {
  EXPECT_THAT(SampleIndices(5, 0, 1), IsEmpty());
  EXPECT_THROW(SampleIndices(0, 1, 1), InvalidArgument);
  EXPECT_THROW(SampleIndices(5, -1, 1), InvalidArgument);
  EXPECT_THROW(SampleIndices(std::int64_t{1} << 31, 1, 1), InvalidArgument);
}

}  // namespace
}  // namespace parallax
