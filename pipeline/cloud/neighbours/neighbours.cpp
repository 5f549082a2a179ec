#include "pipeline/cloud/neighbours/neighbours.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "parallax/error.h"

namespace parallax {
namespace {

// Entries of row i that are neighbours; they stand in front.
int CountOfRow(const Neighbours& neighbours, std::size_t row) {
  const std::int32_t* indices = neighbours.indices.data() + row * neighbours.k;
  int count = 0;
  while (count < neighbours.k && indices[count] != kNoNeighbour) ++count;
  return count;
}
std::size_t NumRows(const Neighbours& neighbours) {
  return neighbours.k == 0 ? 0 : neighbours.indices.size() / neighbours.k;
}

}  // namespace

void CheckNeighbourOptions(const NeighbourOptions& options, std::size_t num_points) {
  if (options.k < 1 || options.k > kLargestNumNeighbours) {
    throw InvalidArgument("k is " + std::to_string(options.k) + ": the number of neighbours must be 1 to " +
                          std::to_string(kLargestNumNeighbours));
  }
  if (num_points > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw InvalidArgument("a cloud of " + std::to_string(num_points) +
                          " points: neighbours are found among 2147483647 at most");
  }
}

std::vector<float> MeanDistances(const Neighbours& neighbours) {
  std::vector<float> means(NumRows(neighbours));
  for (std::size_t row = 0; row < means.size(); ++row) {
    const float* distances = neighbours.distances_m.data() + row * neighbours.k;
    const int count = CountOfRow(neighbours, row);
    float sum = 0;
    for (int i = 0; i < count; ++i) sum += distances[i];
    means[row] = count == 0 ? std::numeric_limits<float>::quiet_NaN() : sum / static_cast<float>(count);
  }
  return means;
}

std::vector<float> LocalDensity(const Neighbours& neighbours, DensityKind kind) {
  std::vector<float> densities(NumRows(neighbours));
  for (std::size_t row = 0; row < densities.size(); ++row) {
    const int count = CountOfRow(neighbours, row);
    if (count == 0) {
      densities[row] = std::numeric_limits<float>::quiet_NaN();
      continue;
    }
    const double r = neighbours.distances_m[row * neighbours.k + count - 1];
    const double extent = kind == DensityKind::kSurface ? r * r : 4.0 / 3.0 * r * r * r;
    densities[row] = static_cast<float>(count / (std::numbers::pi * extent));
  }
  return densities;
}

}  // namespace parallax
