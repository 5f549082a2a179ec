// Cleaning a cloud: which of its points to keep. Indices are those of the input, ascending; points that are
// not finite are never kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/cloud.h"
#include "pipeline/cloud/cloud_measures.h"

namespace parallax {

// Two libraries remove statistical outliers by different numbers under the same names. Both look at the mean
// distance d of every point to its neighbours (neighbours.h), the mean of all d, and their standard deviation
// (divided by the number of points less one).
enum class OutlierConvention {
  kPcl,    // The neighbours are num_neighbours OTHER points. Removed: d > mean + ratio * deviation.
  kOpen3d  // The point itself is one of the num_neighbours, at distance 0, so that d is smaller by
           // (num_neighbours - 1) / num_neighbours. Kept: 0 < d < mean + ratio * deviation. Points with d = 0
           // (duplicates) go, and are left out of the deviation's sum, but not of its count.
};

struct StatisticalOutlierParameters {
  int num_neighbours = 20;  // 1 .. 64
  double std_ratio = 2;     // standard deviations above the mean, > 0
  OutlierConvention convention = OutlierConvention::kPcl;
};
// The indices that stay. Throws InvalidArgument for parameters out of range.
std::vector<std::int32_t> KeepStatisticalInliers(std::span<const Point3f> points,
                                                 const StatisticalOutlierParameters& parameters,
                                                 CloudMeasures& measures);

struct RadiusOutlierParameters {
  double radius_m = 0.1;   // > 0
  int min_neighbours = 4;  // other points at this distance at most that a point needs to stay; 1 .. 64
};
// The same in both libraries, but that Open3D wants the distances below the radius. Throws as above.
std::vector<std::int32_t> KeepRadiusInliers(std::span<const Point3f> points,
                                            const RadiusOutlierParameters& parameters,
                                            CloudMeasures& measures);

// One point a voxel (voxel_grid.h): the one nearest the mean of the voxel's points, the lowest index of
// equals. Throws InvalidArgument for a size that is not positive and for points too far away.
std::vector<std::int32_t> KeepOnePerVoxel(std::span<const Point3f> points, float voxel_size_m);

// The mean point and mean colour of every voxel, in the order of the voxels' first points. Sums in double, in
// input order; colours rounded to the nearest. Throws as above.
PointCloud MeansOfVoxels(const PointCloud& cloud, float voxel_size_m);

// The points, and colours where there are any, at the indices, in their order. Throws InvalidArgument for an
// index outside the cloud and for colours that are not one a point.
PointCloud Select(const PointCloud& cloud, std::span<const std::int32_t> indices);

}  // namespace parallax
