// JPEG and the rare kinds of PNG: the pixels that OpenCV gives, and damage that OpenCV only prints.
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <variant>
#include <vector>

#include "datasets/formats/image_file.h"
#include "tests/datasets/test_files.h"

namespace parallax {
namespace {

using test::ErrorOf;
using test::TemporaryFolder;
using testing::HasSubstr;

// Noise with some structure, so that blocks of a JPEG differ.
cv::Mat Picture(int type, int width = 67, int height = 45) {
  cv::Mat picture(height, width, type);
  cv::setRNGSeed(3);
  cv::randu(picture, cv::Scalar::all(0), cv::Scalar::all(picture.depth() == CV_16U ? 65536 : 256));
  return picture;
}

std::string Encoded(const char* ending, const cv::Mat& picture, const std::vector<int>& how = {}) {
  std::vector<unsigned char> bytes;
  cv::imencode(ending, picture, bytes, how);
  return {bytes.begin(), bytes.end()};
}

// That ReadImage gives what cv::imdecode does.
void ExpectAsOpencv(const std::string& bytes, const char* name) {
  const TemporaryFolder dir;
  const CameraImage image = ReadImage(test::WriteText(dir / name, bytes));
  const cv::Mat want = cv::imdecode(std::vector<unsigned char>(bytes.begin(), bytes.end()),
                                    cv::IMREAD_ANYDEPTH | cv::IMREAD_ANYCOLOR);
  ASSERT_EQ(WidthOf(ViewOf(image)), want.cols);
  for (int y = 0; y < want.rows; ++y) {
    for (int x = 0; x < want.cols; ++x) {
      if (const auto* gray = std::get_if<HostImage<std::uint8_t>>(&image)) {
        ASSERT_EQ((*gray)(x, y), want.at<std::uint8_t>(y, x)) << name << " at " << x << "," << y;
      } else {
        const cv::Vec3b bgr = want.at<cv::Vec3b>(y, x);
        ASSERT_EQ(std::get<HostImage<Rgb8>>(image)(x, y), (Rgb8{bgr[2], bgr[1], bgr[0]}))
            << name << " at " << x << "," << y;
      }
    }
  }
}

TEST(Decoders, JpegIsAsOpencvReadsIt) {
  for (const int type : {CV_8UC1, CV_8UC3}) {
    ExpectAsOpencv(Encoded(".jpg", Picture(type)), "a.jpg");
    ExpectAsOpencv(
        Encoded(".jpg", Picture(type), {cv::IMWRITE_JPEG_PROGRESSIVE, 1, cv::IMWRITE_JPEG_QUALITY, 60}),
        "b.jpg");
  }
}

TEST(Decoders, ADamagedJpegIsAnError) {
  const TemporaryFolder dir;
  const std::string whole = Encoded(".jpg", Picture(CV_8UC3, 200, 120));
  std::string zeros = whole;
  const std::size_t middle = zeros.size() / 2;
  zeros.replace(middle, 3000, std::string(3000, '\0'));
  testing::internal::CaptureStderr();
  EXPECT_THAT(ErrorOf([&] { ReadImage(test::WriteText(dir / "a.jpg", zeros)); }),
              HasSubstr("a.jpg: the image is truncated or damaged (JPEG: "));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Decoders, RarePngIsAsOpencvReadsIt) {
  const cv::Mat rgba = Picture(CV_8UC4);
  ExpectAsOpencv(Encoded(".png", rgba), "rgba.png");
  cv::Mat bits = Picture(CV_8UC1) > 127;
  ExpectAsOpencv(Encoded(".png", bits, {cv::IMWRITE_PNG_BILEVEL, 1}), "bits.png");
}

TEST(Decoders, DeepColourIsRoundedTo8Bits) {
  const TemporaryFolder dir;
  const cv::Mat deep = Picture(CV_16UC3);
  const CameraImage image = ReadImage(test::WriteText(dir / "deep.png", Encoded(".png", deep)));
  for (int y = 0; y < deep.rows; ++y) {
    for (int x = 0; x < deep.cols; ++x) {
      cv::Mat in8;
      cv::Mat(1, 1, CV_16UC3, const_cast<cv::Vec3w*>(&deep.at<cv::Vec3w>(y, x)))
          .convertTo(in8, CV_8UC3, 1.0 / 257);
      const cv::Vec3b bgr = in8.at<cv::Vec3b>(0, 0);
      ASSERT_EQ(std::get<HostImage<Rgb8>>(image)(x, y), (Rgb8{bgr[2], bgr[1], bgr[0]}));
    }
  }
}

TEST(Decoders, ATiffThatIsCutShortSaysSoOnce) {
  const TemporaryFolder dir;
  const std::string whole = Encoded(".tif", Picture(CV_8UC1, 200, 120));
  testing::internal::CaptureStderr();
  for (const std::size_t size : {whole.size() / 4, whole.size() / 2, whole.size() - 20}) {
    EXPECT_NE(ErrorOf([&] { ReadImage(test::WriteText(dir / "a.tif", whole.substr(0, size))); }), "") << size;
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ReadImage(test::WriteText(dir / "whole.tif", whole));
}

}  // namespace
}  // namespace parallax
