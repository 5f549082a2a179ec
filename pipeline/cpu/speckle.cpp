#include "pipeline/cpu/speckle.h"

#include <bit>
#include <limits>
#include <utility>

#include "pipeline/cpu/filter_kernels.h"
#include "pipeline/cpu/row_tasks.h"

namespace parallax::cpu {
namespace {

constexpr int kRowsPerBlock = 32;

}  // namespace

SpeckleFilter::SpeckleFilter(int width, int height)
    : width_(width), height_(height), num_runs_(static_cast<std::size_t>(height)) {}

std::int32_t SpeckleFilter::Root(std::int32_t run) {
  Run* runs = runs_;
  while (runs[run].parent != run) {
    runs[run].parent = runs[runs[run].parent].parent;  // halves the way for the next time
    run = runs[run].parent;
  }
  return run;
}

void SpeckleFilter::Unite(std::int32_t a, std::int32_t b) {
  a = Root(a), b = Root(b);
  if (a == b) return;
  Run* runs = runs_;
  if (runs[a].size < runs[b].size) std::swap(a, b);
  runs[b].parent = a;
  runs[a].size += runs[b].size;
}

void SpeckleFilter::FindRuns(const DisparityMap& map, int y, float range, RowBits& bits) {
  CompareNeighbors(map.disparity.Row(y), y > 0 ? map.disparity.Row(y - 1) : nullptr, width_, range,
                   bits.starts.data(), bits.valid.data(), bits.joined.data());
  const std::int32_t first = y * width_;
  Run* run = runs_ + first - 1;
  bool open = false;  // the last run goes on
  for (int word = 0; word * 64 < width_; ++word) {
    const std::size_t w = static_cast<std::size_t>(word);
    // A pixel without a value starts nothing, but ends what was before it.
    for (std::uint64_t starts = bits.starts[w]; starts != 0; starts &= starts - 1) {
      const int bit = std::countr_zero(starts), x = word * 64 + bit;
      if (open) run->end = x, run->size = x - run->begin;
      open = ((bits.valid[w] >> bit) & 1) != 0;
      if (!open) continue;
      ++run;
      run->parent = static_cast<std::int32_t>(run - runs_);
      run->begin = x;
    }
  }
  if (open) run->end = width_, run->size = width_ - run->begin;
  num_runs_[static_cast<std::size_t>(y)] = static_cast<std::int32_t>(run + 1 - runs_) - first;
}

void SpeckleFilter::JoinToRowAbove(int y, const RowBits& bits,
                                   const std::vector<std::uint64_t>* starts_above) {
  std::int32_t here = y * width_, above = here - width_;
  const Run* runs = runs_;
  std::int32_t last_here = -1, last_above = -1;
  std::uint64_t before = 0;
  for (int word = 0; word * 64 < width_; ++word) {
    const std::size_t w = static_cast<std::size_t>(word);
    std::uint64_t joined = bits.joined[w];
    // Where the pixel before is joined and neither run begins, the same two runs meet again.
    if (starts_above != nullptr) {
      joined &= bits.starts[w] | (*starts_above)[w] | ~(joined << 1 | before);
      before = bits.joined[w] >> 63;
    }
    for (; joined != 0; joined &= joined - 1) {
      const int x = word * 64 + std::countr_zero(joined);
      while (runs[here].end <= x) ++here;
      while (runs[above].end <= x) ++above;
      if (here == last_here && above == last_above) continue;
      Unite(here, above);
      last_here = here, last_above = above;
    }
  }
}

void SpeckleFilter::Remove(const FilterParameters& parameters, DisparityMap& map, std::uint8_t* workspace,
                           ThreadPool& threads) {
  if (parameters.speckle_size <= 1) return;
  runs_ = reinterpret_cast<Run*>(workspace);
  const auto make_bits = [&] {
    const std::size_t words = static_cast<std::size_t>(width_ + 63) / 64;
    return RowBits{std::vector<std::uint64_t>(words), std::vector<std::uint64_t>(words),
                   std::vector<std::uint64_t>(words)};
  };
  ForRowBlocks(height_, kRowsPerBlock, threads, [&](int begin, int end) {
    RowBits bits = make_bits(), bits_above = make_bits();
    for (int y = begin; y < end; ++y) {
      std::swap(bits, bits_above);
      FindRuns(map, y, parameters.speckle_range, bits);
      if (y > begin) JoinToRowAbove(y, bits, &bits_above.starts);
    }
  });
  RowBits bits = make_bits();
  for (int y = kRowsPerBlock; y < height_; y += kRowsPerBlock) {
    CompareNeighbors(map.disparity.Row(y), map.disparity.Row(y - 1), width_, parameters.speckle_range,
                     bits.starts.data(), bits.valid.data(), bits.joined.data());
    JoinToRowAbove(y, bits, nullptr);
  }
  ForRowBlocks(height_, kRowsPerBlock, threads, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      const Run* runs = runs_;
      const Run* row = runs + static_cast<std::ptrdiff_t>(y) * width_;
      for (int i = 0; i < num_runs_[static_cast<std::size_t>(y)]; ++i) {
        std::int32_t root = row[i].parent;  // read only: others look, too
        while (runs[root].parent != root) root = runs[root].parent;
        if (runs[root].size >= parameters.speckle_size) continue;
        for (int x = row[i].begin; x < row[i].end; ++x) {
          map.disparity(x, y) = std::numeric_limits<float>::quiet_NaN();
          map.validity(x, y) = static_cast<std::uint8_t>(map.validity(x, y) | kSpeckle);
        }
      }
    }
  });
}

}  // namespace parallax::cpu
