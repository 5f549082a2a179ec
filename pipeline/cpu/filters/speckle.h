// Removal of small islands of disparity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "parallax/disparity_map.h"
#include "pipeline/cpu/filters/run_kernels.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cpu {

// Joins runs of pixels instead of pixels: a row is cut into runs of similar neighbours, and runs that touch
// those of the row above are united in a forest. Separate threads process blocks of rows, which are joined at
// the end. Islands that are large enough to stay are not followed further.
class SpeckleFilter {
 public:
  SpeckleFilter(int width, int height);
  // Sets the size of the map, at most that of construction.
  void SetSize(int width, int height) { width_ = width, height_ = height; }
  static std::size_t WorkspaceBytes(int width, int height) {
    return sizeof(Run) * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  // Finds the islands of a map. workspace: WorkspaceBytes(), aligned, with any content; needed until the rows
  // are copied.
  void FindIslands(const FilterParameters& parameters, const DisparityMap& map, std::uint8_t* workspace,
                   ThreadPool& threads);
  class RowMemory;
  // Copies row y of that map without the values of small islands; `to` may be `from`. Rows may come in any
  // order, on any threads, each with its own memory.
  void CopyRow(int y, const float* from, float* to, std::uint8_t* validity, RowMemory& memory) const;

 private:
  struct Run {
    std::int32_t parent;      // index of a run; its own at a root
    std::int32_t size;        // pixels; at a root, of the whole island if it is small
    std::int32_t begin, end;  // x
  };
  // Bit x of a row's words; see CompareNeighbors().
  struct RowBits {
    std::vector<std::uint64_t> starts, valid, joined;
  };

  struct Buffers {
    RowBits bits, above;
    std::vector<RunPair> pairs;
    std::vector<std::uint64_t> removed;
  };
  std::unique_ptr<Buffers> Take() const;
  void GiveBack(std::unique_ptr<Buffers> buffers) const noexcept;
  // Rows are flattened once they are joined, so a path is rarely longer than one step, which branch
  // prediction gets right.
  std::int32_t Root(std::int32_t run) const {
    const Run* runs = runs_;
    std::int32_t root = runs[run].parent;
    while (runs[root].parent != root) root = runs[root].parent;
    return root;
  }
  void Unite(std::int32_t a, std::int32_t b);
  void Compare(const DisparityMap& map, int y, RowBits& bits) const;
  void FindRuns(int y, const RowBits& bits);
  void JoinToRowAbove(int y, const RowBits& bits, const RowBits& above, std::vector<RunPair>& pairs);

  int width_, height_;
  int enough_ = 0;  // pixels of an island that stays; 0 = all stay
  float range_ = 0;
  Run* runs_ = nullptr;                 // of row y from y * width: as many as a row can hold
  std::vector<std::int32_t> num_runs_;  // of each row
  mutable std::mutex spare_mutex_;
  mutable std::size_t num_made_ = 0;
  mutable std::vector<std::unique_ptr<Buffers>> spare_;  // those of num_made_ that nobody uses
};

// Working memory for rows. The filter keeps it from frame to frame. It is not thread_local, because glibc
// aborts if it finds no memory to register the destructor.
class SpeckleFilter::RowMemory {
 public:
  explicit RowMemory(const SpeckleFilter& filter) : filter_(filter), buffers_(filter.Take()) {}
  ~RowMemory() { filter_.GiveBack(std::move(buffers_)); }
  RowMemory(const RowMemory&) = delete;
  RowMemory& operator=(const RowMemory&) = delete;

 private:
  friend class SpeckleFilter;
  const SpeckleFilter& filter_;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace parallax::cpu
