#include "pipeline/frames/kept_matchers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace parallax {
namespace {

constexpr std::size_t kMaxMatchers = 4;
constexpr std::int64_t kMaxKeptCells = std::int64_t{256} << 20;  // some 640 MB a frame in flight

std::int64_t NumPixels(const MatcherOptions& size) { return std::int64_t{size.width} * size.height; }

// The cells of the cost volume, which determine a matcher's memory (about 2.5 bytes per cell).
std::int64_t NumCells(const Parameters& parameters, const MatcherOptions& size) {
  return NumPixels(size) * parameters.matching_cost.num_disparities;
}

// A matcher of a much larger size holds more memory than the frames are worth, and for that reason perhaps
// fewer of them at a time.
bool Serves(const MatcherOptions& size, const MatcherOptions& frame) {
  return frame.width <= size.width && frame.height <= size.height && NumPixels(size) <= 4 * NumPixels(frame);
}

MatcherOptions JoinedSize(const MatcherOptions& size, const MatcherOptions& frame) {
  MatcherOptions joined = frame;
  joined.width = std::max(size.width, frame.width);
  joined.height = std::max(size.height, frame.height);
  return joined;
}

// Sizes so much alike that one matcher for both costs little more than the larger one's.
bool AreAlike(const MatcherOptions& size, const MatcherOptions& frame) {
  return 4 * NumPixels(JoinedSize(size, frame)) <= 5 * std::min(NumPixels(size), NumPixels(frame));
}

}  // namespace

MatcherQueue* KeptMatchers::Find(const Parameters& parameters, const MatcherOptions& frame) {
  const auto found = std::find_if(matchers_.begin(), matchers_.end(), [&](const Kept& kept) {
    return Serves(kept.size, frame) && kept.parameters == parameters;
  });
  if (found == matchers_.end()) return nullptr;
  matchers_.splice(matchers_.begin(), matchers_, found);
  return matchers_.front().queue.get();
}

MatcherQueue& KeptMatchers::Make(const Parameters& parameters, const MatcherOptions& frame) {
  // A limit of memory is for one matcher, of no larger frames than need be.
  const bool is_limited = frame.memory_limit_bytes > 0;
  MatcherOptions size = frame;
  std::erase_if(matchers_, [&](const Kept& kept) {
    if (is_limited) return true;
    if (kept.parameters != parameters || !AreAlike(kept.size, frame)) return false;
    size = JoinedSize(size, kept.size);
    return true;
  });
  std::int64_t num_cells = NumCells(parameters, size);
  auto last = matchers_.begin();
  for (std::size_t num_kept = 0; last != matchers_.end() && num_kept + 1 < kMaxMatchers; ++last, ++num_kept) {
    num_cells += NumCells(last->parameters, last->size);
    if (num_cells > kMaxKeptCells) break;
  }
  matchers_.erase(last, matchers_.end());
  matchers_.push_front({size, parameters, make_(parameters, size)});
  return *matchers_.front().queue;
}

}  // namespace parallax
