#include "pipeline/cpu/filters/speckle.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "pipeline/simd/row_tasks.h"

namespace parallax::cpu {
namespace {

constexpr int kRowsPerPart = 32;

}  // namespace

SpeckleFilter::SpeckleFilter(int width, int height)
    : width_(width), height_(height), num_runs_(static_cast<std::size_t>(height)) {}

std::unique_ptr<SpeckleFilter::Buffers> SpeckleFilter::Take() const {
  std::unique_ptr<Buffers> buffers;
  {
    const std::scoped_lock lock(spare_mutex_);
    if (spare_.empty()) {
      spare_.reserve(num_made_ + 1);
      ++num_made_;
    } else {
      buffers = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (!buffers) buffers = std::make_unique<Buffers>();
  const std::size_t num_words = static_cast<std::size_t>(width_ / 64) + 1;
  for (RowBits* bits : {&buffers->bits, &buffers->above}) {
    for (std::vector<std::uint64_t>* words : {&bits->starts, &bits->valid, &bits->joined})
      words->resize(num_words);
  }
  buffers->pairs.resize(static_cast<std::size_t>(width_));
  buffers->removed.resize(num_words);
  return buffers;
}

void SpeckleFilter::GiveBack(std::unique_ptr<Buffers> buffers) const noexcept {
  const std::scoped_lock lock(spare_mutex_);
  spare_.push_back(std::move(buffers));
}

void SpeckleFilter::Unite(std::int32_t a, std::int32_t b) {
  a = Root(a), b = Root(b);
  if (a == b) return;
  Run* runs = runs_;
  const bool a_is_larger = runs[a].size > runs[b].size;
  const std::int32_t larger = a_is_larger ? a : b, smaller = a_is_larger ? b : a;
  if (runs[smaller].size >= enough_) return;  // both stay
  runs[smaller].parent = larger;
  runs[larger].size += runs[smaller].size;
}

void SpeckleFilter::Compare(const DisparityMap& map, int y, RowBits& bits) const {
  CompareNeighbors(map.disparity.Row(y), y > 0 ? map.disparity.Row(y - 1) : nullptr, width_, range_,
                   bits.starts.data(), bits.valid.data(), bits.joined.data());
}

void SpeckleFilter::FindRuns(int y, const RowBits& bits) {
  const std::int32_t first = y * width_;
  Run *begun = runs_ + first, *ended = begun;
  std::uint64_t before = 0;  // the last pixel of the word before has a value
  for (int word = 0; word * 64 < width_; ++word) {
    const std::size_t w = static_cast<std::size_t>(word);
    const std::uint64_t starts = bits.starts[w], valid = bits.valid[w];
    for (std::uint64_t left = starts & valid; left != 0; left &= left - 1)
      (begun++)->begin = word * 64 + std::countr_zero(left);
    // A run or a gap that starts here ends the run that reaches the previous pixel.
    for (std::uint64_t left = starts & (valid << 1 | before); left != 0; left &= left - 1)
      (ended++)->end = word * 64 + std::countr_zero(left);
    before = valid >> 63;
  }
  if (ended != begun) ended->end = width_;
  for (Run* run = runs_ + first; run != begun; ++run) {
    run->parent = static_cast<std::int32_t>(run - runs_);
    run->size = run->end - run->begin;
  }
  num_runs_[static_cast<std::size_t>(y)] = static_cast<std::int32_t>(begun - runs_) - first;
}

void SpeckleFilter::JoinToRowAbove(int y, const RowBits& bits, const RowBits& above,
                                   std::vector<RunPair>& pairs) {
  const int count =
      FindTouchingRuns({bits.starts.data(), bits.valid.data()}, {above.starts.data(), above.valid.data()},
                       bits.joined.data(), width_, pairs.data());
  const std::int32_t first = y * width_, first_above = first - width_;
  for (int i = 0; i < count; ++i) {
    const RunPair& pair = pairs[static_cast<std::size_t>(i)];
    Unite(first + pair.here, first_above + pair.above);
  }
  Run* runs = runs_;
  for (std::int32_t i = first; i < first + num_runs_[static_cast<std::size_t>(y)]; ++i)
    runs[i].parent = runs[runs[i].parent].parent;
}

void SpeckleFilter::FindIslands(const FilterParameters& parameters, const DisparityMap& map,
                                std::uint8_t* workspace, ThreadPool& threads) {
  enough_ = parameters.speckle_size > 1 ? parameters.speckle_size : 0;
  range_ = parameters.speckle_range;
  if (enough_ == 0) return;
  runs_ = reinterpret_cast<Run*>(workspace);
  ForRowBlocks(height_, kRowsPerPart, threads, [&](int begin, int end) {
    const RowMemory memory(*this);
    auto& [bits, above, pairs, removed] = *memory.buffers_;
    for (int y = begin; y < end; ++y) {
      std::swap(bits, above);
      Compare(map, y, bits);
      FindRuns(y, bits);
      if (y > begin) JoinToRowAbove(y, bits, above, pairs);
    }
  });
  const RowMemory memory(*this);
  auto& [bits, above, pairs, removed] = *memory.buffers_;
  for (int y = kRowsPerPart; y < height_; y += kRowsPerPart) {
    Compare(map, y - 1, above);
    Compare(map, y, bits);
    JoinToRowAbove(y, bits, above, pairs);
  }
}

void SpeckleFilter::CopyRow(int y, const float* from, float* to, std::uint8_t* validity,
                            RowMemory& memory) const {
  if (enough_ == 0) {
    if (to != from) std::copy_n(from, width_, to);
    return;
  }
  // A bit where a run that goes begins or ends, then all bits in between.
  std::vector<std::uint64_t>& words = memory.buffers_->removed;
  std::fill(words.begin(), words.end(), std::uint64_t{0});
  const std::int32_t first = y * width_;
  for (std::int32_t i = first; i < first + num_runs_[static_cast<std::size_t>(y)]; ++i) {
    const Run& run = runs_[i];
    const std::uint64_t goes = runs_[Root(i)].size < enough_ ? 1 : 0;
    words[static_cast<std::size_t>(run.begin / 64)] ^= goes << (run.begin % 64);
    words[static_cast<std::size_t>(run.end / 64)] ^= goes << (run.end % 64);
  }
  std::uint64_t before = 0;
  for (std::uint64_t& word : words) {
    for (int shift = 1; shift < 64; shift *= 2) word ^= word << shift;
    word ^= before;
    before = (word >> 63) != 0 ? ~std::uint64_t{0} : 0;
  }
  CopyWithout(words.data(), from, width_, to, validity);
}

}  // namespace parallax::cpu
