// Removal of small islands of disparity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/disparity_map.h"
#include "pipeline/parallel.h"
#include "pipeline/parameters.h"

namespace parallax::cpu {

// Joins runs of pixels, not pixels: a row is cut into runs of like neighbours, and runs that touch those of
// the row above are united in a forest. Blocks of rows are done by threads of their own and sewn together at
// the end.
class SpeckleFilter {
 public:
  SpeckleFilter(int width, int height);
  static std::size_t WorkspaceBytes(int width, int height) {
    return sizeof(Run) * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  // workspace: WorkspaceBytes(), aligned, with any content.
  void Remove(const FilterParameters& parameters, DisparityMap& map, std::uint8_t* workspace,
              ThreadPool& threads);

 private:
  struct Run {
    std::int32_t parent;      // index of a run; its own at a root
    std::int32_t size;        // pixels; at a root, of the whole island
    std::int32_t begin, end;  // x
  };
  // Bit x of a row's words.
  struct RowBits {
    std::vector<std::uint64_t> starts, valid, joined;  // first of a run; has a value; like the pixel above
  };

  std::int32_t Root(std::int32_t run);
  void Unite(std::int32_t a, std::int32_t b);
  void FindRuns(const DisparityMap& map, int y, float range, RowBits& bits);
  // starts_above: of the row above; null = unknown.
  void JoinToRowAbove(int y, const RowBits& bits, const std::vector<std::uint64_t>* starts_above);

  int width_, height_;
  Run* runs_ = nullptr;                 // of row y from y * width on: as many as a row can hold
  std::vector<std::int32_t> num_runs_;  // of each row
};

}  // namespace parallax::cpu
