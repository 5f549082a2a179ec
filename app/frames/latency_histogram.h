// Times from capture to result of a run of any length.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace parallax::app {

// Counts by bins that grow by a 32nd of an octave, from 1/64 ms to about an hour; shorter and longer times are in
// the bins at the ends.
class LatencyHistogram {
 public:
  void Add(double ms);  // ms: at least 0

  std::uint64_t size() const { return size_; }
  // Of an empty histogram, 0.
  double mean_ms() const { return size_ > 0 ? sum_ms_ / static_cast<double>(size_) : 0; }
  double longest_ms() const { return longest_ms_; }
  // The time that this share of all, 0 to 1, does not exceed, to 2.2 %.
  double Quantile_ms(double share) const;
  // By quarters of an octave: the upper end of a bin, ms, and its count; empty bins are left out.
  std::vector<std::pair<double, std::uint64_t>> Counts() const;

 private:
  static constexpr int kBinsOfOctave = 32, kOctaves = 28;

  std::array<std::uint64_t, std::size_t{kBinsOfOctave} * kOctaves> counts_{};
  std::uint64_t size_ = 0;
  double sum_ms_ = 0, longest_ms_ = 0;
};

}  // namespace parallax::app
