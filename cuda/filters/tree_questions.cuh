// Evaluation of trees in kernels: two examples at once, whose features share a word of 32 bits.
#pragma once

#include <cstdint>

#include "pipeline/trees/pixel_trees.h"

namespace parallax::cuda {

// A comparison for two examples, 16 bits each: bit 15 of the feature plus `addend` tells whether it is above
// the threshold.
struct Question {
  std::uint32_t addend;
  std::uint32_t feature;
};
template <int kTrees>
struct Questions {
  Question levels[kTrees][kTreeDepth];
};
template <int kTrees>
struct Leaves {
  std::int8_t of_tree[kTrees][kTreeLeaves];
};
template <int kTrees>
constexpr Questions<kTrees> QuestionsOf(const PixelTree (&trees)[kTrees]) {
  Questions<kTrees> questions{};
  for (int i = 0; i < kTrees; ++i) {
    for (int level = 0; level < kTreeDepth; ++level) {
      questions.levels[i][level] = {(0x7FFFU - trees[i].thresholds[level]) * 0x00010001U,
                                    trees[i].features[level]};
    }
  }
  return questions;
}
template <int kTrees>
constexpr Leaves<kTrees> LeavesOf(const PixelTree (&trees)[kTrees]) {
  Leaves<kTrees> leaves{};
  for (int i = 0; i < kTrees; ++i) {
    for (int k = 0; k < kTreeLeaves; ++k) leaves.of_tree[i][k] = trees[i].leaves[k];
  }
  return leaves;
}

// Adds a leaf of each tree to both examples' sums. feature_at(i): their feature number i, one byte in each
// half.
template <int kTrees, typename FeatureAt>
__device__ __forceinline__ void AddLeaves(const Questions<kTrees>& questions, const Leaves<kTrees>& leaves,
                                          const FeatureAt& feature_at, int (&sums)[2]) {
#pragma unroll 4
  for (int i = 0; i < kTrees; ++i) {
    std::uint32_t numbers = 0;
#pragma unroll
    for (int level = 0; level < kTreeDepth; ++level) {
      const Question question = questions.levels[i][level];
      const std::uint32_t answers = feature_at(question.feature) + question.addend;
      numbers |= (answers >> (15 - (kTreeDepth - 1 - level))) & (0x00010001U << (kTreeDepth - 1 - level));
    }
    sums[0] += leaves.of_tree[i][numbers & 0xFFFFU];
    sums[1] += leaves.of_tree[i][numbers >> 16];
  }
}

}  // namespace parallax::cuda
