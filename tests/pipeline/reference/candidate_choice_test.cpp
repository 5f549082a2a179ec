// Candidates and features worked by hand, and what a choice changes.
#include "pipeline/trees/candidate_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "pipeline/reference/refinement.h"
#include "tests/support/images.h"
#include "tests/support/plain_parameters.h"

namespace parallax::reference {
namespace {

// A wall at 20 px on the left, one at 50 px and brighter on the right, between them a strip of rejected
// pixels, filled with 20 px. Each tile's plane is set by hand: the wall's that it lies in.
struct Scene {
  static constexpr int kWidth = 96, kHeight = 48, kBegin = 40, kEnd = 56, kX = 44, kY = 24;
  Parameters parameters = test::PlainParameters();
  HostImage<std::uint8_t> guide{kWidth, kHeight, 100};
  DisparityMap filled{{kWidth, kHeight, 20.0F}, {kWidth, kHeight, kValid}, {kWidth, kHeight, 0}};
  HostImage<DisparityPlane> planes{6, 3, {20.0F, 0.0F, 0.0F}};
  Scene() {
    parameters.refinement.trees = TreeSet::kDriving;
    parameters.refinement.planes = true;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = kBegin; x < kWidth; ++x) {
        if (x < kEnd) {
          filled.validity(x, y) = kMismatched | kFilled;
        } else {
          filled.disparity(x, y) = 50.0F, guide(x, y) = 200;
        }
      }
    }
    for (int row = 0; row < 3; ++row) {
      for (int column = 3; column < 6; ++column) planes(column, row) = {50.0F, 0.0F, 0.0F};
    }
    planes(2, 1) = {20.0F, 0.25F, -0.5F};  // centre (40, 24)
  }
  CandidateView View() { return ViewOfCandidates(parameters, guide.ConstView(), filled, planes); }
  // Of all candidates at (kX, kY), the plane's value being 50.
  std::vector<int> Feature(CandidateFeature wanted) {
    Candidates candidates;
    EXPECT_TRUE(FindCandidates(View(), kX, kY, 50.0F, candidates));
    std::vector<int> values(kNumCandidates, -1);
    MakeCandidateFeatures(View(), kX, kY, candidates,
                          [&](CandidateFeature feature, int i, std::uint8_t byte) {
                            if (feature == wanted) values[static_cast<std::size_t>(i)] = byte;
                          });
    return values;
  }
};
using Values = std::vector<int>;

TEST(Candidates, AreThePlanesTheFilledTheLowestAndTheHighest) {
  Scene s;
  Candidates c;
  ASSERT_TRUE(FindCandidates(s.View(), Scene::kX, Scene::kY, 30.0F, c));
  EXPECT_EQ(c.values[0], 30.0F);
  EXPECT_EQ(c.values[1], 20.0F);
  EXPECT_EQ(c.values[2], 20.0F);
  EXPECT_EQ(c.values[3], 50.0F);
  EXPECT_EQ(c.of_tiles[4], 21.0F) << "4 px right of its centre";
  s.planes(1, 0) = {-3.0F, 0.0F, 0.0F};
  s.planes(3, 2) = {};
  ASSERT_TRUE(FindCandidates(s.View(), Scene::kX, Scene::kY, 30.0F, c));
  EXPECT_EQ(c.values[2], 0.0F) << "within the range of disparities";
  EXPECT_EQ(c.of_tiles[8], kNoValue);
}

TEST(Candidates, AreNotLookedForWhereNothingIsToBeChosen) {
  Scene s;
  Candidates c;
  EXPECT_FALSE(FindCandidates(s.View(), 10, 10, 20.0F, c)) << "kept";
  EXPECT_FALSE(FindCandidates(s.View(), Scene::kX, Scene::kY, test::kNone, c)) << "no value";
  s.planes.Fill({20.5F, 0.0F, 0.0F});
  EXPECT_FALSE(FindCandidates(s.View(), Scene::kX, Scene::kY, 21.0F, c)) << "1 px apart";
  EXPECT_TRUE(FindCandidates(s.View(), Scene::kX, Scene::kY, 21.25F, c));
  s.planes.Fill({});
  s.filled.disparity(Scene::kX, Scene::kY) = test::kNone;
  EXPECT_FALSE(FindCandidates(s.View(), Scene::kX, Scene::kY, 30.0F, c)) << "the plane's value alone";
}

TEST(CandidateFeatures, OfAStripBetweenTwoWalls) {
  Scene s;
  EXPECT_EQ(s.Feature(CandidateFeature::kStatus), Values(4, 2));
  EXPECT_EQ(s.Feature(CandidateFeature::kGray), Values(4, 100));
  EXPECT_EQ(s.Feature(CandidateFeature::kRow), Values(4, 255 / 2));
  EXPECT_EQ(s.Feature(CandidateFeature::kSlopeX), Values(4, 128 + 20));
  EXPECT_EQ(s.Feature(CandidateFeature::kSlopeY), Values(4, 128 - 40));
  EXPECT_EQ(s.Feature(CandidateFeature::kGap), Values(4, 5));
  EXPECT_EQ(s.Feature(CandidateFeature::kDisparity), (Values{50, 20, 20, 50}));
  EXPECT_EQ(s.Feature(CandidateFeature::kRightColumn), (Values{58, 88, 88, 58}));
  EXPECT_EQ(s.Feature(CandidateFeature::kAbovePlane), (Values{128, 8, 8, 128}));
  EXPECT_EQ(s.Feature(CandidateFeature::kAboveFilled), (Values{248, 128, 128, 248}));
  EXPECT_EQ(s.Feature(CandidateFeature::kAboveOwnPlane), (Values{244, 124, 124, 244}));
  EXPECT_EQ(s.Feature(CandidateFeature::kAboveLeft), (Values{248, 128, 128, 248}));
  EXPECT_EQ(s.Feature(CandidateFeature::kAboveRight), (Values{128, 8, 8, 128}));
  EXPECT_EQ(s.Feature(CandidateFeature::kOwnPlane), (Values{232, 8, 8, 232}));
  EXPECT_EQ(s.Feature(CandidateFeature::kNearestPlane), (Values{0, 0, 0, 0}));
  EXPECT_EQ(s.Feature(CandidateFeature::kNumPlanes), (Values{3, 6, 6, 3}));
  // The ring of radius 4 lies in the strip; that of radius 16 has five pixels on the left wall, four in the
  // strip and three on the right wall.
  EXPECT_EQ(s.Feature(CandidateFeature::kAgree2), (Values{0, 12, 12, 0}));
  EXPECT_EQ(s.Feature(CandidateFeature::kMean4), Values(4, 0));
  EXPECT_EQ(s.Feature(CandidateFeature::kAgree16), (Values{0, 14, 14, 0}))
      << "the right wall is brighter than the strip";
  EXPECT_EQ(s.Feature(CandidateFeature::kMean16),
            (Values{128 + 2 * (5 * 20 + 3 * 50) / 8 - 100, 128 + 2 * (5 * 20 + 3 * 50) / 8 - 40,
                    128 + 2 * (5 * 20 + 3 * 50) / 8 - 40, 128 + 2 * (5 * 20 + 3 * 50) / 8 - 100}));
}

TEST(CandidateFeatures, WhereNoKeptPixelIsNear) {
  Scene s;
  s.filled.validity.Fill(kOccluded | kFilled);
  EXPECT_EQ(s.Feature(CandidateFeature::kStatus), Values(4, 1));
  EXPECT_EQ(s.Feature(CandidateFeature::kGap), Values(4, 255));
  EXPECT_EQ(s.Feature(CandidateFeature::kAboveLeft), Values(4, 255));
  EXPECT_EQ(s.Feature(CandidateFeature::kAboveRight), Values(4, 255));
  EXPECT_EQ(s.Feature(CandidateFeature::kKept28), Values(4, 0));
  EXPECT_EQ(s.Feature(CandidateFeature::kHigher28), Values(4, 0));
  EXPECT_EQ(s.Feature(CandidateFeature::kMean28), Values(4, 0));
}

TEST(BestCandidate, IsThePlanesValueUnlessAnotherIsClearlyBetter) {
  EXPECT_EQ(BestCandidate({0, 0, 0, 0}), 0);
  EXPECT_EQ(BestCandidate({0, -kChoiceMargin, 0, 0}), 0);
  EXPECT_EQ(BestCandidate({0, -kChoiceMargin - 1, 0, 0}), 1);
  EXPECT_EQ(BestCandidate({500, 100, 90, 90}), 2) << "the first of the lowest";
}

TEST(ChooseCandidates, ChangesRejectedPixelsAlone) {
  Scene s;
  ThreadPool threads(1);
  DisparityMap map = Clone(s.filled);
  for (int y = 0; y < Scene::kHeight; ++y) {
    for (int x = Scene::kBegin; x < Scene::kEnd; ++x) map.disparity(x, y) = 50.0F;
  }
  const DisparityMap before = Clone(map);
  ChooseCandidates(s.parameters, s.guide.ConstView(), s.filled, map, threads);
  int num_changed = 0;
  for (int y = 0; y < Scene::kHeight; ++y) {
    for (int x = 0; x < Scene::kWidth; ++x) {
      EXPECT_EQ(map.validity(x, y), before.validity(x, y));
      if (map.disparity(x, y) == before.disparity(x, y)) continue;
      ++num_changed;
      EXPECT_TRUE(x >= Scene::kBegin && x < Scene::kEnd) << x << ' ' << y;
    }
  }
  EXPECT_GT(num_changed, 0) << "a strip as dark as the left wall, at its disparity in most neighbours";
}

TEST(CandidateTrees, SumsFit16BitsAndQuestionsAreOfFeatures) {
  const CandidateTrees& trees = CandidateTreesOf(TreeSet::kDriving);
  int most = std::abs(trees.bias);
  for (const PixelTree& tree : trees.trees) {
    int largest = 0;
    for (const int leaf : tree.leaves) largest = std::max(largest, std::abs(leaf));
    most += largest;
    for (const int feature : tree.features) EXPECT_LT(feature, kNumCandidateFeatures);
  }
  EXPECT_LE(most, 32767);
}

}  // namespace
}  // namespace parallax::reference
