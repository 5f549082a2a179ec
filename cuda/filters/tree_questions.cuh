// Evaluation of trees in kernels: four examples at once, a byte of a word each. The bytes are ranks: how many of
// the trees' thresholds for the feature lie below it. A rank is at most 127, so the answers to a question are bit
// 7 of the bytes of one sum. What is evaluated runs on the host as well, for tests without a GPU.
#pragma once

#include <cstdint>
#include <utility>

#include "pipeline/trees/pixel_trees.h"

namespace parallax::cuda {

inline constexpr int kExamples = 4;  // of a word

// The rank of each value of a feature.
template <int kFeatures>
struct alignas(16) Ranks {
  std::uint8_t of_value[kFeatures][256];
};
// Bit 7 of the rank plus `addend` tells whether the feature is above the threshold; both for four examples.
struct Question {
  std::uint32_t addend;
  int feature;
};
template <int kFeatures, int kTrees>
struct alignas(16) Questions {
  static constexpr int kNumFeatures = kFeatures;
  Question of_tree[kTrees][kTreeDepth];

  // Whether some of `count` trees from `first` on ask about the feature.
  consteval bool Ask(int first, int count, int feature) const {
    for (int i = first; i < first + count; ++i) {
      for (const Question& question : of_tree[i]) {
        if (question.feature == feature) return true;
      }
    }
    return false;
  }
};
template <int kTrees>
struct alignas(16) Leaves {
  std::int8_t of_tree[kTrees][kTreeLeaves];
};

template <int kFeatures, int kTrees>
constexpr Ranks<kFeatures> RanksOf(const PixelTree (&trees)[kTrees]) {
  Ranks<kFeatures> ranks{};
  for (const PixelTree& tree : trees) {
    for (int level = 0; level < kTreeDepth; ++level)
      ranks.of_value[tree.features[level]][tree.thresholds[level]] = 1;
  }
  for (auto& of_value : ranks.of_value) {
    int rank = 0;
    for (std::uint8_t& value : of_value) {
      const int is_threshold = value;
      value = static_cast<std::uint8_t>(rank);
      rank += is_threshold;
    }
    if (rank > 127) throw "too many thresholds of a feature";  // does not compile
  }
  return ranks;
}
template <int kFeatures, int kTrees>
constexpr Questions<kFeatures, kTrees> QuestionsOf(const PixelTree (&trees)[kTrees]) {
  const Ranks<kFeatures> ranks = RanksOf<kFeatures>(trees);
  Questions<kFeatures, kTrees> questions{};
  for (int i = 0; i < kTrees; ++i) {
    for (int level = 0; level < kTreeDepth; ++level) {
      const int feature = trees[i].features[level];
      const std::uint32_t rank = ranks.of_value[feature][trees[i].thresholds[level]];
      questions.of_tree[i][level] = {(127U - rank) * 0x01010101U, feature};
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

// Copies a table to shared memory with the threads of a block, which must wait for each other afterwards.
template <int kThreads, typename Table>
__device__ __forceinline__ void CopyTable(const Table& from, Table& to, int thread) {
  static_assert(sizeof(Table) % sizeof(uint4) == 0 && alignof(Table) % alignof(uint4) == 0);
  for (int i = thread; i < static_cast<int>(sizeof(Table) / sizeof(uint4)); i += kThreads)
    reinterpret_cast<uint4*>(&to)[i] = reinterpret_cast<const uint4*>(&from)[i];
}

// Calls act.template operator()<i>() for i from 0 to kCount - 1.
template <int kCount, typename Act>
__host__ __device__ __forceinline__ void ForEach(const Act& act) {
  [&]<int... kNumbers>(std::integer_sequence<int, kNumbers...>) {
    (act.template operator()<kNumbers>(), ...);
  }
  (std::make_integer_sequence<int, kCount>{});
}

// Keeps the compiler from holding the value in a register.
__host__ __device__ __forceinline__ std::uint32_t ReadAnew(const std::uint32_t& word) {
  return *static_cast<const volatile std::uint32_t*>(&word);
}

// Adds a leaf to the sum of each example. The upper six bits of its byte are the leaf's number.
__host__ __device__ __forceinline__ void AddLeavesOfTree(const std::int8_t (&leaves)[kTreeLeaves],
                                                         std::uint32_t numbers, int (&sums)[kExamples]) {
  numbers >>= 8 - kTreeDepth;
#pragma unroll
  for (int k = 0; k < kExamples; ++k) sums[k] += leaves[numbers >> 8 * k & 0xFFU];
}
// Shifts each byte's bits down by one and makes the answer its highest bit.
__host__ __device__ __forceinline__ std::uint32_t WithAnswer(std::uint32_t numbers, std::uint32_t ranks,
                                                             const Question& question) {
  return ((ranks + question.addend) & 0x80808080U) + (numbers >> 1);
}

// Adds a leaf of each of `count` trees from `first` on to the sums of four examples. questions, leaves: in shared
// memory; ranks_at(i): of feature number i. Little code, for warps that run different code anyway.
template <int kFeatures, int kTrees, typename RanksAt>
__host__ __device__ __forceinline__ void AddLeaves(const Questions<kFeatures, kTrees>& questions,
                                                   const Leaves<kTrees>& leaves, int first, int count,
                                                   const RanksAt& ranks_at, int (&sums)[kExamples]) {
#pragma unroll 4
  for (int i = first; i < first + count; ++i) {
    std::uint32_t numbers = 0;
#pragma unroll
    for (int level = kTreeDepth - 2; level >= 0; level -= 2) {  // one load for two
      const auto two = *reinterpret_cast<const uint4*>(&questions.of_tree[i][level]);
      numbers = WithAnswer(numbers, ranks_at(static_cast<int>(two.w)), {two.z, 0});
      numbers = WithAnswer(numbers, ranks_at(static_cast<int>(two.y)), {two.x, 0});
    }
    AddLeavesOfTree(leaves.of_tree[i], numbers, sums);
  }
}

// Trees whose questions are asked with the same words of ranks: then the compiler asks repeated ones once.
inline constexpr int kTreesAtOnce = 8;

// The same of all trees. kQuestions: constants in the instructions, which are a third fewer than with questions in
// memory. ranks_at reads anew, so that few registers hold ranks.
template <const auto& kQuestions, int kFirst = 0, int kTrees, typename RanksAt>
__host__ __device__ __forceinline__ void AddAllLeaves(const Leaves<kTrees>& leaves, const RanksAt& ranks_at,
                                                      int (&sums)[kExamples]) {
  static_assert(kTrees % kTreesAtOnce == 0);
  std::uint32_t ranks[kQuestions.kNumFeatures];
  ForEach<kQuestions.kNumFeatures>([&]<int kFeature>() {
    if constexpr (kQuestions.Ask(kFirst, kTreesAtOnce, kFeature)) ranks[kFeature] = ranks_at(kFeature);
  });
  ForEach<kTreesAtOnce>([&]<int kTree>() {
    std::uint32_t numbers = 0;
    ForEach<kTreeDepth>([&]<int kLevel>() {
      constexpr Question kQuestion = kQuestions.of_tree[kFirst + kTree][kTreeDepth - 1 - kLevel];
      numbers = WithAnswer(numbers, ranks[kQuestion.feature], kQuestion);
    });
    AddLeavesOfTree(leaves.of_tree[kFirst + kTree], numbers, sums);
  });
  if constexpr (kFirst + kTreesAtOnce < kTrees)
    AddAllLeaves<kQuestions, kFirst + kTreesAtOnce>(leaves, ranks_at, sums);
}

}  // namespace parallax::cuda
