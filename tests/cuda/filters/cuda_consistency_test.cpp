#include "cuda/filters/cuda_consistency.h"

#include "pipeline/reference/stages.h"
#include "tests/cuda/require_device.h"
#include "tests/cuda/uploaded_images.h"

namespace parallax::test {
namespace {

class CudaConsistencyTest : public CudaTest {};

TEST_F(CudaConsistencyTest, EqualsTheReference) {
  ThreadPool threads(1);
  const cuda::Stream stream;
  for (int number = 0; number < 40; ++number) {
    SweepRandom random(static_cast<std::uint64_t>(number) + 1);
    const auto [width, height] = RandomSize(number, random);
    const int num_disparities = random.Between(1, 200), min_disparity = random.OneOf(0, 0, -7, 12);
    const ConsistencyParameters parameters{.max_difference = random.OneOf(-1, 0, 1, 2, 300)};
    const auto left = RandomImage<std::uint16_t>(width, height, 0, num_disparities - 1, random);
    auto right = RandomImage<std::uint16_t>(width, height, 0, num_disparities - 1, random);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const int x_left = x + min_disparity + left(x, y);
        if (random.OneIn(9)) right(x, y) = cuda::kNoWinner;
        if (random.OneIn(2) && x_left >= 0 && x_left < width) right(x, y) = left(x_left, y);
      }
    }
    DisparityMap expected = RandomMap(width, height, random);
    const auto before = Clone(expected).disparity, other = RandomMap(width, height, random).disparity;
    UploadedMap map(expected, stream);
    reference::CheckConsistency(left.ConstView(), right.ConstView(), min_disparity, num_disparities,
                                parameters, expected, threads);
    auto winner_left = Uploaded(left, stream), winner_right = Uploaded(right, stream);
    auto selected = Uploaded(other, stream);
    cuda::CheckConsistency({winner_left.View(), winner_right.View()}, {min_disparity, num_disparities},
                           parameters, map.View(), number % 2 == 0 ? selected.View().data : nullptr,
                           stream.get());
    EXPECT_EQ(DifferenceOf("consistency", expected, map.Download(stream)), "") << "case " << number;
    EXPECT_EQ(DifferenceOf("kept", number % 2 == 0 ? before : other, Downloaded(selected, stream)), "")
        << "case " << number;
  }
}

// A row that is too long for 48 KB of shared memory.
TEST_F(CudaConsistencyTest, TakesTheWidestImage) {
  ThreadPool threads(1);
  const cuda::Stream stream;
  SweepRandom random(5);
  const auto left = RandomImage<std::uint16_t>(50000, 1, 0, 63, random),
             right = RandomImage<std::uint16_t>(50000, 1, 0, 63, random);
  DisparityMap expected = RandomMap(50000, 1, random);
  UploadedMap map(expected, stream);
  reference::CheckConsistency(left.ConstView(), right.ConstView(), 0, 64, {}, expected, threads);
  auto winner_left = Uploaded(left, stream), winner_right = Uploaded(right, stream);
  cuda::CheckConsistency({winner_left.View(), winner_right.View()}, {0, 64}, {}, map.View(), nullptr,
                         stream.get());
  EXPECT_EQ(DifferenceOf("consistency", expected, map.Download(stream)), "");
}

}  // namespace
}  // namespace parallax::test
