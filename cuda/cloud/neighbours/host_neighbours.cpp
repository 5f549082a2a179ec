#include "cuda/cloud/neighbours/host_neighbours.h"

#include <algorithm>
#include <string>

#include "cuda/cloud/device_memory.h"

namespace parallax::cuda {
namespace {

template <typename T>
void Grow(DeviceBuffer<T>& buffer, std::size_t size) {
  if (buffer.size() >= size) return;
  buffer = DeviceBuffer<T>();  // give back first, so that both need not fit
  buffer = DeviceBuffer<T>(size);
}

template <typename T>
void Copy(T* to, const T* from, std::size_t count, cudaStream_t stream) {
  if (count != 0)
    Check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDefault, stream), "cudaMemcpyAsync");
}

}  // namespace

void HostNeighbours::Prepare(std::span<const Point3f> points, std::span<const Point3f> queries,
                             std::size_t num_indices, std::size_t num_distances) {
  const auto num_points = static_cast<std::int64_t>(points.size());
  const auto num_queries = static_cast<std::int64_t>(queries.size());
  const std::size_t needed = NeighbourSearch::BytesNeeded(num_points, num_queries) +
                             (points.size() + queries.size()) * sizeof(Point3f) +
                             (num_indices + num_distances) * sizeof(float);
  const std::size_t held = (search_ ? search_->MemoryBytes() : 0) + points_.size_bytes() +
                           queries_.size_bytes() + indices_.size_bytes() + distances_.size_bytes();
  if (needed > held) {
    RequireMemory("nearest neighbours of " + std::to_string(points.size()) + " points", needed, held,
                  "use fewer neighbours, fewer points or the back end cpu");
  }
  if (!search_ || search_->max_points() < num_points || search_->max_queries() < num_queries) {
    const std::int64_t room = std::max(num_points, search_ ? search_->max_points() : 0);
    const std::int64_t query_room = std::max(num_queries, search_ ? search_->max_queries() : 0);
    search_.reset();
    search_.emplace(room, query_room);
  }
  Grow(points_, points.size());
  Grow(queries_, queries.size());
  Grow(indices_, num_indices);
  Grow(distances_, num_distances);
  Copy(points_.data(), points.data(), points.size(), stream_.get());
  Copy(queries_.data(), queries.data(), queries.size(), stream_.get());
  search_->Build(points_.data(), num_points, stream_.get());
}

Neighbours HostNeighbours::Fetch(std::size_t rows, int k) {
  Neighbours found;
  found.k = k;
  const std::size_t entries = rows * static_cast<std::size_t>(k);
  download_.Append(found.indices, indices_.data(), entries, stream_.get());
  download_.Append(found.distances_m, distances_.data(), entries, stream_.get());
  return found;
}

Neighbours HostNeighbours::Of(std::span<const Point3f> points, const NeighbourOptions& options) {
  CheckNeighbourOptions(options, points.size());
  const std::size_t entries = points.size() * static_cast<std::size_t>(options.k);
  Prepare(points, {}, entries, entries);
  search_->FindNeighbours(options.k, options.include_self, indices_.data(), distances_.data(), stream_.get());
  return Fetch(points.size(), options.k);
}

Neighbours HostNeighbours::OfQueries(std::span<const Point3f> points, std::span<const Point3f> queries,
                                     int k) {
  CheckNeighbourOptions({.k = k}, std::max(points.size(), queries.size()));
  const std::size_t entries = queries.size() * static_cast<std::size_t>(k);
  Prepare(points, queries, entries, entries);
  search_->FindNeighboursOf(queries_.data(), static_cast<std::int64_t>(queries.size()), k, indices_.data(),
                            distances_.data(), stream_.get());
  return Fetch(queries.size(), k);
}

std::vector<float> HostNeighbours::MeanDistances(std::span<const Point3f> points,
                                                 const NeighbourOptions& options) {
  CheckNeighbourOptions(options, points.size());
  Prepare(points, {}, 0, points.size());
  search_->FindMeanDistances(options.k, options.include_self, distances_.data(), stream_.get());
  std::vector<float> means;
  download_.Append(means, distances_.data(), points.size(), stream_.get());
  return means;
}

}  // namespace parallax::cuda
