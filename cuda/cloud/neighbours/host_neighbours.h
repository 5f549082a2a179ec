// Nearest neighbours of clouds in host memory: NeighbourSearch with the copies there and back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cuda/cloud/large_download.h"
#include "cuda/cloud/neighbours/cuda_neighbour_search.h"
#include "cuda/device/device_buffer.h"
#include "cuda/device/stream.h"
#include "pipeline/cloud/neighbours/neighbours.h"

namespace parallax::cuda {

// Memory grows with the largest cloud so far and is kept.
class HostNeighbours {
 public:
  Neighbours Of(std::span<const Point3f> points, const NeighbourOptions& options);
  Neighbours OfQueries(std::span<const Point3f> points, std::span<const Point3f> queries, int k);
  std::vector<float> MeanDistances(std::span<const Point3f> points, const NeighbourOptions& options);

 private:
  void Prepare(std::span<const Point3f> points, std::span<const Point3f> queries, std::size_t num_indices,
               std::size_t num_distances);
  Neighbours Fetch(std::size_t rows, int k);

  Stream stream_;
  LargeDownload download_;
  std::optional<NeighbourSearch> search_;
  DeviceBuffer<Point3f> points_, queries_;
  DeviceBuffer<std::int32_t> indices_;
  DeviceBuffer<float> distances_;
};

}  // namespace parallax::cuda
