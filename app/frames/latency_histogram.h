// The times from capture to result of a run, counted in a fixed amount of memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace parallax::app {

// Counts times in bins, each wider than the one before by a 32nd of an octave, from 1/64 ms to about an hour. The
// first and the last bin also take shorter and longer times.
class LatencyHistogram {
 public:
  void Add(double ms);  // ms: at least 0

  std::uint64_t size() const { return size_; }
  // This and the next two are 0 if the histogram is empty.
  double mean_ms() const { return size_ > 0 ? sum_ms_ / static_cast<double>(size_) : 0; }
  double longest_ms() const { return longest_ms_; }
  // The time that a share of all times, 0 to 1, does not exceed; accurate to 2.2 %.
  double Quantile_ms(double share) const;
  // The upper end, ms, and the count of bins of a quarter of an octave. Empty bins are left out.
  std::vector<std::pair<double, std::uint64_t>> Counts() const;

 private:
  static constexpr int kBinsOfOctave = 32, kOctaves = 28;

  std::array<std::uint64_t, std::size_t{kBinsOfOctave} * kOctaves> counts_{};
  std::uint64_t size_ = 0;
  double sum_ms_ = 0, longest_ms_ = 0;
};

}  // namespace parallax::app
