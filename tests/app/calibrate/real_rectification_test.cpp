// Raw pairs of KITTI and EuRoC, rectified by what those who took them say of their cameras.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <opencv2/calib3d.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "calibrate/gray_mat.h"
#include "datasets/source.h"
#include "pipeline/calibration/rectification.h"
#include "pipeline/calibration/rectifier.h"
#include "tests/datasets/test_files.h"

namespace parallax::app {
namespace {

constexpr const char* kKitti = "kitti_raw/2011_09_26/2011_09_26_drive_unknown_extract";

std::vector<StereoFrame> ReadRaw(const char* folder) {
  const auto source = OpenSource({(test::RealData() / folder).string()}, {});
  std::vector<StereoFrame> frames;
  while (source->NextName()) frames.push_back(source->Read());
  return frames;
}

// The median distance of the rows on which features lie that choose each other: 2,000 of OpenCV's ORB, whose
// places are whole pixels of the image or of one that was made smaller.
double RowDistanceOfFeatures(const std::vector<StereoFrame>& frames) {
  std::vector<double> distances;
  for (const StereoFrame& frame : frames) {
    const auto orb = cv::ORB::create(2000);
    std::array<std::vector<cv::KeyPoint>, 2> features;
    std::array<cv::Mat, 2> descriptors;
    orb->detectAndCompute(GrayMat(ViewOf(frame.left)), cv::noArray(), features[0], descriptors[0]);
    orb->detectAndCompute(GrayMat(ViewOf(frame.right)), cv::noArray(), features[1], descriptors[1]);
    std::vector<cv::DMatch> matches;
    cv::BFMatcher(cv::NORM_HAMMING, true).match(descriptors[0], descriptors[1], matches);
    for (const cv::DMatch& match : matches) {
      distances.push_back(std::abs(features[0][static_cast<std::size_t>(match.queryIdx)].pt.y -
                                   features[1][static_cast<std::size_t>(match.trainIdx)].pt.y));
    }
  }
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

TEST(RealRectification, BringsFeaturesToTheSameRow) {
  PARALLAX_NEEDS_REAL_DATA();
  const struct {
    const char* folder;
    double raw_px;
  } cases[] = {{kKitti, 3.6}, {"euroc", 12.4}};
  for (const auto& [folder, raw_px] : cases) {
    std::vector<StereoFrame> frames = ReadRaw(folder);
    ASSERT_FALSE(frames.empty());
    EXPECT_NEAR(RowDistanceOfFeatures(frames), raw_px, 0.5) << folder;
    FrameRectifier rectifier;
    for (StereoFrame& frame : frames) rectifier.Rectify(frame);
    EXPECT_LT(RowDistanceOfFeatures(frames), 0.1) << folder;
  }
}

// The lines of KITTI's file, read here once more.
std::map<std::string, std::vector<double>> KittiNumbers() {
  std::ifstream file(test::RealData() / "kitti_raw/2011_09_26/calib_cam_to_cam.txt");
  std::map<std::string, std::vector<double>> numbers;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    std::istringstream text(line.substr(colon + 1));
    for (double number = 0; text >> number;) numbers[line.substr(0, colon)].push_back(number);
  }
  return numbers;
}

// OpenCV's maps, from KITTI's K and D and from the turn and the focal length that we chose, give our images.
TEST(RealRectification, MakesTheImagesThatOpenCvMakesOfKittisNumbers) {
  PARALLAX_NEEDS_REAL_DATA();
  StereoFrame frame = std::move(ReadRaw(kKitti).front());
  auto numbers = KittiNumbers();
  const Rectification ours = MakeRectification(*frame.raw_rig);
  const std::array<cv::Mat, 2> raw = {GrayMat(ViewOf(frame.left)), GrayMat(ViewOf(frame.right))};
  FrameRectifier().Rectify(frame);
  const std::array<cv::Mat, 2> rectified = {GrayMat(ViewOf(frame.left)), GrayMat(ViewOf(frame.right))};
  for (const std::size_t side : {0U, 1U}) {
    const std::string camera = side == 0 ? "_00" : "_01";
    const cv::Mat k = cv::Mat(numbers["K" + camera], true).reshape(1, 3);
    const Matrix3& turn = side == 0 ? ours.rectified_from_left : ours.rectified_from_right;
    cv::Mat rotation(3, 3, CV_64F);
    for (int i = 0; i < 9; ++i) rotation.at<double>(i / 3, i % 3) = turn(i / 3, i % 3);
    const cv::Mat shown = (cv::Mat_<double>(3, 3) << ours.rig.fx_px, 0, ours.rig.cx_px, 0, ours.rig.fx_px,
                           ours.rig.cy_px, 0, 0, 1);
    cv::Mat x, y, expected, difference;
    cv::initUndistortRectifyMap(k, numbers["D" + camera], rotation, shown, raw[side].size(), CV_32FC1, x, y);
    cv::remap(raw[side], expected, x, y, cv::INTER_LINEAR);
    cv::absdiff(expected, rectified[side], difference);
    double largest = 0;
    cv::minMaxLoc(difference, nullptr, &largest);
    EXPECT_LE(largest, 4) << camera;  // OpenCV's positions are rounded to 1/32 px
    EXPECT_LT(cv::mean(difference)[0], 0.1) << camera;
  }
  // KITTI's own turns differ from ours by one that both images share.
  const cv::Mat left = cv::Mat(numbers["R_rect_00"], true).reshape(1, 3);
  const cv::Mat right = cv::Mat(numbers["R_rect_01"], true).reshape(1, 3);
  const cv::Mat between = cv::Mat(numbers["R_01"], true).reshape(1, 3);
  EXPECT_LT(cv::norm(right * between * left.t() - cv::Mat::eye(3, 3, CV_64F)), 1e-6);
}

}  // namespace
}  // namespace parallax::app
