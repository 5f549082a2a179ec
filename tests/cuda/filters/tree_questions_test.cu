// The kernels' way of asking trees, evaluated on the host: needs no GPU, and finds tables that it does not fit.
#include "cuda/filters/tree_questions.cuh"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "pipeline/trees/candidate_choice.h"
#include "pipeline/trees/driving_trees.h"
#include "pipeline/trees/general_trees.h"

namespace parallax::cuda {
namespace {

constexpr auto kDrivingQuestions = QuestionsOf<kNumPixelFeatures>(kDrivingTrees.trees),
               kGeneralQuestions = QuestionsOf<kNumPixelFeatures>(kGeneralTrees.trees);
constexpr auto kDrivingChoice = QuestionsOf<kNumCandidateFeatures>(kDrivingCandidateTrees.trees),
               kGeneralChoice = QuestionsOf<kNumCandidateFeatures>(kGeneralCandidateTrees.trees);

// Examples of random bytes, some equal to thresholds: the sums are those of LeafOf.
template <int kFeatures, typename Trees, typename Add>
void ExpectTheLeavesOfTheTrees(const Trees& trees, const Add& add) {
  const Ranks<kFeatures> ranks = RanksOf<kFeatures>(trees.trees);
  std::mt19937 random(11);
  for (int draw = 0; draw < 500; ++draw) {
    std::uint8_t features[kExamples][kFeatures];
    std::uint32_t words[kFeatures] = {};
    for (int k = 0; k < kExamples; ++k) {
      for (int i = 0; i < kFeatures; ++i) {
        features[k][i] = static_cast<std::uint8_t>(random());
        words[i] |= static_cast<std::uint32_t>(ranks.of_value[i][features[k][i]]) << 8 * k;
      }
    }
    int sums[kExamples] = {};
    add([&](int feature) { return words[feature]; }, sums);
    for (int k = 0; k < kExamples; ++k) {
      int expected = 0;
      for (const PixelTree& tree : trees.trees) expected += LeafOf(tree, features[k]);
      ASSERT_EQ(sums[k], expected) << "draw " << draw;
    }
  }
}

TEST(TreeQuestions, ConstantsInTheInstructionsGiveTheLeavesOfTheTrees) {
  const auto driving = LeavesOf(kDrivingTrees.trees), general = LeavesOf(kGeneralTrees.trees);
  ExpectTheLeavesOfTheTrees<kNumPixelFeatures>(kDrivingTrees, [&](const auto& ranks_at, auto& sums) {
    AddAllLeaves<kDrivingQuestions>(driving, ranks_at, sums);
  });
  ExpectTheLeavesOfTheTrees<kNumPixelFeatures>(kGeneralTrees, [&](const auto& ranks_at, auto& sums) {
    AddAllLeaves<kGeneralQuestions>(general, ranks_at, sums);
  });
}

TEST(TreeQuestions, QuestionsInMemoryGiveTheLeavesOfTheTrees) {
  const auto driving = LeavesOf(kDrivingCandidateTrees.trees),
             general = LeavesOf(kGeneralCandidateTrees.trees);
  ExpectTheLeavesOfTheTrees<kNumCandidateFeatures>(
      kDrivingCandidateTrees, [&](const auto& ranks_at, auto& sums) {
        AddLeaves(kDrivingChoice, driving, 0, kNumCandidateTrees, ranks_at, sums);
      });
  ExpectTheLeavesOfTheTrees<kNumCandidateFeatures>(
      kGeneralCandidateTrees, [&](const auto& ranks_at, auto& sums) {
        AddLeaves(kGeneralChoice, general, 0, kNumCandidateTrees, ranks_at, sums);
      });
}

}  // namespace
}  // namespace parallax::cuda
