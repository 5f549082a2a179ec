// Random numbers of the synthetic scenes: integer hashes, so the bits depend only on the seed (the
// distributions of <random> differ between standard libraries, sin and exp between libms).
#pragma once

#include <cstdint>

namespace parallax::synthetic {

// Scrambles 64 bits, one to one (the finaliser of SplitMix64, Steele et al. 2014).
constexpr std::uint64_t Scramble(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}
// A seed derived from another one, e.g. for the n-th object of a scene.
constexpr std::uint64_t DeriveSeed(std::uint64_t seed, std::uint64_t n) {
  return Scramble(seed + 0x9E3779B97F4A7C15u * (n + 1));
}

// A sequence of uniform numbers. Same seed, same sequence.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(Scramble(seed)) {}
  std::uint64_t Next() { return Scramble(state_ += 0x9E3779B97F4A7C15u); }
  double Uniform(double low, double high) {  // [low, high)
    return low + (high - low) * (static_cast<double>(Next() >> 11) * 0x1p-53);
  }
  int Integer(int low, int high) {  // [low, high]
    return low + static_cast<int>(Next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool Chance(double probability) { return Uniform(0, 1) < probability; }

 private:
  std::uint64_t state_;
};

// One step of a hash over lattice coordinates.
constexpr std::uint32_t MixLattice(std::uint32_t hash, std::uint32_t coordinate) {
  hash = (hash ^ coordinate) * 0x9E3779B1u;
  hash = (hash ^ (hash >> 15)) * 0x85EBCA77u;
  return hash ^ (hash >> 13);
}
// 0 <= value < 1 of a hash.
constexpr double UnitInterval(std::uint32_t hash) { return static_cast<double>(hash >> 8) * 0x1p-24; }

// Largest integer not above u, |u| < 2^62 (a compiler's floor may be a slow call).
constexpr std::int64_t FloorToInteger(double u) {
  const auto truncated = static_cast<std::int64_t>(u);
  return truncated - (u < static_cast<double>(truncated) ? 1 : 0);
}

// Value noise: uniform values at integer coordinates, a quintic blend in between. The noise is in [0, 1),
// with mean 0.5, and is twice continuously differentiable.
double ValueNoise(double u, double v, std::uint32_t seed);
double ValueNoise(double u, double v, double w, std::uint32_t seed);

// A standard normal number from 64-bit words of a hash: the sum of 12 uniform ones (Irwin-Hall), |value| < 6.
double StandardNormal(std::uint64_t seed);

}  // namespace parallax::synthetic
