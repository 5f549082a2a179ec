// MatchDescriptors against OpenCV's matcher.
#include "calibrate/descriptor_matches.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <random>

namespace parallax {
namespace {

cv::Mat Rows(const std::vector<Descriptor>& descriptors) {
  cv::Mat rows(static_cast<int>(descriptors.size()), sizeof(Descriptor), CV_8U);
  for (int i = 0; i < rows.rows; ++i)
    std::copy_n(reinterpret_cast<const std::uint8_t*>(&descriptors[static_cast<std::size_t>(i)]),
                sizeof(Descriptor), rows.ptr(i));
  return rows;
}

// Few bits that vary: most distances are equal ones.
TEST(MatchDescriptors, FindsWhatOpenCvFinds) {
  std::mt19937_64 random(3);
  for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0x8000000000000011}, std::uint64_t{0}}) {
    for (const auto& [num_left, num_right] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {57, 80}, {300, 41}}) {
      SCOPED_TRACE(testing::Message() << mask << " " << num_left << " " << num_right);
      std::vector<Descriptor> left(num_left), right(num_right);
      for (auto* side : {&left, &right}) {
        for (Descriptor& descriptor : *side) {
          for (std::uint64_t& word : descriptor) word = random() & mask;
        }
      }
      if (mask == ~std::uint64_t{0}) {  // the largest distance, 256
        left[0] = {};
        right[0] = {mask, mask, mask, mask};
      }
      std::vector<cv::DMatch> wanted;
      cv::BFMatcher(cv::NORM_HAMMING, true).match(Rows(left), Rows(right), wanted);
      const std::vector<DescriptorMatch> found = MatchDescriptors(left, right);
      ASSERT_EQ(found.size(), wanted.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].left, wanted[i].queryIdx);
        EXPECT_EQ(found[i].right, wanted[i].trainIdx);
      }
    }
  }
}

TEST(MatchDescriptors, NoneMatchNone) {
  const std::vector<Descriptor> one(1);
  EXPECT_TRUE(MatchDescriptors({}, one).empty());
  EXPECT_TRUE(MatchDescriptors(one, {}).empty());
  EXPECT_EQ(MatchDescriptors(one, one).size(), 1U);
}

}  // namespace
}  // namespace parallax
