#include "app/pictures/error_picture.h"

#include <gtest/gtest.h>

#include "parallax/error.h"
#include "tests/support/nan.h"

namespace parallax::app {
namespace {

GroundTruth TruthOf(int width, float d) {
  GroundTruth truth;
  truth.disparity = HostImage<float>(width, 1, d);
  return truth;
}

Rgb8 ColorOfError(float truth, float estimate) {
  const GroundTruth ground_truth = TruthOf(1, truth);
  return ErrorPicture(HostImage<float>(1, 1, estimate).ConstView(), ground_truth)(0, 0);
}

TEST(ErrorPicture, BinsAreMultiplesOfThreePixelsAndFivePercent) {
  EXPECT_EQ(ColorOfError(10, 10), (Rgb8{49, 54, 149}));         // no error
  EXPECT_EQ(ColorOfError(10, 10.1875F), (Rgb8{69, 117, 180}));  // 0.1875 px = 1/16 of 3 px: next bin
  EXPECT_EQ(ColorOfError(10, 12.9F), (Rgb8{224, 243, 248}));    // below 3 px
  EXPECT_EQ(ColorOfError(10, 13), (Rgb8{254, 224, 144}));       // 3 px
  EXPECT_EQ(ColorOfError(100, 104), (Rgb8{224, 243, 248}));     // 4 px but 4 %
  EXPECT_EQ(ColorOfError(10, 70), (Rgb8{165, 0, 38}));          // 20 times 3 px
  EXPECT_EQ(ColorOfError(10, kNan), kMissingColor);
}

TEST(ErrorPicture, OccludedTruthIsHalfAsBright) {
  GroundTruth truth = TruthOf(2, 10);
  truth.nonoccluded = HostImage<std::uint8_t>(2, 1, 255);
  truth.nonoccluded(1, 0) = 128;
  const HostImage<float> estimate(2, 1, 13.0F);
  EXPECT_EQ(ErrorPicture(estimate.ConstView(), truth)(0, 0), (Rgb8{254, 224, 144}));
  EXPECT_EQ(ErrorPicture(estimate.ConstView(), truth)(1, 0), (Rgb8{127, 112, 72}));
}

TEST(ErrorPicture, SparseTruthIsThickenedOnlyWhereThereIsNone) {
  GroundTruth truth = TruthOf(5, kNan);
  truth.disparity(0, 0) = truth.disparity(1, 0) = 10;
  HostImage<float> estimate(5, 1, 10.0F);
  estimate(1, 0) = 13;
  const HostImage<Rgb8> picture = ErrorPicture(estimate.ConstView(), truth);
  EXPECT_EQ(picture(0, 0), (Rgb8{49, 54, 149}));
  EXPECT_EQ(picture(1, 0), (Rgb8{254, 224, 144}));
  EXPECT_EQ(picture(2, 0), (Rgb8{254, 224, 144}));
  EXPECT_EQ(picture(3, 0), Rgb8{});
}

TEST(ErrorPicture, SizesMustAgree) {
  EXPECT_THROW(ErrorPicture(HostImage<float>(2, 1, 0.0F).ConstView(), TruthOf(1, 1)), InvalidArgument);
}

}  // namespace
}  // namespace parallax::app
