#include "cuda/sgm/cuda_census_transform.h"

#include <optional>

#include "pipeline/reference/stages.h"
#include "tests/cuda/require_device.h"
#include "tests/cuda/uploaded_images.h"

namespace parallax::test {
namespace {

class CudaCensusTransformTest : public CudaTest {
 protected:
  template <typename Pixel>
  void ExpectEqualCodes(CensusWindow window, int number, int largest_value) {
    ThreadPool threads(1);
    SweepRandom random(static_cast<std::uint64_t>(number) + 1);
    const auto [width, height] = RandomSize(number, random);
    const auto left = RandomImage<Pixel>(width, height, 0, largest_value, random),
               right = RandomImage<Pixel>(width, height, 0, largest_value, random);
    HostImage<std::uint64_t> expected_left(width, height), expected_right(width, height);
    reference::CensusTransform(left.ConstView(), window, expected_left.View(), threads);
    reference::CensusTransform(right.ConstView(), window, expected_right.View(), threads);
    const auto left_there = Uploaded(left, *stream_), right_there = Uploaded(right, *stream_);
    cuda::DeviceImage<std::uint32_t> left32(width, height), right32(width, height);
    cuda::DeviceImage<std::uint64_t> left64(width, height), right64(width, height);
    const bool has_code32 = cuda::HasCode32(window);
    cuda::CensusImages census;
    if (has_code32) census.left32 = left32.View(), census.right32 = right32.View();
    if (!has_code32) census.left64 = left64.View(), census.right64 = right64.View();
    cuda::CensusTransform(left_there.ConstView(), right_there.ConstView(), window, census, stream_->get());
    if (has_code32) {
      cuda::WidenCensus(left32.ConstView(), left64.View(), stream_->get());
      cuda::WidenCensus(right32.ConstView(), right64.View(), stream_->get());
    }
    EXPECT_EQ(DifferenceOf("left", expected_left, Downloaded(left64, *stream_)), "") << "case " << number;
    EXPECT_EQ(DifferenceOf("right", expected_right, Downloaded(right64, *stream_)), "") << "case " << number;
  }
  void SetUp() override {
    CudaTest::SetUp();
    if (!IsSkipped()) stream_.emplace();
  }
  std::optional<cuda::Stream> stream_;  // made where there is a device
};

TEST_F(CudaCensusTransformTest, EqualsTheReference) {
  for (std::size_t window = 0; window < std::size(kCensusWindowNames); ++window) {
    for (int number = 0; number < 8; ++number) {
      const auto shape = static_cast<CensusWindow>(window);
      ExpectEqualCodes<std::uint8_t>(shape, number, number % 2 == 0 ? 255 : 3);  // 3: many equal values
      ExpectEqualCodes<std::uint16_t>(shape, number, number % 2 == 0 ? 65535 : 3);
    }
  }
}

TEST_F(CudaCensusTransformTest, GrayImagesEqualTheReference) {
  for (int number = 0; number < 6; ++number) {
    SweepRandom random(static_cast<std::uint64_t>(number) + 1);
    const auto [width, height] = RandomSize(number, random);
    HostImage<Rgb8> color(width, height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const auto draw = [&] { return static_cast<std::uint8_t>(random.Between(0, 255)); };
        color(x, y) = {draw(), draw(), draw()};
      }
    }
    const auto gray16 = RandomImage<std::uint16_t>(width, height, 0, 65535, random);
    const auto color_there = Uploaded(color, *stream_);
    const auto gray16_there = Uploaded(gray16, *stream_);
    cuda::DeviceImage<std::uint8_t> gray(width, height), guide(width, height);
    cuda::GrayFromColor(color_there.ConstView(), gray.View(), stream_->get());
    cuda::GuideFromGray16(gray16_there.ConstView(), guide.View(), stream_->get());
    EXPECT_EQ(DifferenceOf("gray", reference::GrayFromColor(color.ConstView()), Downloaded(gray, *stream_)),
              "");
    EXPECT_EQ(
        DifferenceOf("guide", reference::GuideFromGray16(gray16.ConstView()), Downloaded(guide, *stream_)),
        "");
  }
}

}  // namespace
}  // namespace parallax::test
