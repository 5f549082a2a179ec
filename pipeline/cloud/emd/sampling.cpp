// Drawing points at random, the same ones everywhere: the generators and distributions of the standard
// library leave the latter open.
#include <array>
#include <bit>
#include <limits>
#include <string>

#include "parallax/error.h"
#include "pipeline/cloud/emd/emd.h"

namespace parallax {
namespace {

// Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators": well mixed states from any
// seed.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

// Blackman & Vigna 2021, "Scrambled linear pseudorandom number generators": xoshiro256**.
class Xoshiro256 {
 public:
  explicit Xoshiro256(std::uint64_t seed) {
    SplitMix64 states(seed);
    for (std::uint64_t& s : state_) s = states.Next();
  }
  std::uint64_t Next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  // Uniform in [0, bound), bound >= 1: as many high bits as bound - 1 has, drawn again where they are too
  // large.
  std::uint64_t Below(std::uint64_t bound) {
    const int bits = static_cast<int>(std::bit_width(bound - 1));
    if (bits == 0) return 0;
    while (true) {
      const std::uint64_t value = Next() >> (64 - bits);
      if (value < bound) return value;
    }
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace

std::vector<std::int32_t> SampleIndices(std::int64_t n, std::int64_t count, std::uint64_t seed) {
  if (n < 1 || n > std::numeric_limits<std::int32_t>::max() || count < 0) {
    throw InvalidArgument("cannot draw " + std::to_string(count) + " of " + std::to_string(n) +
                          " points: there must be 1 to 2147483647 points, and 0 or more to draw");
  }
  Xoshiro256 random(seed);
  std::vector<std::int32_t> indices;
  indices.reserve(static_cast<std::size_t>(count));
  // Selection sampling (Knuth, The Art of Computer Programming 2, algorithm S): each index is taken with the
  // probability that as many are left to draw as are left to look at.
  std::int64_t left_to_draw = count % n;
  for (std::int64_t i = 0; i < n && static_cast<std::int64_t>(indices.size()) < count; ++i) {
    indices.insert(indices.end(), static_cast<std::size_t>(count / n), static_cast<std::int32_t>(i));
    if (left_to_draw == 0) continue;
    if (random.Below(static_cast<std::uint64_t>(n - i)) < static_cast<std::uint64_t>(left_to_draw)) {
      indices.push_back(static_cast<std::int32_t>(i));
      --left_to_draw;
    }
  }
  return indices;
}

}  // namespace parallax
