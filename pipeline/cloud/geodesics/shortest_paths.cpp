#include "pipeline/cloud/geodesics/shortest_paths.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "parallax/error.h"
#include "pipeline/cloud/geodesics/radix_heap.h"

namespace parallax {
namespace {

constexpr float kUnreached = std::numeric_limits<float>::infinity();

// One thread's search, used for one source after another.
class DijkstraSearch {
 public:
  DijkstraSearch(const CloudGraph& graph, const GeodesicOptions& options)
      : graph_(graph), options_(options), is_target_(Index(graph.num_nodes()), 0) {
    for (const std::int32_t target : options.targets) {
      num_targets_ += is_target_[Index(target)] == 0 ? 1 : 0;
      is_target_[Index(target)] = 1;
    }
  }

  // Before the call, distances are all kUnreached, and predecessors are all kNoNeighbour, or empty if they
  // are not needed. Afterwards they hold the answer; reached() lists the nodes that have one.
  void Run(std::int32_t source, std::span<float> distances, std::span<std::int32_t> predecessors) {
    if (predecessors.empty()) {
      Search<false>(source, distances, predecessors);
    } else {
      Search<true>(source, distances, predecessors);
      ResolvePlateaus(source, distances, predecessors);
    }
  }

  const std::vector<std::int32_t>& reached() const { return reached_; }

 private:
  static std::size_t Index(std::int32_t node) { return static_cast<std::size_t>(node); }

  // kNoNeighbour counts as the highest.
  static void KeepLower(std::int32_t& predecessor, std::size_t node) {
    predecessor = static_cast<std::int32_t>(
        std::min(static_cast<std::uint32_t>(predecessor), static_cast<std::uint32_t>(node)));
  }

  // All but the predecessors on plateaus: nodes that are tight for a farther one are known before it.
  template <bool kPredecessors>
  void Search(std::int32_t source, std::span<float> distances, std::span<std::int32_t> predecessors) {
    reached_.clear();
    heap_.Clear();
    float limit = options_.range_m;
    std::int32_t targets_left = num_targets_;
    distances[Index(source)] = 0;
    reached_.push_back(source);
    heap_.Push({0, source});
    while (!heap_.Empty()) {
      const auto [distance, node] = heap_.Pop();
      const std::size_t from = Index(node);
      if (distance > limit) break;
      if (distance != distances[from]) continue;  // a shorter path was found after this entry was made
      if (is_target_[from] != 0 && --targets_left == 0) limit = distance;
      const auto end = static_cast<std::size_t>(graph_.first_edge[from + 1]);
      for (auto edge = static_cast<std::size_t>(graph_.first_edge[from]); edge < end; ++edge) {
        const std::int32_t next = graph_.targets[edge];
        const float longer = distance + graph_.lengths_m[edge];
        float& best = distances[Index(next)];
        if (longer < best && longer <= limit) {
          if (best == kUnreached) reached_.push_back(next);
          best = longer;
          heap_.Push({longer, next});
          if constexpr (kPredecessors) predecessors[Index(next)] = distance < longer ? node : kNoNeighbour;
        } else if (kPredecessors && longer == best && distance < longer && longer < kUnreached) {
          KeepLower(predecessors[Index(next)], from);
        }
      }
    }
    // Drops nodes that were seen but lie beyond the farthest target.
    std::erase_if(reached_, [&](std::int32_t node) {
      if (distances[Index(node)] <= limit) return false;
      distances[Index(node)] = kUnreached;
      if constexpr (kPredecessors) predecessors[Index(node)] = kNoNeighbour;
      return true;
    });
  }

  // Plateaus of equal distances, level by level; seldom any.
  void ResolvePlateaus(std::int32_t source, std::span<const float> distances,
                       std::span<std::int32_t> predecessors) {
    const auto unresolved = [&](std::int32_t node) {
      return predecessors[Index(node)] == kNoNeighbour && node != source;
    };
    if (std::none_of(reached_.begin(), reached_.end(), unresolved)) return;
    on_plateau_.resize(Index(graph_.num_nodes()));
    std::vector<std::int32_t> level, next;
    for (const std::int32_t node : reached_) {
      on_plateau_[Index(node)] = unresolved(node) ? 1 : 0;
      if (!unresolved(node)) level.push_back(node);
    }
    while (!level.empty()) {
      next.clear();
      ForEachTightEdge(level, distances, [&](std::size_t from, std::size_t to) {
        if (distances[from] != distances[to] || on_plateau_[to] == 0) return;
        if (predecessors[to] == kNoNeighbour) next.push_back(static_cast<std::int32_t>(to));
        KeepLower(predecessors[to], from);
      });
      for (const std::int32_t node : next) on_plateau_[Index(node)] = 0;
      level.swap(next);
    }
  }

  template <typename Function>
  void ForEachTightEdge(const std::vector<std::int32_t>& nodes, std::span<const float> distances,
                        Function&& tight) const {
    for (const std::int32_t node : nodes) {
      const std::size_t from = Index(node);
      const auto end = static_cast<std::size_t>(graph_.first_edge[from + 1]);
      for (auto edge = static_cast<std::size_t>(graph_.first_edge[from]); edge < end; ++edge) {
        const std::size_t to = Index(graph_.targets[edge]);
        const float there = distances[from] + graph_.lengths_m[edge];
        if (there == distances[to] && there != kUnreached) tight(from, to);
      }
    }
  }

  const CloudGraph& graph_;
  const GeodesicOptions& options_;
  std::vector<std::uint8_t> is_target_, on_plateau_;
  std::int32_t num_targets_ = 0;  // without repetitions
  std::vector<std::int32_t> reached_;
  RadixHeap heap_;
};

// Searches and rows of distances that threads take and give back.
struct Worker {
  DijkstraSearch search;
  std::vector<float> distances;  // empty if rows of the result serve
};

}  // namespace

Geodesics CpuShortestPaths(const CloudGraph& graph, std::span<const std::int32_t> sources,
                           const GeodesicOptions& options, ThreadPool& pool) {
  if (options.algorithm == GeodesicAlgorithm::kFrontier) {
    throw InvalidArgument(
        "geodesics: the algorithm frontier needs the cuda back end; the cpu back end has only heap");
  }
  Geodesics result = EmptyGeodesics(graph, sources, options);
  const auto num_nodes = static_cast<std::size_t>(graph.num_nodes());
  const auto num_columns = static_cast<std::size_t>(result.num_columns);
  const bool all_columns = options.targets.empty();
  result.distances_m.assign(sources.size() * num_columns, kUnreached);
  if (options.predecessors) result.predecessors.assign(sources.size() * num_nodes, kNoNeighbour);

  std::mutex mutex;
  std::vector<std::unique_ptr<Worker>> idle;
  pool.ParallelFor(static_cast<int>(sources.size()), [&](int task) {
    std::unique_ptr<Worker> worker;
    {
      const std::scoped_lock lock(mutex);
      if (!idle.empty()) {
        worker = std::move(idle.back());
        idle.pop_back();
      }
    }
    if (!worker) {
      worker = std::make_unique<Worker>(Worker{DijkstraSearch(graph, options),
                                               std::vector<float>(all_columns ? 0 : num_nodes, kUnreached)});
    }
    const auto row = static_cast<std::size_t>(task);
    const std::int32_t source = sources[row];
    const std::span<float> columns(result.distances_m.data() + row * num_columns, num_columns);
    const std::span<float> distances = all_columns ? columns : std::span<float>(worker->distances);
    worker->search.Run(source, distances,
                       options.predecessors
                           ? std::span<std::int32_t>(result.predecessors.data() + row * num_nodes, num_nodes)
                           : std::span<std::int32_t>());
    if (!all_columns) {
      for (std::size_t i = 0; i < num_columns; ++i) {
        columns[i] = distances[static_cast<std::size_t>(options.targets[i])];
      }
      for (const std::int32_t node : worker->search.reached()) {
        distances[static_cast<std::size_t>(node)] = kUnreached;
      }
    }
    const std::scoped_lock lock(mutex);
    idle.push_back(std::move(worker));
  });
  return result;
}

}  // namespace parallax
