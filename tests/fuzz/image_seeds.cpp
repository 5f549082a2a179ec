// The images that fuzz targets begin with, as OpenCV writes them. Loaded by targets/codecs.cpp.
#include <cstdint>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<std::uint8_t>;

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

}  // namespace

extern "C" void MakeImageSeeds(const char* target, std::vector<Bytes>& seeds) {
  const std::string name = target;
  if (name == "jpeg") {
    seeds = {Encoded(".jpg", CV_8UC1), Encoded(".jpg", CV_8UC3),
             Encoded(".jpg", CV_8UC1, {cv::IMWRITE_JPEG_PROGRESSIVE, 1}),
             Encoded(".jpg", CV_8UC3, {cv::IMWRITE_JPEG_RST_INTERVAL, 1})};
  } else if (name == "tiff") {
    seeds = {Encoded(".tiff", CV_8UC1), Encoded(".tiff", CV_8UC3),
             Encoded(".tiff", CV_8UC1, {cv::IMWRITE_TIFF_COMPRESSION, 1})};
  } else if (name == "truth_image") {
    seeds = {Encoded(".png", CV_8UC1), Encoded(".png", CV_8UC3), Encoded(".pgm", CV_8UC1)};
  } else {
    seeds = {Encoded(".bmp", CV_8UC1), Encoded(".bmp", CV_8UC3), Encoded(".png", CV_8UC4),
             Encoded(".png", CV_8UC1, {cv::IMWRITE_PNG_BILEVEL, 1}), Encoded(".ppm", CV_8UC3)};
  }
}
