// Earth mover's distance of two clouds of n points each: the bijection with the least mean Euclidean
// distance,
//   EMD = min over bijections f of 1/n sum |a_i - b_f(i)|.
// Found by the auction algorithm (Bertsekas 1988, "The auction algorithm: a distributed relaxation method for
// the assignment problem") with epsilon scaling; the prices give a dual bound, so that every answer comes
// with an interval that holds the exact value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pipeline/cloud.h"

namespace parallax {

// The same bits in every run of a back end, whatever the number of threads or blocks, but where the time
// limit ends it.
struct EmdOptions {
  double gap = 0.005;           // stop when upper - lower <= gap * upper; > 0
  double time_limit_s = 0;      // 0 = none; the best bijection so far is returned
  std::int64_t max_rounds = 0;  // of bidding; 0 = none
};

// kResolution: prices move in steps of 2^-24 of the diagonal of both clouds' bounding box, and the finest
// step did not reach the gap: an EMD that is next to nothing beside the clouds' extent.
enum class EmdStop { kGap, kTime, kRounds, kResolution, kExact };

struct EmdResult {
  double upper_m = 0;  // mean distance of the bijection below
  double lower_m = 0;  // no bijection has a smaller mean distance (but for rounding of sums)
  std::vector<std::int32_t> match_of_a;  // always a bijection: b's index for every point of a
  std::vector<std::int32_t> match_of_b;  // its inverse
  std::int64_t rounds = 0;
  double seconds = 0;
  EmdStop stop = EmdStop::kGap;
};

struct EmdPair {
  std::span<const Point3f> a, b;  // the same size, > 0, all finite
};

// Throws InvalidArgument for clouds that are empty, of different size or not finite, and for options out of
// range.
void CheckEmdInput(const EmdPair& pair, const EmdOptions& options);

// The auction on one CPU thread.
EmdResult AuctionEmd(const EmdPair& pair, const EmdOptions& options);

// The exact answer by shortest augmenting paths (Jonker & Volgenant 1987; Crouse 2016) from the auction's
// prices; O(n^3) time at worst, O(n) memory. upper_m == lower_m up to rounding of the sums.
EmdResult ExactEmd(const EmdPair& pair);

// count of n indices, drawn without replacement where count <= n, else each index count / n times and the
// rest drawn; ascending. The same on every machine for the same seed.
std::vector<std::int32_t> SampleIndices(std::int64_t n, std::int64_t count, std::uint64_t seed);

}  // namespace parallax
