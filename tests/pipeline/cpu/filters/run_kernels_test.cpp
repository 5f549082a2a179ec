// Runs of pixels as bits, worked by hand.
#include "pipeline/cpu/filters/run_kernels.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace parallax::cpu {
namespace {

TEST(RunKernels, RunsThatTouchAtTheLastPixelOfAWordAreAPair) {
  // Rows of 192 valid pixels: runs 0 .. 63 and 64 .. 191 in both. The first ones touch along their whole length, the
  // second ones at pixel 127 alone.
  const std::array<std::uint64_t, 3> starts = {1, 1, 0}, valid = {~0ULL, ~0ULL, ~0ULL};
  const std::array<std::uint64_t, 3> joined = {~0ULL, 1ULL << 63, 0};
  std::array<RunPair, 192> pairs{};
  const RunBits row{starts.data(), valid.data()};
  ASSERT_EQ(FindTouchingRuns(row, row, joined.data(), 192, pairs.data()), 2);
  EXPECT_EQ(pairs[0].here, 0);
  EXPECT_EQ(pairs[0].above, 0);
  EXPECT_EQ(pairs[1].here, 1);
  EXPECT_EQ(pairs[1].above, 1);
}

TEST(RunKernels, RunsThatTouchAcrossAWordsEndAreOnePair) {
  // One run each, which touch at pixels 63 and 64.
  const std::array<std::uint64_t, 2> starts = {1, 0}, valid = {~0ULL, ~0ULL}, joined = {1ULL << 63, 1};
  std::array<RunPair, 128> pairs{};
  const RunBits row{starts.data(), valid.data()};
  EXPECT_EQ(FindTouchingRuns(row, row, joined.data(), 128, pairs.data()), 1);
}

}  // namespace
}  // namespace parallax::cpu
