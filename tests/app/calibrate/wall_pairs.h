// Rendered pairs whose disparities are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "parallax/image.h"
#include "tests/support/images.h"

namespace parallax::test {

inline HostImageView<const std::uint8_t> GrayViewOf(const cv::Mat& image) {
  return {image.ptr(), image.cols, image.rows, static_cast<std::ptrdiff_t>(image.step[0])};
}

struct WallPair {
  cv::Mat left, right;
};

// Blots of noise, whose left image is that of walls with these disparities, one below the other.
inline WallPair Walls(const std::vector<double>& disparities, unsigned seed = 1) {
  constexpr int kWidth = 640, kHeight = 480;
  cv::Mat noise(kHeight, 2 * kWidth, CV_8UC1);
  for (int y = 0; y < noise.rows; ++y) {
    for (int x = 0; x < noise.cols; ++x) noise.at<std::uint8_t>(y, x) = NoiseAt(x / 7, y / 7, seed);
  }
  cv::GaussianBlur(noise, noise, {}, 1.5);
  WallPair pair;
  pair.left = noise(cv::Rect(kWidth / 2, 0, kWidth, kHeight)).clone();
  pair.right = pair.left.clone();
  const int height = kHeight / static_cast<int>(disparities.size());
  for (std::size_t i = 0; i < disparities.size(); ++i) {
    const int top = static_cast<int>(i) * height;
    const int x = kWidth / 2 + static_cast<int>(disparities[i]);
    noise(cv::Rect(x, top, kWidth, height)).copyTo(pair.right(cv::Rect(0, top, kWidth, height)));
  }
  return pair;
}

}  // namespace parallax::test
