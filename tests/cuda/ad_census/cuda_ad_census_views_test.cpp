#include "cuda/ad_census/cuda_ad_census_views.h"

#include <optional>

#include "tests/cuda/ad_census/reference_frame.h"
#include "tests/cuda/require_device.h"

namespace parallax::test {
namespace {

class CudaAdCensusViewsTest : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (!IsSkipped()) stream_.emplace();
  }
  // A byte an arm: left, right, up, down.
  HostImage<std::uint64_t> Arms(const cuda::ad_census::View& view, int width, int height) const {
    const std::size_t num_pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    std::vector<std::uint16_t> rows(num_pixels), columns(num_pixels);
    cuda::CopyNow(rows.data(), view.row_arms, num_pixels, stream_->get());
    cuda::CopyNow(columns.data(), view.column_arms, num_pixels, stream_->get());
    HostImage<std::uint64_t> arms(width, height);
    for (std::size_t i = 0; i < num_pixels; ++i) {
      arms(static_cast<int>(i) % width, static_cast<int>(i) / width) = rows[i] | std::uint64_t{columns[i]}
                                                                                     << 16;
    }
    return arms;
  }
  std::optional<cuda::Stream> stream_;
};

// The census codes have their own test: cuda/sgm/cuda_census_transform_test.cpp.
TEST_F(CudaAdCensusViewsTest, ArmsEqualTheReference) {
  for (int number = 0; number < kNumReferenceFrames; ++number) {
    ReferenceFrame frame(number, *stream_);
    const int width = frame.shape.width, height = frame.shape.height;
    EXPECT_EQ(DifferenceOf("arms_left", frame.Stage<HostImage<std::uint64_t>>("arms_left"),
                           Arms(frame.views().left, width, height)),
              "")
        << "case " << number;
    EXPECT_EQ(DifferenceOf("arms_right", frame.Stage<HostImage<std::uint64_t>>("arms_right"),
                           Arms(frame.views().right, width, height)),
              "")
        << "case " << number;
  }
}

}  // namespace
}  // namespace parallax::test
