// The k nearest neighbours of every point, and what follows from them: mean distances and local density.
//
// The distance of a and b is the float sqrt((dx * dx + dy * dy) + dz * dz), dx = a.x - b.x and so on, every
// operation rounded to float by itself. Neighbours are ordered by squared distance, then by index. So every
// back end gives the same bits.
// A point that is not finite has no neighbours and is nobody's neighbour.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/cloud.h"

namespace parallax {

inline constexpr int kLargestNumNeighbours = 64;
inline constexpr std::int32_t kNoNeighbour = -1;

struct NeighbourOptions {
  int k = 8;                  // 1 .. kLargestNumNeighbours
  bool include_self = false;  // true: a point is a neighbour of itself, at distance 0
};

// n rows of k entries, nearest first. Where a point has fewer than k neighbours the rest of its row is
// kNoNeighbour, at distance +inf.
struct Neighbours {
  int k = 0;
  std::vector<std::int32_t> indices;  // n * k
  std::vector<float> distances_m;     // n * k
};

// Throws InvalidArgument where k is out of range or there are more than 2^31 - 1 points.
void CheckNeighbourOptions(const NeighbourOptions& options, std::size_t num_points);

// Mean of the neighbours a row has: the float sum from the nearest on, divided by their number. NaN where
// there are none. One value a row.
std::vector<float> MeanDistances(const Neighbours& neighbours);

enum class DensityKind {
  kSurface,  // points / m^2: k / (pi r_k^2), right for the sheets that stereo gives
  kVolume,   // points / m^3: k / (4/3 pi r_k^3)
};
// Local density at every point, from r_k, the distance of the farthest neighbour its row has, and k, their
// number. NaN without neighbours, +inf where r_k is 0 (duplicates).
std::vector<float> LocalDensity(const Neighbours& neighbours, DensityKind kind);

}  // namespace parallax
