// What other libraries decode: JPEG, TIFF, BMP, PNG of rare kinds, videos.
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/live/players.h"
#include "parallax/error.h"
#include "tests/fuzz/target_list.h"
#include "tests/support/avi_video.h"

namespace parallax::fuzz {
namespace {

void FeedImageFile(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [](const auto& path) {
    const CameraImage image = ReadImage(path);
    std::visit([](const auto& i) { Require(i.width() > 0 && i.height() > 0, "the image has pixels"); },
               image);
  });
}

void FeedTruthImage(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [](const auto& path) { Require(ReadGray8(path).width() > 0, "the mask has pixels"); });
  ReadAsFile(bytes, [](const auto& path) { Require(ReadGray16(path).width() > 0, "the image has pixels"); });
  ReadAsFile(bytes, [](const auto& path) {
    const HostImage<float> map = ReadScaledDisparity(path, 4);
    Require(!(map(0, 0) < 0) && !(map(0, 0) > 64), "a scaled value is in range");
  });
}

// Pictures of one size, or an error of one line.
void FeedVideo(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [](const auto& path) {
    const auto source = OpenVideo({path.string()});
    for (int i = 0; i < 4 && source->NextName(); ++i) {
      const StereoFrame frame = source->Read();
      Require(WidthOf(ViewOf(frame.left)) == WidthOf(ViewOf(frame.right)), "both halves are of one size");
    }
  });
}

Bytes Encoded(const char* ending, int type, const std::vector<int>& settings = {}) {
  cv::Mat image(8, 12, type);
  for (int y = 0; y < image.rows; ++y) {
    for (int x = 0; x < image.cols * image.channels(); ++x)
      image.ptr(y)[x] = static_cast<std::uint8_t>(17 * x + 29 * y);
  }
  Bytes bytes;
  cv::imencode(ending, image, bytes, settings);
  return bytes;
}

std::vector<Bytes> JpegSeeds() {
  return {Encoded(".jpg", CV_8UC1), Encoded(".jpg", CV_8UC3),
          Encoded(".jpg", CV_8UC1, {cv::IMWRITE_JPEG_PROGRESSIVE, 1}),
          Encoded(".jpg", CV_8UC3, {cv::IMWRITE_JPEG_RST_INTERVAL, 1})};
}
std::vector<Bytes> TiffSeeds() {
  return {Encoded(".tiff", CV_8UC1), Encoded(".tiff", CV_8UC3),
          Encoded(".tiff", CV_8UC1, {cv::IMWRITE_TIFF_COMPRESSION, 1})};
}
// Findings: what looks like DICOM was given to a library that ended the program; sizes that no file holds.
Bytes Dicom() {
  Bytes bytes(128, 0);
  for (const char c : std::string_view("DICM\x02\0\0\0\0D\0\0\xff\xff", 14))
    bytes.push_back(static_cast<std::uint8_t>(c));
  return bytes;
}

std::vector<Bytes> OtherImageSeeds() {
  return {Encoded(".bmp", CV_8UC1),
          Encoded(".bmp", CV_8UC3),
          Encoded(".png", CV_8UC4),
          Encoded(".png", CV_8UC1, {cv::IMWRITE_PNG_BILEVEL, 1}),
          Encoded(".ppm", CV_8UC3),
          Dicom(),
          BytesOf("P3\n88888 8888\n255\n1 2 3"),
          BytesOf("P2\n12555 55555\n55\n5")};
}
std::vector<Bytes> TruthImageSeeds() {
  return {Encoded(".png", CV_8UC1), Encoded(".png", CV_8UC3), Encoded(".pgm", CV_8UC1)};
}

std::string GrayVideo() {
  std::string video = "YUV4MPEG2 W16 H8 F10:1 Ip A1:1 Cmono\n";
  for (int i = 0; i < 3; ++i) video += "FRAME\n" + std::string(16 * 8, static_cast<char>(40 + 20 * i));
  return video;
}

}  // namespace

const Target kJpeg{"jpeg", FeedImageFile, JpegSeeds};
const Target kTiff{"tiff", FeedImageFile, TiffSeeds};
const Target kOtherImage{"other_image", FeedImageFile, OtherImageSeeds};
const Target kTruthImage{"truth_image", FeedTruthImage, TruthImageSeeds};
const Target kVideo{"video", FeedVideo, [] {
                      return std::vector<Bytes>{BytesOf(GrayVideo()), BytesOf(test::AviVideo(2, 2))};
                    }};

}  // namespace parallax::fuzz
