// A program written for cv::StereoSGBM, and what changes when parallax takes its place: one line.
//
//   stereo LEFT RIGHT [TRUTH.png]      TRUTH: as KITTI's, disparity * 256
//
// Prints the time of each, the share of pixels that have a value and, where there is a truth, how many of its
// pixels are more than 3 px off: of those with a value, and of all, none counting as wrong. The last row has
// the holes filled, which OpenCV's cannot.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <utility>
#include <vector>

#include <parallax/opencv.h>

namespace {

struct Figures {
  double ms = 0;                    // median of five
  double density = 0;               // of all pixels
  double bad = 0, bad_or_none = 0;  // of the pixels with truth and a value; of those with truth
};

// The settings of OpenCV's sample stereo_match.cpp.
Figures Measure(cv::StereoSGBM& matcher, const cv::Mat& left, const cv::Mat& right, const cv::Mat& truth,
                int num_disparities) {
  const int channels = left.channels();
  matcher.setPreFilterCap(63);
  matcher.setBlockSize(3);
  matcher.setP1(8 * channels * 3 * 3);
  matcher.setP2(32 * channels * 3 * 3);
  matcher.setMinDisparity(0);
  matcher.setNumDisparities(num_disparities);
  matcher.setUniquenessRatio(10);
  matcher.setSpeckleWindowSize(100);
  matcher.setSpeckleRange(32);
  matcher.setDisp12MaxDiff(1);
  matcher.setMode(cv::StereoSGBM::MODE_SGBM);

  cv::Mat disparity;
  std::vector<double> times_ms;
  for (int i = 0; i < 6; ++i) {  // the first one makes its buffers
    const auto start = std::chrono::steady_clock::now();
    matcher.compute(left, right, disparity);
    const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
    if (i > 0) times_ms.push_back(passed.count());
  }
  std::sort(times_ms.begin(), times_ms.end());

  Figures figures{.ms = times_ms[2], .density = cv::mean(disparity >= 0)[0] / 255};
  if (truth.empty()) return figures;
  int num_bad = 0, num_valued = 0, num_known = 0;
  for (int y = 0; y < truth.rows; ++y) {
    for (int x = 0; x < truth.cols; ++x) {
      if (truth.at<std::uint16_t>(y, x) == 0) continue;
      ++num_known;
      if (disparity.at<short>(y, x) < 0) continue;
      ++num_valued;
      num_bad += std::abs(disparity.at<short>(y, x) / 16.0 - truth.at<std::uint16_t>(y, x) / 256.0) > 3;
    }
  }
  figures.bad = double(num_bad) / std::max(num_valued, 1);
  figures.bad_or_none = double(num_bad + num_known - num_valued) / std::max(num_known, 1);
  return figures;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: stereo LEFT RIGHT [TRUTH.png]\n");
    return 2;
  }
  const cv::Mat left = cv::imread(argv[1], cv::IMREAD_GRAYSCALE);
  const cv::Mat right = cv::imread(argv[2], cv::IMREAD_GRAYSCALE);
  const cv::Mat truth = argc == 4 ? cv::imread(argv[3], cv::IMREAD_UNCHANGED) : cv::Mat();
  if (left.empty() || right.empty() || (argc == 4 && truth.type() != CV_16UC1)) {
    std::fprintf(stderr, "stereo: an image cannot be read\n");
    return 1;
  }

  const cv::Ptr<cv::StereoSGBM> theirs = cv::StereoSGBM::create();
  const cv::Ptr<cv::StereoSGBM> ours = parallax::StereoSGBM::create();  // the line
  const cv::Ptr<parallax::StereoSGBM> filled = parallax::StereoSGBM::create();
  filled->setFill(true);

  try {
    const std::pair<const char*, cv::Ptr<cv::StereoSGBM>> matchers[] = {
        {"cv::StereoSGBM", theirs}, {"parallax::StereoSGBM", ours}, {"parallax, filled", filled}};
    std::printf("%-22s %9s %10s %14s %16s\n", "", "ms", "density %", "off by 3 px %", "off or none %");
    for (const auto& [name, matcher] : matchers) {
      const Figures figures = Measure(*matcher, left, right, truth, 128);
      std::printf("%-22s %9.1f %10.1f %14.2f %16.2f\n", name, figures.ms, 100 * figures.density,
                  100 * figures.bad, 100 * figures.bad_or_none);
    }
  } catch (const cv::Exception& error) {
    std::fprintf(stderr, "stereo: %s\n", error.what());
    return 1;
  }
  return 0;
}
