#include "cuda/sgm/matching_cost.h"

#include "pipeline/reference/stages.h"
#include "tests/cuda/device_images.h"
#include "tests/cuda/require_device.h"
#include "tests/cuda/sgm/test_volumes.h"

namespace parallax::test {
namespace {

class CudaMatchingCostTest : public CudaTest {};

HostImage<std::uint64_t> RandomCodes(int width, int height, int bits, SweepRandom& random) {
  HostImage<std::uint64_t> codes(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto part = [&] { return static_cast<std::uint64_t>(random.Between(0, 0x7FFFFFFF)); };
      codes(x, y) = (part() << 40 ^ part() << 20 ^ part()) & ((std::uint64_t{1} << bits) - 1);
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
    SweepRandom random(static_cast<std::uint64_t>(number) + 1);
    const auto [width, height] = RandomSize(number, random);
    const Parameters parameters = RandomVolumeParameters(number, random);
    const MatchingTables tables = MakeMatchingTables(parameters);
    const CensusWindow window = parameters.census_transform.window;
    const auto left = RandomCodes(width, height, NumCensusBits(window), random),
               right = RandomCodes(width, height, NumCensusBits(window), random);
    HostCostVolume<std::uint8_t> expected(width, height, parameters.matching_cost.num_disparities);
    reference::MatchingCost(left.ConstView(), right.ConstView(), parameters.matching_cost.min_disparity,
                            tables, expected.View(), threads);

    TestVolumes volumes(parameters, width, height, stream);
    auto left32 = Uploaded(Narrowed(left), stream), right32 = Uploaded(Narrowed(right), stream);
    auto left64 = Uploaded(left, stream), right64 = Uploaded(right, stream);
    const bool has_code32 = cuda::HasCode32(window);
    cuda::MatchingCostInput input{.census = {}, .window = window, .outside_cost = tables.outside_cost};
    if (has_code32) input.census.left32 = left32.View(), input.census.right32 = right32.View();
    if (!has_code32) input.census.left64 = left64.View(), input.census.right64 = right64.View();
    cuda::MatchingCost(input, volumes.volumes(), stream.get());
    EXPECT_EQ(DifferenceOf("matching_cost", expected, volumes.DownloadCosts()), "") << "case " << number;
  }
}

}  // namespace
}  // namespace parallax::test
