#include "calibrate/row_offsets.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

#include "calibrate/descriptor_matches.h"
#include "calibrate/gray_mat.h"
#include "calibrate/statistics.h"

namespace parallax {
namespace {

constexpr double kThereAndBack_px = 0.3;
constexpr int kGridColumns = 4, kGridRows = 3;
constexpr double kAgreement_px = 1;  // or half of the cell's median, whichever is larger

std::vector<Descriptor> DescriptorsOf(const cv::Mat& rows) {
  std::vector<Descriptor> descriptors(static_cast<std::size_t>(rows.rows));
  for (int i = 0; i < rows.rows; ++i)
    std::memcpy(&descriptors[static_cast<std::size_t>(i)], rows.ptr(i), sizeof(Descriptor));
  return descriptors;
}

}  // namespace

PointMatches MatchPoints(const CameraImageView& left, const CameraImageView& right,
                         const PointSearch& search) {
  const cv::Mat a = GrayMat(left), b = GrayMat(right);
  const auto orb = cv::ORB::create(search.num_features);
  std::vector<cv::KeyPoint> features_a, features_b;
  cv::Mat descriptors_a, descriptors_b;
  orb->detectAndCompute(a, cv::noArray(), features_a, descriptors_a);
  orb->detectAndCompute(b, cv::noArray(), features_b, descriptors_b);
  PointMatches result;
  result.num_features = static_cast<int>(std::min(features_a.size(), features_b.size()));
  if (result.num_features == 0) return result;
  std::vector<cv::Point2f> from, to;
  for (const DescriptorMatch& match :
       MatchDescriptors(DescriptorsOf(descriptors_a), DescriptorsOf(descriptors_b))) {
    const cv::Point2f p = features_a[static_cast<std::size_t>(match.left)].pt;
    const cv::Point2f q = features_b[static_cast<std::size_t>(match.right)].pt;
    const double disparity = static_cast<double>(p.x - q.x) / a.cols;
    if (std::abs(p.y - q.y) > search.max_row_px || disparity < search.min_disparity ||
        disparity > search.max_disparity)
      continue;
    from.push_back(p);
    to.push_back(q);
  }
  if (from.empty()) return result;
  // Moved to where the pictures agree, and back to where they came from.
  const cv::Size window(15, 15);
  const cv::TermCriteria until(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 40, 0.005);
  std::vector<cv::Point2f> back = from;
  std::vector<std::uint8_t> good_to, good_back;
  cv::calcOpticalFlowPyrLK(a, b, from, to, good_to, cv::noArray(), window, 0, until,
                           cv::OPTFLOW_USE_INITIAL_FLOW);
  cv::calcOpticalFlowPyrLK(b, a, to, back, good_back, cv::noArray(), window, 0, until,
                           cv::OPTFLOW_USE_INITIAL_FLOW);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (good_to[i] == 0 || good_back[i] == 0 || cv::norm(back[i] - from[i]) > kThereAndBack_px) continue;
    if (std::abs(to[i].y - from[i].y) > search.max_row_px) continue;
    result.matches.push_back({{from[i].x, from[i].y}, {to[i].x, to[i].y}});
  }
  return result;
}

RowOffsets RowOffsetsOf(const std::vector<PointMatch>& matches, int width, int height,
                        std::size_t fewest_in_cell) {
  RowOffsets offsets;
  offsets.num_matches = static_cast<int>(matches.size());
  std::vector<double> all, absolute;
  std::vector<std::vector<double>> cells(static_cast<std::size_t>(kGridColumns * kGridRows));
  for (const PointMatch& match : matches) {
    const double offset = match.right.y - match.left.y;
    all.push_back(offset);
    absolute.push_back(std::abs(offset));
    const int x = std::clamp(static_cast<int>(match.left.x * kGridColumns / width), 0, kGridColumns - 1);
    const int y = std::clamp(static_cast<int>(match.left.y * kGridRows / height), 0, kGridRows - 1);
    cells[static_cast<std::size_t>(y * kGridColumns + x)].push_back(offset);
  }
  offsets.median_px = Median(all);
  offsets.median_absolute_px = Median(absolute);
  for (const std::vector<double>& cell : cells) {
    const double median =
        cell.size() < fewest_in_cell ? std::numeric_limits<double>::quiet_NaN() : Median(cell);
    std::vector<double> deviations;
    for (const double offset : cell) deviations.push_back(std::abs(offset - median));
    const bool agree =
        !std::isnan(median) && Median(deviations) <= std::max(kAgreement_px, std::abs(median) / 2);
    offsets.grid_px.push_back(agree ? median : std::numeric_limits<double>::quiet_NaN());
    if (agree) offsets.largest_px = std::max(offsets.largest_px, std::abs(median));
  }
  return offsets;
}

}  // namespace parallax
