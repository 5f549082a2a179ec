#include "cuda/ad_census/cuda_ad_census_selection.h"

#include "tests/cuda/ad_census/reference_frame.h"
#include "tests/cuda/require_device.h"

namespace parallax::test {
namespace {

class CudaAdCensusSelectionTest : public CudaTest {};

TEST_F(CudaAdCensusSelectionTest, EqualsTheReference) {
  const cuda::Stream stream;
  for (int number = 0; number < kNumReferenceFrames; ++number) {
    ReferenceFrame frame(number, stream);
    const int width = frame.shape.width, height = frame.shape.height;
    const int uniqueness_percent = frame.parameters.selection.uniqueness_percent;
    const auto sums = frame.UploadedVolume("sums");
    cuda::DeviceImage<std::uint16_t> left(width, height), right(width, height);
    UploadedMap selected(width, height, stream);
    cuda::ad_census::SelectDisparities({sums.data(), nullptr}, frame.shape, uniqueness_percent,
                                       {left.View(), right.View()}, selected.View(), stream.get());
    const auto& winners = frame.Stage<HostImage<std::uint16_t>>("winner_left");
    EXPECT_EQ(DifferenceOf("winner_left", winners, Downloaded(left, stream)), "") << "case " << number;
    EXPECT_EQ(DifferenceOf("selected", frame.Map("selected"), selected.Download(stream)), "")
        << "case " << number;
    if (frame.parameters.ad_census.right_winner == RightWinner::kDiagonal) {
      EXPECT_EQ(DifferenceOf("winner_right", frame.Stage<HostImage<std::uint16_t>>("winner_right"),
                             Downloaded(right, stream)),
                "")
          << "case " << number;
    }

    cuda::DeviceImage<std::uint16_t> left_alone(width, height);
    UploadedMap selected_alone(width, height, stream);
    cuda::ad_census::SelectLeftDisparities({sums.data(), nullptr}, frame.shape, uniqueness_percent,
                                           left_alone.View(), selected_alone.View(), stream.get());
    EXPECT_EQ(DifferenceOf("winner_left alone", winners, Downloaded(left_alone, stream)), "")
        << "case " << number;
    EXPECT_EQ(DifferenceOf("selected alone", frame.Map("selected"), selected_alone.Download(stream)), "")
        << "case " << number;
  }
}

}  // namespace
}  // namespace parallax::test
