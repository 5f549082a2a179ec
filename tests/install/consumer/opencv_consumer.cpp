// A program of OpenCV's with parallax in the place of StereoSGBM: a random texture shifted by 9 px.
#include <cmath>
#include <cstdio>
#include <opencv2/calib3d.hpp>

#include <parallax/opencv.h>

int main() {
  cv::Mat texture(60, 209, CV_8U), disparity;
  cv::randu(texture, 0, 255);
  const cv::Mat left = texture.colRange(0, 200), right = texture.colRange(9, 209);
  const cv::Ptr<cv::StereoSGBM> matcher = parallax::StereoSGBM::create(0, 32, 3);
  matcher->compute(left, right, disparity);
  const double inside = cv::mean(disparity(cv::Rect(40, 5, 150, 50)))[0] / 16;
  std::printf("mean disparity %.3f px\n", inside);
  return std::abs(inside - 9) < 0.1 ? 0 : 1;
}
