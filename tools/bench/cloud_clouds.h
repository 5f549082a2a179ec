// Clouds to measure on: the same on every machine for the same arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "parallax/cloud.h"

namespace parallax::bench {

// n points in the unit cube.
std::vector<Point3f> UniformCloud(std::int64_t n, std::uint64_t seed = 1);

// One point a pixel of a smooth depth map with jumps: a road, house fronts and poles in front of them, seen
// by a camera of KITTI's focal length, depths 4 .. 80 m with noise as of a disparity 0.1 px off. In rows from
// the top.
std::vector<Point3f> DepthMapCloud(int width = 1242, int height = 806, std::uint64_t seed = 1);

// n points around num_clusters centres in the unit cube; the clusters' sizes (standard deviation) spread over
// 0.001 .. 0.03.
std::vector<Point3f> ClusteredCloud(std::int64_t n, int num_clusters = 64, std::uint64_t seed = 1);

// n points on the unit sphere.
std::vector<Point3f> SphereCloud(std::int64_t n, std::uint64_t seed = 1);

}  // namespace parallax::bench
