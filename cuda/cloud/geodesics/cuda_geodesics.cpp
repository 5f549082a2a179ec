#include "cuda/cloud/geodesics/cuda_geodesics.h"

#include <algorithm>
#include <string>
#include <vector>

#include "parallax/error.h"

namespace parallax::cuda {
namespace {

// Gives the buffer at least size elements; the old ones are lost.
template <typename T>
T* Grow(DeviceBuffer<T>& buffer, std::size_t size) {
  if (buffer.size() < size) {
    buffer = DeviceBuffer<T>();  // first free, then take
    buffer = DeviceBuffer<T>(size);
  }
  return buffer.data();
}

template <typename T>
void Upload(std::span<const T> values, T* to, cudaStream_t stream) {
  Check(cudaMemcpyAsync(to, values.data(), values.size_bytes(), cudaMemcpyHostToDevice, stream),
        "cudaMemcpyAsync");
}

template <typename T>
void Download(const T* from, T* to, std::size_t count, cudaStream_t stream) {
  Check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
}

}  // namespace

void GeodesicSolver::SetGraph(const CloudGraph& graph) {
  num_edges_ = graph.num_edges();
  if (num_edges_ >= std::int64_t{1} << 32 || graph.num_nodes() >= (std::int32_t{1} << 29)) {
    throw InvalidArgument("geodesics: " + std::to_string(graph.num_nodes()) + " nodes and " +
                          std::to_string(num_edges_) +
                          " edges: the cuda back end takes fewer than 2^29 and 2^32");
  }
  graph_ = {};
  graph_.num_nodes = graph.num_nodes();
  if (graph.num_nodes() == 0) return;
  std::vector<std::uint32_t> first_edge(graph.first_edge.size());
  max_degree_ = 0;
  for (std::size_t i = 0; i < first_edge.size(); ++i) {
    first_edge[i] = static_cast<std::uint32_t>(graph.first_edge[i]);
    if (i > 0)
      max_degree_ = std::max(max_degree_, static_cast<std::int32_t>(first_edge[i] - first_edge[i - 1]));
  }
  // A sample will do: it is a first guess.
  const std::int64_t step = std::max<std::int64_t>(1, num_edges_ / 4096);
  double sum = 0, count = 0;
  for (std::int64_t i = 0; i < num_edges_; i += step, ++count) {
    sum += static_cast<double>(graph.lengths_m[static_cast<std::size_t>(i)]);
  }
  mean_length_m_ = count > 0 ? static_cast<float>(sum / count) : 0;

  const auto num_edges = static_cast<std::size_t>(num_edges_);
  const auto num_nodes = static_cast<std::size_t>(graph.num_nodes());
  Upload<std::uint32_t>(first_edge, Grow(first_edge_, first_edge.size()), stream_.get());
  Upload<std::int32_t>(graph.targets, Grow(edge_targets_, num_edges), stream_.get());
  Upload<float>(graph.lengths_m, Grow(edge_lengths_, num_edges), stream_.get());
  const bool padded = max_degree_ <= kRowLanes;
  graph_.edges = Grow(edges_, padded ? num_nodes * kRowLanes : num_edges);
  if (padded) {
    PadRows(graph_.num_nodes, first_edge_.data(), edge_targets_.data(), edge_lengths_.data(), edges_.data(),
            stream_.get());
  } else {
    graph_.first_edge = first_edge_.data();
    JoinEdges(num_edges, edge_targets_.data(), edge_lengths_.data(), edges_.data(), stream_.get());
  }
  Check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
}

void GeodesicSolver::FindDistances(const GeodesicBatch& batch, cudaStream_t stream, std::uint32_t* steps,
                                   GeodesicAlgorithm algorithm) {
  if (batch.num_sources == 0) return;
  FillUnreached(batch.distances,
                static_cast<std::size_t>(batch.num_sources) * static_cast<std::size_t>(graph_.num_nodes),
                stream);
  bool by_heap = method == Method::kHeap;
  if (method == Method::kByRule) {
    by_heap = algorithm == GeodesicAlgorithm::kHeap ||
              (algorithm == GeodesicAlgorithm::kFastest && IsFasterByHeap(batch.num_sources));
  }
  if (by_heap) {
    FindByHeap(batch, stream);
  } else {
    FindByNearFar(batch, stream, steps);
  }
}

// Measured (docs/benchmarks.md): where nodes have two neighbours, as along a line, there is nothing to
// expand together. A heap needs a warp only, so that more searches run at a time.
bool GeodesicSolver::IsFasterByHeap(int num_sources) const {
  return num_edges_ <= 2 * std::int64_t{graph_.num_nodes} &&
         num_sources >= NearFarBlocks(graph_.first_edge == nullptr, true);
}

void GeodesicSolver::FindByHeap(const GeodesicBatch& batch, cudaStream_t stream) {
  const auto num_rows = static_cast<std::size_t>(batch.num_sources);
  std::size_t free_bytes = 0, total_bytes = 0;
  Check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  // Two chunks a search, as far as half of the memory goes; none where a queue holds all edges without.
  const std::size_t chunk_bytes = HeapChunkPairs() * sizeof(uint2);
  const std::size_t searches = std::min(num_rows, static_cast<std::size_t>(HeapSearchWarps()));
  const std::size_t chunks = std::min(
      {2 * searches, free_bytes / 2 / chunk_bytes + heap_.size_bytes() / chunk_bytes, most_heap_chunks});
  HeapMemory memory{.pairs = Grow(heap_, chunks * HeapChunkPairs()),
                    .num_chunks = static_cast<std::uint32_t>(chunks),
                    .num_taken = Grow(heap_taken_, 1)};
  std::vector<std::int32_t> targets(static_cast<std::size_t>(batch.num_targets));
  if (!targets.empty()) Download(batch.targets, targets.data(), targets.size(), stream);
  Check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  std::sort(targets.begin(), targets.end());
  const auto num_distinct = std::unique(targets.begin(), targets.end()) - targets.begin();
  HeapSearch(batch, static_cast<std::int32_t>(num_distinct),
             Grow(is_target_, static_cast<std::size_t>(graph_.num_nodes) / 32 + 1), memory,
             Grow(out_of_memory_, num_rows), stream);
  std::vector<std::uint32_t> out_of_memory(num_rows);
  Download(out_of_memory_.data(), out_of_memory.data(), num_rows, stream);
  Check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  for (std::size_t row = 0; row < num_rows; ++row) {
    if (out_of_memory[row] == 0) continue;
    GeodesicBatch one = batch;
    one.sources += row;
    one.num_sources = 1;
    one.distances += row * static_cast<std::size_t>(graph_.num_nodes);
    one.limits += row;
    FillUnreached(one.distances, static_cast<std::size_t>(graph_.num_nodes), stream);
    FindByNearFar(one, stream, nullptr);
  }
}

void GeodesicSolver::FindByNearFar(const GeodesicBatch& batch, cudaStream_t stream, std::uint32_t* steps) {
  NearFarOptions options;
  options.first_delta = mean_length_m_ * 2;
  if (most_near != 0) options.most_near = most_near;
  FarList far = SizeOfFarList(graph_.num_nodes, num_edges_, max_degree_);
  const bool padded = graph_.first_edge == nullptr;
  options.few = method == Method::kFewNearFar ||
                (method == Method::kByRule && batch.num_sources < NearFarBlocks(padded, true));
  int blocks = std::min(batch.num_sources, NearFarBlocks(padded, options.few));
  if (far_.size() < far.capacity * static_cast<std::size_t>(blocks)) {
    far_ = {};
    std::size_t free_bytes = 0, total_bytes = 0;
    Check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    const std::size_t fitting = free_bytes / 10 * 9 / (far.capacity * sizeof(uint2));
    if (fitting == 0) {
      throw Error("geodesics: a search on a graph of " + std::to_string(graph_.num_nodes) + " nodes needs " +
                  std::to_string(far.capacity * sizeof(uint2) >> 20) + " MiB of the device's memory, " +
                  std::to_string(free_bytes >> 20) + " MiB are free");
    }
    blocks = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(blocks), fitting));
    far_ = DeviceBuffer<uint2>(far.capacity * static_cast<std::size_t>(blocks));
  }
  far.entries = far_.data();
  NearFar(batch, options, blocks, far, steps, stream);
}

std::int64_t GeodesicSolver::RowsThatFit(std::int64_t num_sources, std::size_t bytes_per_row) {
  std::size_t free_bytes = 0, total_bytes = 0;
  Check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  // What is held for rows already counts as free; half of the rest is left for the searches.
  free_bytes = free_bytes / 2 + distances_.size_bytes() + predecessors_.size_bytes() + columns_.size_bytes();
  const auto rows = static_cast<std::int64_t>(free_bytes / bytes_per_row);
  if (rows == 0) {
    throw Error("geodesics: a source needs " + std::to_string(bytes_per_row >> 20) +
                " MiB of the device's memory, " + std::to_string(free_bytes >> 20) + " MiB are free for it");
  }
  return std::min({rows, num_sources, std::int64_t{1} << 20});
}

void GeodesicSolver::ResolvePlateaus(const GeodesicBatch& batch, std::span<const std::uint32_t> num_left) {
  const auto num_nodes = static_cast<std::size_t>(graph_.num_nodes);
  for (std::size_t row = 0; row < num_left.size(); ++row) {
    if (num_left[row] == 0) continue;
    GeodesicBatch one = batch;
    one.sources += row;
    one.num_sources = 1;
    one.distances += row * num_nodes;
    one.limits += row;
    std::uint32_t found = 1;
    for (std::uint32_t level = 1; found != 0; ++level) {
      ResolvePlateauLevel(one, level, predecessors_.data() + row * num_nodes, Grow(levels_, num_nodes),
                          Grow(num_found_, 1), stream_.get());
      Download(num_found_.data(), &found, 1, stream_.get());
      Check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
    }
  }
}

Geodesics GeodesicSolver::ShortestPaths(const CloudGraph& graph, std::span<const std::int32_t> sources,
                                        const GeodesicOptions& options) {
  Geodesics result = EmptyGeodesics(graph, sources, options);
  const auto num_nodes = static_cast<std::size_t>(graph.num_nodes());
  const auto num_columns = static_cast<std::size_t>(result.num_columns);
  const bool all_columns = options.targets.empty();
  if (sources.empty()) return result;
  SetGraph(graph);
  result.distances_m.reserve(sources.size() * num_columns);
  if (options.predecessors) result.predecessors.reserve(sources.size() * num_nodes);
  Upload(sources, Grow(sources_, sources.size()), stream_.get());
  Upload<std::int32_t>(options.targets, Grow(targets_, options.targets.size()), stream_.get());

  const std::size_t bytes_per_row =
      4 * (num_nodes + (options.predecessors ? num_nodes : 0) + (all_columns ? 0 : num_columns));
  const auto num_rows = static_cast<std::size_t>(RowsThatFit(result.num_sources, bytes_per_row));
  Grow(distances_, num_rows * num_nodes);
  Grow(limits_, num_rows);
  if (options.predecessors) {
    Grow(predecessors_, num_rows * num_nodes);
    Grow(num_left_, num_rows);
  }
  if (!all_columns) Grow(columns_, num_rows * num_columns);
  for (std::size_t first = 0; first < sources.size(); first += num_rows) {
    const std::size_t rows = std::min(num_rows, sources.size() - first);
    const GeodesicBatch batch{.graph = graph_,
                              .sources = sources_.data() + first,
                              .num_sources = static_cast<int>(rows),
                              .range = options.range_m,
                              .targets = targets_.data(),
                              .num_targets = static_cast<std::int32_t>(options.targets.size()),
                              .distances = distances_.data(),
                              .limits = limits_.data()};
    FindDistances(batch, stream_.get(), nullptr, options.algorithm);
    if (!all_columns) GatherTargets(batch, columns_.data(), stream_.get());
    if (options.predecessors) {
      FindPredecessors(batch, predecessors_.data(), num_left_.data(), stream_.get());
      std::vector<std::uint32_t> num_left(rows);
      Download(num_left_.data(), num_left.data(), rows, stream_.get());
      Check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
      ResolvePlateaus(batch, num_left);
      download_.Append(result.predecessors, predecessors_.data(), rows * num_nodes, stream_.get());
    }
    download_.Append(result.distances_m, all_columns ? distances_.data() : columns_.data(),
                     rows * num_columns, stream_.get());
  }
  return result;
}

}  // namespace parallax::cuda
