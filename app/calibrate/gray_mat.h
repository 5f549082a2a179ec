// Camera images for OpenCV's detectors.
#pragma once

#include <opencv2/core.hpp>

#include "pipeline/types/frame.h"

namespace parallax::app {

// The image in 8-bit gray, in OpenCV's memory.
cv::Mat GrayMat(const CameraImageView& image);

}  // namespace parallax::app
