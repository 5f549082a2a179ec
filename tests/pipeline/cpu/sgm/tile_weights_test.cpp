#include "pipeline/cpu/sgm/tile_weights.h"

#include <gtest/gtest.h>

#include "pipeline/reference/stages.h"
#include "tests/support/sweep_case.h"

namespace parallax::cpu {
namespace {

TEST(CpuCostWeights, EqualTheReference) {
  ThreadPool threads(2);
  const WeightRule rule{.even_weight = 40, .even_below = 700};
  CostWeights weights(rule, 150, 150);
  for (int number = 0; number < 60; ++number) {
    test::SweepRandom random(static_cast<std::uint64_t>(number));
    const int width = number == 0 ? 1 : random.Between(1, 150),
              height = number == 0 ? 1 : random.Between(1, 150);
    const int contrast = random.OneOf(1, 20, 60, 255);
    HostImage<std::uint8_t> gray(width, height);
    PaddedImage<std::uint8_t> padded(width, height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x)
        padded.Row(y)[x] = gray(x, y) = static_cast<std::uint8_t>(random.Between(0, contrast * x / width));
    }
    for (int y = 0; y < height; ++y) padded.ExtendRow(y);
    weights.SetSize(width, height);
    weights.Compute(padded, threads);
    const auto expected = reference::CostWeights(gray.ConstView(), rule, threads);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        ASSERT_EQ(weights.data()[y / kWeightTile_px * weights.stride() + x / kWeightTile_px],
                  expected(x / kWeightTile_px, y / kWeightTile_px))
            << width << "x" << height << ", " << x << " " << y;
      }
    }
  }
}

TEST(CpuCostWeights, NoneIfAllAreWhole) {
  const CostWeights weights(WeightRule{}, 20, 20);
  EXPECT_EQ(weights.data(), nullptr);
  EXPECT_EQ(CostWeights::BytesOf(WeightRule{}, 20, 20), 0U);
}

}  // namespace
}  // namespace parallax::cpu
