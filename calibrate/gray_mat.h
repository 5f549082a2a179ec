// Camera images for OpenCV's detectors.
#pragma once

#include <opencv2/core.hpp>

#include "pipeline/types/frame.h"

namespace parallax {

// The image in 8-bit gray, in OpenCV's memory.
cv::Mat GrayMat(const CameraImageView& image);

// The image with the mean and the contrast that matching expects, so that exposure has no influence.
cv::Mat WithUsualContrast(const cv::Mat& gray, double mean, double deviation);

// Throws std::bad_alloc if the error reports refused memory; OpenCV's threads say so only in the text.
void RethrowRefusedMemory(const cv::Exception& error);

}  // namespace parallax
