// Points in the order of a Hilbert curve: neighbours in space become neighbours in memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parallax/cloud.h"
#include "pipeline/threads/parallel.h"

namespace parallax {

// Indices of the finite points along a Hilbert curve of 1024 cells a side over their bounding cube. More than
// kRefinedRun points of one cell are ordered again within their own cube, and so on, so that a far outlier or
// a stretched cloud loses no resolution; equal points stand in order of their indices. Always the same order.
inline constexpr std::int64_t kRefinedRun = 16;
std::vector<std::int32_t> CurveOrder(std::span<const Point3f> points, ThreadPool& pool);

}  // namespace parallax
