#include "calibrate/descriptor_matches.h"

#include <cstddef>

namespace parallax {
namespace {

// The number of bits that differ, in arithmetic that every 64-bit processor has.
int Distance(const Descriptor& a, const Descriptor& b) {
  constexpr std::uint64_t kOdd = 0x5555555555555555, kPairs = 0x3333333333333333,
                          kNibbles = 0x0F0F0F0F0F0F0F0F, kBytes = 0x00FF00FF00FF00FF,
                          kAdd = 0x0001000100010001;
  const auto in_nibbles = [&](std::size_t word) {
    std::uint64_t bits = a[word] ^ b[word];
    bits -= bits >> 1 & kOdd;
    return (bits & kPairs) + (bits >> 2 & kPairs);
  };
  const std::uint64_t low = in_nibbles(0) + in_nibbles(1), high = in_nibbles(2) + in_nibbles(3);
  const std::uint64_t bytes =
      (low & kNibbles) + (low >> 4 & kNibbles) + (high & kNibbles) + (high >> 4 & kNibbles);
  return static_cast<int>(((bytes & kBytes) + (bytes >> 8 & kBytes)) * kAdd >> 48);
}

}  // namespace

std::vector<DescriptorMatch> MatchDescriptors(std::span<const Descriptor> left,
                                              std::span<const Descriptor> right) {
  constexpr int kFar = 1 << 30;
  struct Nearest {
    int index = -1, distance = kFar;
    void Offer(int candidate, int its_distance) {
      if (its_distance < distance) *this = {candidate, its_distance};
    }
  };
  std::vector<Nearest> of_left(left.size()), of_right(right.size());
  for (std::size_t j = 0; j < right.size(); ++j) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      const int distance = Distance(left[i], right[j]);
      of_left[i].Offer(static_cast<int>(j), distance);
      of_right[j].Offer(static_cast<int>(i), distance);
    }
  }
  std::vector<DescriptorMatch> matches;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const int j = of_left[i].index;
    if (j >= 0 && of_right[static_cast<std::size_t>(j)].index == static_cast<int>(i))
      matches.push_back({static_cast<int>(i), j});
  }
  return matches;
}

}  // namespace parallax
