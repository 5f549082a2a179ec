// Checks before neighbours are searched.
#pragma once

#include <cstddef>

#include "parallax/cloud_measures.h"

namespace parallax {

// Throws InvalidArgument if k is out of range or there are more than 2^31 - 1 points.
void CheckNeighbourOptions(const NeighbourOptions& options, std::size_t num_points);

}  // namespace parallax
