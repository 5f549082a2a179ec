// Matches of binary descriptors by brute force.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace parallax {

using Descriptor = std::array<std::uint64_t, 4>;  // 256 bits

// Indices of two descriptors that choose each other.
struct DescriptorMatch {
  int left = 0, right = 0;
};

// Pairs in which each differs from the other in fewer bits than from any other of its side, the first of equals; by
// left index. What cv::BFMatcher(cv::NORM_HAMMING, true) finds, in less time (docs/notes/dependencies.md).
std::vector<DescriptorMatch> MatchDescriptors(std::span<const Descriptor> left,
                                              std::span<const Descriptor> right);

}  // namespace parallax
