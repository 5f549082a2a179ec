#include "app/frames/latency_histogram.h"

#include <algorithm>
#include <cmath>

namespace parallax::app {
namespace {

constexpr double kShortest_ms = 1.0 / 64;

}  // namespace

void LatencyHistogram::Add(double ms) {
  const double bin = std::floor(kBinsOfOctave * std::log2(std::max(ms, kShortest_ms) / kShortest_ms));
  ++counts_[std::min(static_cast<std::size_t>(bin), counts_.size() - 1)];
  ++size_;
  sum_ms_ += ms;
  longest_ms_ = std::max(longest_ms_, ms);
}

double LatencyHistogram::Quantile_ms(double share) const {
  const double before = share * static_cast<double>(size_);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    sum += counts_[i];
    if (sum == 0 || static_cast<double>(sum) < before) continue;
    if (i + 1 == counts_.size()) break;
    const double upper_ms = kShortest_ms * std::exp2((static_cast<double>(i) + 1) / kBinsOfOctave);
    return std::min(upper_ms, longest_ms_);
  }
  return longest_ms_;
}

std::vector<std::pair<double, std::uint64_t>> LatencyHistogram::Counts() const {
  constexpr std::size_t kTogether = kBinsOfOctave / 4;
  std::vector<std::pair<double, std::uint64_t>> counts;
  for (std::size_t end = kTogether; end <= counts_.size(); end += kTogether) {
    std::uint64_t count = 0;
    for (std::size_t i = end - kTogether; i < end; ++i) count += counts_[i];
    const double upper_ms = kShortest_ms * std::exp2(static_cast<double>(end) / kBinsOfOctave);
    if (count > 0) counts.emplace_back(upper_ms, count);
  }
  return counts;
}

}  // namespace parallax::app
