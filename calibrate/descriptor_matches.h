// Matches of binary descriptors by brute force.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace parallax {

using Descriptor = std::array<std::uint64_t, 4>;  // 256 bits

// Indices of a left and a right descriptor.
struct DescriptorMatch {
  int left = 0, right = 0;
};

// The pairs that are each other's nearest neighbours by the number of differing bits; of equally near ones the first
// counts. Sorted by left index. cv::BFMatcher(cv::NORM_HAMMING, true) finds the same matches and takes four times as
// long (docs/notes/dependencies.md).
std::vector<DescriptorMatch> MatchDescriptors(std::span<const Descriptor> left,
                                              std::span<const Descriptor> right);

}  // namespace parallax
