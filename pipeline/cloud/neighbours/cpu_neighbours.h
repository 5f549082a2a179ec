// Nearest neighbours on the CPU; parallax/cloud_measures.h defines them.
#pragma once

#include <span>
#include <vector>

#include "parallax/cloud.h"
#include "pipeline/cloud/neighbours/neighbours.h"
#include "pipeline/threads/parallel.h"

namespace parallax {

Neighbours FindNeighbours(std::span<const Point3f> points, const NeighbourOptions& options, ThreadPool& pool);
Neighbours FindNeighbours(std::span<const Point3f> points, std::span<const Point3f> queries, int k,
                          ThreadPool& pool);
std::vector<float> FindMeanNeighbourDistances(std::span<const Point3f> points,
                                              const NeighbourOptions& options, ThreadPool& pool);

}  // namespace parallax
