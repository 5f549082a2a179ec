#include "cuda/sgm/cuda_selection.h"

#include <array>

#include "pipeline/reference/stages.h"
#include "tests/cuda/require_device.h"
#include "tests/cuda/sgm/test_volumes.h"
#include "tests/cuda/uploaded_images.h"

namespace parallax::test {
namespace {

class CudaSelectionTest : public CudaTest {
 protected:
  // Fills the volumes with numbers and returns what they come to.
  template <typename T>
  HostCostVolume<std::uint16_t> FillSums(TestVolumes& volumes, int largest, SweepRandom& random) {
    const cuda::VolumeLayout& layout = volumes.layout();
    const int width = layout.width, height = layout.height, num_disparities = layout.num_disparities;
    auto sums = RandomVolume<std::uint16_t>(width, height, num_disparities, 0, random);
    const std::size_t count = layout.num_pixels() * static_cast<std::size_t>(num_disparities);
    const auto add = [&](const auto& volume, int times) {
      for (std::size_t i = 0; i < count; ++i) {
        sums.View().data[i] = static_cast<std::uint16_t>(sums.View().data[i] + times * volume.View().data[i]);
      }
    };
    const auto costs = RandomVolume<std::uint8_t>(width, height, num_disparities, 62, random);
    volumes.UploadCosts(costs.ConstView());
    if (layout.leaves_costs_out) add(costs, 2 * layout.num_volumes);
    for (int v = 0; v < layout.num_volumes; ++v) {
      const auto volume = RandomVolume<T>(width, height, num_disparities, largest, random);
      volumes.UploadSums<T>(volume.ConstView(), v);
      add(volume, 1);
    }
    return sums;
  }
};

TEST(CudaSelection, WidthIsBoundBySharedMemory) {
  EXPECT_EQ(cuda::LargestWidth_px(64 * 1024), 11263);  // compute capability 7.5
  EXPECT_EQ(cuda::LargestWidth_px(99 * 1024), 20223);  // 8.6, 8.9, 12.x
  EXPECT_EQ(cuda::LargestWidth_px(227 * 1024), 50000);
}

TEST_F(CudaSelectionTest, EqualsTheReference) {
  ThreadPool threads(1);
  const cuda::Stream stream;
  for (int number = 0; number < 40; ++number) {
    VolumeCase c(number);
    auto& [random, width, height, parameters, tables] = c;
    const MatchingCostParameters& range = parameters.matching_cost;
    // As on cards whose blocks have less shared memory than this one's, with rows that take most of it, too.
    const CudaTuning tuning{.shared_bytes = std::array{0, 48, 64, 99}[number / 2 % 4] * 1024};
    const bool is_wide = number % 8 == 3;
    if (is_wide) width = cuda::LargestWidth_px(tuning.shared_bytes), height = 2;
    TestVolumes volumes(parameters, width, height, stream, tuning);
    // Few values, so that there are ties; many, as costs are.
    const bool few = random.OneIn(2), is_byte = volumes.layout().bytes_per_sum == 1;
    const HostCostVolume<std::uint16_t> sums = is_byte
                                                   ? FillSums<std::uint8_t>(volumes, few ? 3 : 254, random)
                                                   : FillSums<std::uint16_t>(volumes, few ? 3 : 8000, random);
    HostImage<std::uint16_t> expected_left(width, height), expected_right(width, height);
    DisparityMap expected{HostImage<float>(width, height), HostImage<std::uint8_t>(width, height),
                          HostImage<std::uint8_t>(width, height)};
    reference::SelectDisparities(sums.ConstView(), range.min_disparity, parameters.selection,
                                 expected_left.View(), expected, threads);
    reference::SelectRightWinners(sums.ConstView(), range.min_disparity, expected_right.View(), threads);

    cuda::DeviceImage<std::uint16_t> left(width, height), right(width, height);
    UploadedMap selected(width, height, stream);
    cuda::SelectDisparities(volumes.volumes(), parameters.selection, {left.View(), right.View()},
                            selected.View(), stream.get());
    EXPECT_EQ(DifferenceOf("winner_left", expected_left, Downloaded(left, stream)), "") << "case " << number;
    EXPECT_EQ(DifferenceOf("winner_right", expected_right, Downloaded(right, stream)), "")
        << "case " << number;
    EXPECT_EQ(DifferenceOf("selection", expected, selected.Download(stream)), "") << "case " << number;

    reference::CheckConsistency(expected_left.ConstView(), expected_right.ConstView(), range.min_disparity,
                                range.num_disparities, parameters.consistency, expected, threads);
    UploadedMap checked(width, height, stream);
    ASSERT_EQ(cuda::FitsSelectAndCheck(volumes.layout()), !is_wide);
    if (is_wide) continue;
    cuda::SelectAndCheck(volumes.volumes(), parameters.selection, parameters.consistency, checked.View(),
                         stream.get());
    EXPECT_EQ(DifferenceOf("with consistency", expected, checked.Download(stream)), "") << "case " << number;
  }
}

}  // namespace
}  // namespace parallax::test
