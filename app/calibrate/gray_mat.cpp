#include "app/calibrate/gray_mat.h"

#include <cstdint>

#include "pipeline/rules/gray_image.h"

namespace parallax::app {

cv::Mat GrayMat(const CameraImageView& image) {
  cv::Mat gray(HeightOf(image), WidthOf(image), CV_8UC1);
  const HostImageView<std::uint8_t> view(gray.data, gray.cols, gray.rows,
                                         static_cast<std::ptrdiff_t>(gray.step[0]));
  GrayRows(image, 0, gray.rows, view);
  return gray;
}

}  // namespace parallax::app
