// Points in the order of a Hilbert curve: neighbours in space become neighbours in memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parallax/cloud.h"
#include "pipeline/threads/parallel.h"

namespace parallax {

// Indices of the finite points along a Hilbert curve of 1024 cells a side over their bounding cube. More than
// kRefinedRun points in one cell are ordered again within their own cube, and so on, so a far outlier or a
// stretched cloud loses no resolution. Equal points are in the order of their indices. The order is
// deterministic.
inline constexpr std::int64_t kRefinedRun = 16;
std::vector<std::int32_t> CurveOrder(std::span<const Point3f> points, ThreadPool& pool);

}  // namespace parallax
