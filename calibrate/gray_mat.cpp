#include "calibrate/gray_mat.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>

#include "pipeline/rules/gray_image.h"

namespace parallax {

cv::Mat GrayMat(const CameraImageView& image) {
  cv::Mat gray(HeightOf(image), WidthOf(image), CV_8UC1);
  const HostImageView<std::uint8_t> view(gray.data, gray.cols, gray.rows,
                                         static_cast<std::ptrdiff_t>(gray.step[0]));
  GrayRows(image, 0, gray.rows, view);
  return gray;
}

cv::Mat WithUsualContrast(const cv::Mat& gray, double mean, double deviation) {
  constexpr double kUsualDeviation = 50, kUsualMean = 128, kMostGain = 8;
  const double gain = std::min(kMostGain, kUsualDeviation / std::max(1.0, deviation));
  cv::Mat result;
  gray.convertTo(result, CV_8U, gain, kUsualMean - gain * mean);
  return result;
}

void RethrowRefusedMemory(const cv::Exception& error) {
  for (const char* const text : {"Failed to allocate", "bad_alloc"}) {
    if (error.err.find(text) != std::string::npos) throw std::bad_alloc();
  }
  if (error.code == cv::Error::StsNoMem) throw std::bad_alloc();
}

}  // namespace parallax
