#include "calibrate/gray_mat.h"

#include <new>
#include <string>

#include <cstdint>

#include "pipeline/rules/gray_image.h"

namespace parallax {

cv::Mat GrayMat(const CameraImageView& image) {
  cv::Mat gray(HeightOf(image), WidthOf(image), CV_8UC1);
  const HostImageView<std::uint8_t> view(gray.data, gray.cols, gray.rows,
                                         static_cast<std::ptrdiff_t>(gray.step[0]));
  GrayRows(image, 0, gray.rows, view);
  return gray;
}

void RethrowRefusedMemory(const cv::Exception& error) {
  for (const char* const text : {"Failed to allocate", "bad_alloc"}) {
    if (error.err.find(text) != std::string::npos) throw std::bad_alloc();
  }
  if (error.code == cv::Error::StsNoMem) throw std::bad_alloc();
}

}  // namespace parallax
