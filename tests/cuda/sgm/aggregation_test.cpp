#include "cuda/sgm/aggregation.h"

#include <algorithm>

#include "cuda/sgm/penalty_jumps.h"
#include "pipeline/reference/stages.h"
#include "tests/cuda/require_device.h"
#include "tests/cuda/sgm/test_volumes.h"
#include "tests/cuda/uploaded_images.h"
#include "tests/support/plain_parameters.h"

namespace parallax::test {
namespace {

class CudaAggregationTest : public CudaTest {};

TEST_F(CudaAggregationTest, EqualsTheReference) {
  ThreadPool threads(1);
  const cuda::Stream stream;
  for (int number = 0; number < 40; ++number) {
    VolumeCase c(number);
    auto& [random, width, height, parameters, tables] = c;
    const int num_disparities = parameters.matching_cost.num_disparities;
    const auto costs =
        RandomVolume<std::uint8_t>(width, height, num_disparities, tables.largest_cost, random);
    const auto guide = RandomImage<std::uint8_t>(width, height, 0, 255, random);
    HostCostVolume<std::uint16_t> expected(width, height, num_disparities);
    reference::AggregateCosts(costs.ConstView(), guide.ConstView(), tables, expected.View(), threads);

    const CudaTuning tuning{.pairs_rows_from = number % 2 == 0 ? 0 : 1'000'000};
    TestVolumes volumes(parameters, width, height, stream, tuning);
    volumes.UploadCosts(costs.ConstView());
    const auto guide_there = Uploaded(guide, stream);
    const cuda::VolumeLayout& layout = volumes.layout();
    const cuda::JumpTable table = cuda::MakeJumpTable(tables);
    cuda::DeviceBuffer<std::uint16_t> table_there(table.size());
    cuda::CopyNow(table_there.data(), table.data(), table.size(), stream.get());
    cuda::DeviceBuffer<std::uint32_t> jumps(static_cast<std::size_t>(layout.num_volumes) *
                                            cuda::NumJumpWords(layout));
    if (cuda::HasJumps(layout, tables)) {
      cuda::FindJumps(guide_there.ConstView(), table_there.data(), layout, jumps.data(), stream.get());
    }
    const cuda::AggregationInput input{.tables = tables, .jumps = jumps.data()};
    if (volumes.layout().columns_first) cuda::AggregateColumns(input, volumes.volumes(), stream.get());
    cuda::AggregateRows(input, volumes.volumes(), stream.get());
    if (!volumes.layout().columns_first) cuda::AggregateColumns(input, volumes.volumes(), stream.get());
    EXPECT_EQ(DifferenceOf("aggregation", expected, volumes.DownloadSumsOfPaths()), "") << "case " << number;
  }
}

// What every image up to a size needs is never more than what the largest has taken.
TEST(CudaAggregationMemoryTest, CheckpointsOfSmallerImagesFit) {
  for (const int num_disparities : {64, 128, 192, 256, 512, 1024}) {
    for (const int num_paths : {4, 8}) {
      Parameters parameters = test::PlainParameters();
      parameters.matching_cost.num_disparities = num_disparities;
      parameters.aggregation.num_paths = num_paths;
      const MatchingTables tables = MakeMatchingTables(parameters);
      for (const auto& [width, height] : {std::pair(1242, 375), {97, 800}, {640, 480}, {33, 2}}) {
        const std::size_t most =
            cuda::MostCheckpointBytes(cuda::MakeVolumeLayout(parameters, tables, width, height));
        std::size_t needed = 0;
        for (int w = 1; w <= width; w += w < 70 ? 1 : 13) {
          for (int h = 1; h <= height; h += h < 70 ? 1 : 13) {
            needed =
                std::max(needed, cuda::CheckpointBytes(cuda::MakeVolumeLayout(parameters, tables, w, h)));
          }
        }
        EXPECT_LE(needed, most) << width << 'x' << height << ", D " << num_disparities;
      }
    }
  }
}

}  // namespace
}  // namespace parallax::test
