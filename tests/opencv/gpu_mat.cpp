// Images in the memory of a GPU through parallax/opencv.h: compiled only, Debian's OpenCV has no CUDA.
#define PARALLAX_OPENCV_CUDA 1
#include "parallax/opencv.h"

void MatchOnDevice(const cv::cuda::GpuMat& left, const cv::cuda::GpuMat& right, cv::cuda::GpuMat& disparity,
                   cv::cuda::Stream& stream) {
  parallax::StereoSGBM::create(parallax::Parameters{}, {.backend = "cuda"})
      ->compute(left, right, disparity, stream);
}
