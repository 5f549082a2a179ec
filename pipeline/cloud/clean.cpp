#include "parallax/cloud_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "parallax/error.h"
#include "pipeline/cloud/finite.h"
#include "pipeline/cloud/voxel_grid.h"

namespace parallax {
namespace {

template <typename F>
std::vector<std::int32_t> IndicesWhere(std::size_t count, const F& keep) {
  std::vector<std::int32_t> kept;
  for (std::size_t i = 0; i < count; ++i) {
    if (keep(i)) kept.push_back(static_cast<std::int32_t>(i));
  }
  return kept;
}

void CheckNumber(int number, const char* what) {
  if (number < 1 || number > kLargestNumNeighbours) {
    throw InvalidArgument(std::string(what) + " is " + std::to_string(number) + ": must be 1 to " +
                          std::to_string(kLargestNumNeighbours));
  }
}
void CheckPositive(double value, const char* what) {
  if (!(value > 0) || !std::isfinite(value))
    throw InvalidArgument(std::string(what) + " is " + std::to_string(value) +
                          ": must be positive and finite");
}

void CheckColors(const PointCloud& cloud) {
  if (!cloud.colors.empty() && cloud.colors.size() != cloud.points.size()) {
    throw InvalidArgument("cloud of " + std::to_string(cloud.points.size()) + " points with " +
                          std::to_string(cloud.colors.size()) +
                          " colours: there must be one for each "
                          "point, or none");
  }
}

// Sums of the points of one voxel.
struct Sums {
  double x = 0, y = 0, z = 0, count = 0;
  double r = 0, g = 0, b = 0;

  void Add(const Point3f& p) {
    x += double{p.x}, y += double{p.y}, z += double{p.z};
    ++count;
  }
  void Add(const Rgb8& color) { r += color.r, g += color.g, b += color.b; }
  Point3f Mean() const {
    return {static_cast<float>(x / count), static_cast<float>(y / count), static_cast<float>(z / count)};
  }
  Rgb8 MeanColor() const {
    const auto rounded = [this](double sum) {
      return static_cast<std::uint8_t>(std::floor(sum / count + 0.5));
    };
    return {rounded(r), rounded(g), rounded(b)};
  }
};

// Calls body(voxel's points) for every voxel, by ascending key; their indices ascend.
template <typename F>
void ForVoxels(std::span<const VoxelPoint> order, const F& body) {
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && order[end].key == order[begin].key) ++end;
    body(order.subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace

std::vector<std::int32_t> KeepStatisticalInliers(std::span<const Point3f> points,
                                                 const StatisticalOutlierParameters& parameters,
                                                 CloudMeasures& measures) {
  CheckNumber(parameters.num_neighbours, "number of neighbours");
  CheckPositive(parameters.std_ratio, "ratio of standard deviations");
  const bool open3d = parameters.convention == OutlierConvention::kOpen3d;
  const std::vector<float> distances =
      measures.MeanNeighbourDistances(points, {.k = parameters.num_neighbours, .include_self = open3d});
  double sum = 0, count = 0;
  for (const float d : distances) {
    if (!std::isfinite(d)) continue;  // no neighbours, or too far away for single precision
    sum += double{d};
    ++count;
  }
  const double mean = sum / count;
  double squares = 0;
  for (const float d : distances) {
    if (!std::isfinite(d) || (open3d && d == 0)) continue;
    squares += (double{d} - mean) * (double{d} - mean);
  }
  const double deviation = count > 1 ? std::sqrt(squares / (count - 1)) : 0;
  const double largest = mean + parameters.std_ratio * deviation;
  return IndicesWhere(distances.size(), [&](std::size_t i) {
    const double d = distances[i];
    return open3d ? d > 0 && d < largest : d <= largest;  // false for NaN
  });
}

std::vector<std::int32_t> KeepRadiusInliers(std::span<const Point3f> points,
                                            const RadiusOutlierParameters& parameters,
                                            CloudMeasures& measures) {
  CheckNumber(parameters.min_neighbours, "least number of neighbours");
  CheckPositive(parameters.radius_m, "radius");
  const int k = parameters.min_neighbours;
  const Neighbours neighbours = measures.NearestNeighbours(points, {.k = k});
  return IndicesWhere(points.size(), [&](std::size_t i) {
    const std::size_t last = i * k + k - 1;
    return neighbours.indices[last] != kNoNeighbour &&
           static_cast<double>(neighbours.distances_m[last]) <= parameters.radius_m;
  });
}

std::vector<std::int32_t> KeepOnePerVoxel(std::span<const Point3f> points, float voxel_size_m) {
  const std::vector<VoxelPoint> order = SortByVoxel(points, voxel_size_m);
  std::vector<std::int32_t> kept;
  ForVoxels(order, [&](std::span<const VoxelPoint> voxel) {
    Sums sums;
    for (const VoxelPoint& v : voxel) sums.Add(points[v.point]);
    double least = std::numeric_limits<double>::infinity();
    std::int32_t nearest = voxel.front().point;
    for (const VoxelPoint& v : voxel) {
      const Point3f& p = points[v.point];
      const double dx = p.x - sums.x / sums.count, dy = p.y - sums.y / sums.count,
                   dz = p.z - sums.z / sums.count;
      const double squared = dx * dx + dy * dy + dz * dz;
      if (squared < least) {
        least = squared;
        nearest = v.point;
      }
    }
    kept.push_back(nearest);
  });
  std::sort(kept.begin(), kept.end());
  return kept;
}

PointCloud MeansOfVoxels(const PointCloud& cloud, float voxel_size_m) {
  CheckColors(cloud);
  struct Voxel {
    std::int32_t first_point;
    Sums sums;
  };
  std::vector<Voxel> voxels;
  ForVoxels(SortByVoxel(cloud.points, voxel_size_m), [&](std::span<const VoxelPoint> voxel) {
    voxels.push_back({voxel.front().point, {}});
    for (const VoxelPoint& v : voxel) {
      voxels.back().sums.Add(cloud.points[v.point]);
      if (!cloud.colors.empty()) voxels.back().sums.Add(cloud.colors[v.point]);
    }
  });
  std::sort(voxels.begin(), voxels.end(),
            [](const Voxel& a, const Voxel& b) { return a.first_point < b.first_point; });
  PointCloud means;
  for (const Voxel& voxel : voxels) {
    means.points.push_back(voxel.sums.Mean());
    if (!cloud.colors.empty()) means.colors.push_back(voxel.sums.MeanColor());
  }
  return means;
}

PointCloud Select(const PointCloud& cloud, std::span<const std::int32_t> indices) {
  CheckColors(cloud);
  PointCloud selected;
  selected.points.reserve(indices.size());
  if (!cloud.colors.empty()) selected.colors.reserve(indices.size());
  for (const std::int32_t index : indices) {
    if (index < 0 || static_cast<std::size_t>(index) >= cloud.size()) {
      throw InvalidArgument("there is no point " + std::to_string(index) + " in a cloud of " +
                            std::to_string(cloud.size()) + " points");
    }
    selected.points.push_back(cloud.points[index]);
    if (!cloud.colors.empty()) selected.colors.push_back(cloud.colors[index]);
  }
  return selected;
}

}  // namespace parallax
