#include "cuda/cloud/neighbours/cuda_neighbour_search.h"

#include <algorithm>
#include <string>

#include "cuda/cloud/neighbours/neighbour_build.h"
#include "cuda/cloud/neighbours/neighbour_query.h"
#include "cuda/device/stream.h"
#include "parallax/error.h"
#include "pipeline/cloud/neighbours/neighbours.h"

namespace parallax::cuda {
namespace {

std::size_t Padded(std::int64_t count) {
  return static_cast<std::size_t>((count + kTreeBlockPoints - 1) / kTreeBlockPoints * kTreeBlockPoints);
}

// Two to three times what the warps of an evenly spread cloud visit.
int MostLeaves(int k) { return k <= 4 ? 96 : k <= 8 ? 120 : k <= 16 ? 144 : k <= 32 ? 200 : 320; }

void CheckCount(const char* what, std::int64_t count, std::int64_t most) {
  if (count < 0 || count > most) {
    throw InvalidArgument(std::string(what) + ": " + std::to_string(count) +
                          " points, but this search has room for " + std::to_string(most));
  }
}

}  // namespace

struct NeighbourSearch::State {
  std::int64_t max_points = 0, max_queries = 0;
  CurveOrder order, query_order;
  DeviceBuffer<TreePoint> points, queries;
  DeviceBuffer<float4> boxes;
  DeviceBuffer<CloudExtent> extent;
  DeviceBuffer<std::int32_t> places;
  DeviceBuffer<int> leftover;  // two counters, then the warps
  NeighbourTree tree;

  NeighbourQuery QueryOfPoints(int k, bool include_self) {
    CheckNeighbourOptions({.k = k, .include_self = include_self}, static_cast<std::size_t>(tree.num_points));
    NeighbourQuery query;
    query.tree = tree;
    query.queries = points.data();
    query.order = order.order();
    query.num_queries = tree.num_points;
    query.exclude_self = !include_self;
    query.k = k;
    Complete(query);
    return query;
  }
  void Complete(NeighbourQuery& query) {
    query.extent = extent.data();
    query.most_leaves = MostLeaves(query.k);
    query.num_leftover = leftover.data();
    query.leftover = query.num_leftover + 2;
  }
};

NeighbourSearch::NeighbourSearch(std::int64_t max_points, std::int64_t max_queries)
    : state_(std::make_unique<State>()) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1 - kTreeBlockPoints;
  if (max_points < 0 || max_points > kMost || max_queries < 0 || max_queries > kMost)
    throw InvalidArgument("nearest neighbours: a cloud may have 0 .. " + std::to_string(kMost) + " points");
  State& s = *state_;
  s.max_points = max_points;
  s.max_queries = max_queries;
  if (max_points > 0) {
    s.order = CurveOrder(max_points);
    s.points = DeviceBuffer<TreePoint>(Padded(max_points));
    s.boxes = DeviceBuffer<float4>(static_cast<std::size_t>(2 * NumTreeNodes(max_points)));
  }
  s.extent = DeviceBuffer<CloudExtent>(1);
  s.leftover = DeviceBuffer<int>(static_cast<std::size_t>((std::max(max_points, max_queries) + 31) / 32 + 2));
  Stream stream;  // a copy from host memory might end after this constructor
  Check(cudaMemsetAsync(s.leftover.data(), 0, 2 * sizeof(int), stream.get()), "cudaMemsetAsync");
  Check(cudaMemsetAsync(s.extent.data(), 0, s.extent.size_bytes(), stream.get()), "cudaMemsetAsync");
  Check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  if (max_queries > 0) {
    s.query_order = CurveOrder(max_queries);
    s.queries = DeviceBuffer<TreePoint>(Padded(max_queries));
    s.places = DeviceBuffer<std::int32_t>(static_cast<std::size_t>((max_queries + 31) / 32));
  }
}
NeighbourSearch::~NeighbourSearch() = default;
NeighbourSearch::NeighbourSearch(NeighbourSearch&&) noexcept = default;
NeighbourSearch& NeighbourSearch::operator=(NeighbourSearch&&) noexcept = default;

std::int64_t NeighbourSearch::max_points() const { return state_->max_points; }
std::int64_t NeighbourSearch::max_queries() const { return state_->max_queries; }
std::size_t NeighbourSearch::MemoryBytes() const {
  const State& s = *state_;
  return s.order.MemoryBytes() + s.query_order.MemoryBytes() + s.points.size_bytes() + s.boxes.size_bytes() +
         s.queries.size_bytes() + s.places.size_bytes() + s.leftover.size_bytes() + s.extent.size_bytes();
}

std::size_t NeighbourSearch::BytesNeeded(std::int64_t max_points, std::int64_t max_queries) {
  // Keys and numbers twice, a point in its order, an eighth of a box and some more; what sorting wants
  // besides.
  return static_cast<std::size_t>(50 * max_points + 46 * max_queries) + (std::size_t{16} << 20);
}

void NeighbourSearch::Build(const Point3f* points, std::int64_t num_points, cudaStream_t stream) {
  State& s = *state_;
  CheckCount("nearest neighbours", num_points, s.max_points);
  s.tree = {};
  if (num_points == 0) return;
  EnqueueExtent(points, num_points, s.extent.data(), stream);
  s.order.Enqueue(points, num_points, s.extent.data(), &s.extent.data()->num_finite, stream);
  EnqueueTree(points, num_points, s.order.order(), s.tree, s.points.data(), s.boxes.data(), stream);
}

void NeighbourSearch::FindNeighbours(int k, bool include_self, std::int32_t* indices, float* distances_m,
                                     cudaStream_t stream) {
  NeighbourQuery query = state_->QueryOfPoints(k, include_self);
  query.indices = indices;
  query.distances = distances_m;
  if (query.num_queries > 0) {
    LaunchNeighbourIndices(query, stream);
    LaunchNeighboursOneByOne(query, stream);
  }
}

void NeighbourSearch::FindMeanDistances(int k, bool include_self, float* means_m, cudaStream_t stream) {
  NeighbourQuery query = state_->QueryOfPoints(k, include_self);
  query.means = means_m;
  if (query.num_queries > 0) {
    LaunchNeighbourMeans(query, stream);
    LaunchNeighboursOneByOne(query, stream);
  }
}

void NeighbourSearch::FindNeighboursOf(const Point3f* queries, std::int64_t num_queries, int k,
                                       std::int32_t* indices, float* distances_m, cudaStream_t stream) {
  State& s = *state_;
  CheckCount("queries of nearest neighbours", num_queries, s.max_queries);
  CheckNeighbourOptions({.k = k}, static_cast<std::size_t>(num_queries));
  if (num_queries == 0) return;
  if (s.tree.num_points == 0) {
    LaunchNoNeighbours(num_queries * k, indices, distances_m, stream);
    return;
  }
  s.query_order.Enqueue(queries, num_queries, s.extent.data(), nullptr, stream);
  EnqueueQueryPoints(queries, num_queries, s.query_order.order(), s.queries.data(), stream);
  EnqueuePlaces(s.query_order, num_queries, s.order, s.tree.num_points, s.places.data(), stream);
  NeighbourQuery query;
  query.tree = s.tree;
  query.queries = s.queries.data();
  query.order = s.query_order.order();
  query.num_queries = static_cast<int>(num_queries);
  query.places = s.places.data();
  query.k = k;
  query.indices = indices;
  query.distances = distances_m;
  s.Complete(query);
  LaunchNeighbourIndices(query, stream);
  LaunchNeighboursOneByOne(query, stream);
}

}  // namespace parallax::cuda
