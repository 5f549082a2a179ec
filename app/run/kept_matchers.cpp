#include "app/run/kept_matchers.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "config/parameter_text.h"

namespace parallax::app {
namespace {

constexpr std::size_t kMaxMatchers = 4;
constexpr std::int64_t kMaxKeptCells = std::int64_t{256} << 20;  // some 640 MB a frame in flight

// Of the cost volume, by which a matcher's memory grows (about 2.5 bytes a cell).
std::int64_t NumCells(const Parameters& parameters, const MatcherOptions& size) {
  return std::int64_t{size.width} * size.height * parameters.matching_cost.num_disparities;
}

}  // namespace

KeptMatcher* KeptMatchers::Find(const Parameters& parameters, const MatcherOptions& size) {
  const auto found = std::find_if(matchers_.begin(), matchers_.end(), [&](const KeptMatcher& kept) {
    return kept.size.width == size.width && kept.size.height == size.height && kept.parameters == parameters;
  });
  if (found == matchers_.end()) return nullptr;
  matchers_.splice(matchers_.begin(), matchers_, found);
  return &matchers_.front();
}

void KeptMatchers::MakeRoom(const Parameters& parameters, const MatcherOptions& size) {
  std::int64_t num_cells = NumCells(parameters, size);
  std::size_t num_kept = 0;
  for (const KeptMatcher& kept : matchers_) {
    if (size.memory_limit_bytes > 0) break;  // it holds for all of them together
    num_cells += NumCells(kept.parameters, kept.size);
    if (num_cells > kMaxKeptCells || num_kept + 1 == kMaxMatchers) break;
    ++num_kept;
  }
  matchers_.resize(num_kept);
}

KeptMatcher& KeptMatchers::Add(KeptMatcher matcher) {
  matchers_.push_front(std::move(matcher));
  return matchers_.front();
}

}  // namespace parallax::app
