// OpenCV's pictures as the library takes them.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>

#include "parallax/image.h"

namespace parallax::test {

inline HostImageView<const std::uint8_t> GrayViewOf(const cv::Mat& image) {
  return {image.ptr(), image.cols, image.rows, static_cast<std::ptrdiff_t>(image.step[0])};
}

}  // namespace parallax::test
