// How many cells of the curve a cloud needs.
#pragma once

#include <span>

#include "pipeline/cloud.h"

namespace parallax::cuda {

// Bits an axis for NeighbourSearch, by a sample of points in host memory: kCurveBits, or kMostHilbertBits
// where some cells would hold many points, which then stand in no order, as in clouds of dense parts far
// apart.
int ChooseCurveBits(std::span<const Point3f> points);

}  // namespace parallax::cuda
