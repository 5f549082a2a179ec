#include "cuda/sgm/cuda_matching_cost.h"

#include "cuda/sgm/tile_differences.h"

#include "pipeline/reference/stages.h"
#include "tests/cuda/require_device.h"
#include "tests/cuda/sgm/test_volumes.h"
#include "tests/cuda/uploaded_images.h"

namespace parallax::test {
namespace {

class CudaMatchingCostTest : public CudaTest {};

HostImage<std::uint64_t> RandomCodes(int width, int height, int bits, SweepRandom& random) {
  HostImage<std::uint64_t> codes(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto part = [&] { return static_cast<std::uint64_t>(random.Between(0, 0x7FFFFFFF)); };
      codes(x, y) = (part() << 40 ^ part() << 20 ^ part()) & ~std::uint64_t{0} >> (64 - bits);
    }
  }
  return codes;
}

HostImage<std::uint32_t> Narrowed(const HostImage<std::uint64_t>& codes) {
  HostImage<std::uint32_t> narrow(codes.width(), codes.height());
  for (int y = 0; y < codes.height(); ++y) {
    for (int x = 0; x < codes.width(); ++x) narrow(x, y) = static_cast<std::uint32_t>(codes(x, y));
  }
  return narrow;
}

TEST_F(CudaMatchingCostTest, EqualsTheReference) {
  ThreadPool threads(1);
  const cuda::Stream stream;
  for (int number = 0; number < 30; ++number) {
    VolumeCase c(number);
    auto& [random, width, height, parameters, tables] = c;
    const CensusWindow window = parameters.census_transform.window;
    const auto left = RandomCodes(width, height, NumCensusBits(window), random),
               right = RandomCodes(width, height, NumCensusBits(window), random);
    const auto gray_left = RandomImage<std::uint8_t>(width, height, 90, 110, random),
               gray_right = RandomImage<std::uint8_t>(width, height, 90, 110, random);
    const auto gradient_left = reference::GradientAlongRow(gray_left.ConstView(), threads),
               gradient_right = reference::GradientAlongRow(gray_right.ConstView(), threads);
    HostCostVolume<std::uint8_t> expected(width, height, parameters.matching_cost.num_disparities);
    reference::MatchingCost({left.ConstView(), gradient_left.ConstView()},
                            {right.ConstView(), gradient_right.ConstView()},
                            parameters.matching_cost.min_disparity, tables, expected.View(), threads);
    if (tables.weights.weighs()) {
      const auto weights = reference::CostWeights(gray_left.ConstView(), tables.weights, threads);
      reference::WeighCosts(weights.ConstView(), expected.View(), threads);
    }

    TestVolumes volumes(parameters, width, height, stream);
    auto left32 = Uploaded(Narrowed(left), stream), right32 = Uploaded(Narrowed(right), stream);
    auto left64 = Uploaded(left, stream), right64 = Uploaded(right, stream);
    const bool has_code32 = cuda::HasCode32(window);
    cuda::DeviceImage<std::uint32_t> gradients_left(width, height), gradients_right(width, height);
    const auto left_there = Uploaded(gray_left, stream), right_there = Uploaded(gray_right, stream);
    cuda::MatchingCostInput input{.census = {},
                                  .window = window,
                                  .gradients = {gradients_left.View(), gradients_right.View()},
                                  .gradient_cap = parameters.matching_cost.gradient_cap,
                                  .tables = tables};
    cuda::GradientsAlongRow(left_there.ConstView(), right_there.ConstView(), input.gradients, stream.get());
    cuda::DeviceImage<std::uint32_t> differences(NumWeightTiles(width), NumWeightTiles(height));
    if (tables.weights.weighs()) {
      cuda::SumTileDifferences(left_there.ConstView(), differences.View().data, stream.get());
      input.tile_differences = differences.View().data;
    }
    if (has_code32) input.census.left32 = left32.View(), input.census.right32 = right32.View();
    if (!has_code32) input.census.left64 = left64.View(), input.census.right64 = right64.View();
    cuda::MatchingCost(input, volumes.volumes(), stream.get());
    EXPECT_EQ(DifferenceOf("matching_cost", expected, volumes.DownloadCosts()), "") << "case " << number;
  }
}

}  // namespace
}  // namespace parallax::test
