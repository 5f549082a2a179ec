// Features worked by hand, and what a verdict changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "pipeline/reference/refinement.h"
#include "pipeline/trees/pixel_trees.h"
#include "tests/support/images.h"
#include "tests/support/plain_parameters.h"

namespace parallax::reference {
namespace {

// A frontal surface at 20 px with a wrong winner at 60.25 px in its middle, which was kept, and a right one
// that was rejected.
struct JudgedScene {
  static constexpr int kWidth = 96, kHeight = 64, kWrongX = 50, kWrongY = 31, kRejectedX = 30,
                       kRejectedY = 40;
  Parameters parameters = test::PlainParameters();
  HostImage<std::uint8_t> guide{kWidth, kHeight, 100};
  HostImage<float> selected{kWidth, kHeight, 20.0F};
  DisparityMap map{{kWidth, kHeight, 20.0F}, {kWidth, kHeight, kValid}, {kWidth, kHeight, 0}};
  JudgedScene() {
    parameters.refinement.trees = TreeSet::kDriving;
    selected(kWrongX, kWrongY) = map.disparity(kWrongX, kWrongY) = 60.25F;
    map.validity(kRejectedX, kRejectedY) = kMismatched;
    map.disparity(kRejectedX, kRejectedY) = test::kNone;
    guide(10, 5) = 140;
  }
  int Feature(PixelFeature feature, int x, int y) {
    ThreadPool threads(1);
    return PixelFeatures(parameters, guide.ConstView(), selected.ConstView(), map,
                         threads)[static_cast<std::size_t>(feature)](x, y);
  }
};

TEST(PixelFeatures, OfAWrongWinnerInAPlane) {
  JudgedScene s;
  const auto at_wrong = [&](PixelFeature feature) {
    return s.Feature(feature, JudgedScene::kWrongX, JudgedScene::kWrongY);
  };
  EXPECT_EQ(at_wrong(PixelFeature::kStatus), 0);
  EXPECT_EQ(at_wrong(PixelFeature::kDisparity), 60);
  EXPECT_EQ(at_wrong(PixelFeature::kRow), 255 * 31 / 64);
  EXPECT_EQ(at_wrong(PixelFeature::kGray), 100);
  EXPECT_EQ(at_wrong(PixelFeature::kRightColumn), 50 - 60 + 64);
  EXPECT_EQ(at_wrong(PixelFeature::kKept4), 255);
  EXPECT_EQ(at_wrong(PixelFeature::kMean8), 2 * (288 * 20 + 60) / 289 - 2 * 60 + 128);
  EXPECT_EQ(at_wrong(PixelFeature::kAgree2), 0);
  EXPECT_EQ(at_wrong(PixelFeature::kLowest5), 40);
  EXPECT_EQ(at_wrong(PixelFeature::kKeptLowest5), 140);
  EXPECT_EQ(at_wrong(PixelFeature::kKeptHighest5), 100);
  EXPECT_EQ(at_wrong(PixelFeature::kColumnEdges3), 0);
  EXPECT_EQ(at_wrong(PixelFeature::kOwnPlane), 255) << "40.25 px are more than 255 / 8";
  EXPECT_EQ(at_wrong(PixelFeature::kNumPlanes), 0);
}

TEST(PixelFeatures, OfARejectedPixelAndBesideABorder) {
  JudgedScene s;
  EXPECT_EQ(s.Feature(PixelFeature::kStatus, JudgedScene::kRejectedX, JudgedScene::kRejectedY), 2);
  EXPECT_EQ(s.Feature(PixelFeature::kKept4, JudgedScene::kRejectedX, JudgedScene::kRejectedY), 255 * 80 / 81);
  EXPECT_EQ(s.Feature(PixelFeature::kAgree4, JudgedScene::kRejectedX, JudgedScene::kRejectedY), 24)
      << "twelve kept ones";
  EXPECT_EQ(s.Feature(PixelFeature::kAgree4, JudgedScene::kRejectedX, JudgedScene::kRejectedY + 4), 23)
      << "one of them rejected";
  EXPECT_EQ(s.Feature(PixelFeature::kAgree4, 0, 0), 8) << "four of the twelve are inside";
  EXPECT_EQ(s.Feature(PixelFeature::kOwnPlane, 0, 0), 0);
  EXPECT_EQ(s.Feature(PixelFeature::kNumPlanes, 0, 0), 4) << "those of the tiles there are";
  EXPECT_EQ(s.Feature(PixelFeature::kColumnEdges3, 10, 5), 4 * 80 / 49)
      << "40 on either side of the bright pixel";
  EXPECT_EQ(s.Feature(PixelFeature::kRowEdges8, 10, 0), 4 * 80 / (17 * 9));
}

TEST(PixelFeatures, WhereNothingWasKept) {
  JudgedScene s;
  s.map.validity.Fill(kOccluded);
  s.map.disparity.Fill(test::kNone);
  EXPECT_EQ(s.Feature(PixelFeature::kKept32, 40, 30), 0);
  EXPECT_EQ(s.Feature(PixelFeature::kMean20, 40, 30), 0);
  EXPECT_EQ(s.Feature(PixelFeature::kKeptLowest12, 40, 30), 255);
  EXPECT_EQ(s.Feature(PixelFeature::kKeptHighest12, 40, 30), 255);
  EXPECT_EQ(s.Feature(PixelFeature::kNearestPlane, 40, 30), 255);
  EXPECT_EQ(s.Feature(PixelFeature::kNumPlanes, 40, 30), 0);
}

TEST(JudgePixels, RejectsTheWrongWinnerAndRestoresTheRightOne) {
  JudgedScene s;
  ThreadPool threads(1);
  JudgePixels(s.parameters, s.guide.ConstView(), s.selected.ConstView(), s.map, threads);
  EXPECT_EQ(s.map.validity(JudgedScene::kWrongX, JudgedScene::kWrongY), kMismatched);
  EXPECT_TRUE(std::isnan(s.map.disparity(JudgedScene::kWrongX, JudgedScene::kWrongY)));
  EXPECT_EQ(s.map.validity(JudgedScene::kRejectedX, JudgedScene::kRejectedY), kValid);
  EXPECT_EQ(s.map.disparity(JudgedScene::kRejectedX, JudgedScene::kRejectedY), 20.0F);
}

TEST(JudgePixels, NeverRestoresWhatHasNoPartnerOrNoWinner) {
  JudgedScene s;
  s.map.validity(JudgedScene::kRejectedX, JudgedScene::kRejectedY) = kOutOfRange;
  s.selected(70, 20) = s.map.disparity(70, 20) = test::kNone;
  s.map.validity(70, 20) = kNotUnique;
  ThreadPool threads(1);
  JudgePixels(s.parameters, s.guide.ConstView(), s.selected.ConstView(), s.map, threads);
  EXPECT_EQ(s.map.validity(JudgedScene::kRejectedX, JudgedScene::kRejectedY), kOutOfRange);
  EXPECT_EQ(s.map.validity(70, 20), kNotUnique);
}

TEST(PixelTrees, SumsFit16BitsAndQuestionsAreOfFeatures) {
  const PixelTrees& trees = TreesOf(TreeSet::kDriving);
  int most = std::abs(trees.bias);
  for (const PixelTree& tree : trees.trees) {
    int largest = 0;
    for (const int leaf : tree.leaves) largest = std::max(largest, std::abs(leaf));
    most += largest;
    for (const int feature : tree.features) EXPECT_LT(feature, kNumPixelFeatures);
  }
  EXPECT_LE(most, 32767);
}

}  // namespace
}  // namespace parallax::reference
