#include "datasets/live/pair_maker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace parallax {
namespace {

constexpr std::size_t kMostWaiting = 8;  // pictures a side
constexpr std::size_t kIntervals = 9;    // of which the median is taken

}  // namespace

PairMaker::PairMaker(double tolerance_s) : fixed_tolerance_s_(tolerance_s) {
  for (Side& side : sides_) side.waiting.reserve(kMostWaiting), side.intervals_s.reserve(kIntervals);
}

void PairMaker::DropFirst(int side) {
  std::vector<LivePicture>& waiting = sides_[static_cast<std::size_t>(side)].waiting;
  waiting.erase(waiting.begin());
  ++num_unpaired_[static_cast<std::size_t>(side)];
}

void PairMaker::Forget(int side) {
  Side& forgotten = sides_[static_cast<std::size_t>(side)];
  while (!forgotten.waiting.empty()) DropFirst(side);
  forgotten.last_s.reset();
}

double PairMaker::interval_s(int side) const {
  const Side& asked = sides_[static_cast<std::size_t>(side)];
  if (asked.intervals_s.empty()) return 0;
  std::array<double, kIntervals> intervals;  // no allocation for each picture
  const auto end = std::copy(asked.intervals_s.begin(), asked.intervals_s.end(), intervals.begin());
  const auto median = intervals.begin() + (end - intervals.begin()) / 2;
  std::nth_element(intervals.begin(), median, end);
  return *median;
}

std::optional<double> PairMaker::tolerance_s() const {
  if (fixed_tolerance_s_ > 0) return fixed_tolerance_s_;
  const double left = interval_s(0), right = interval_s(1);
  if (left == 0 && right == 0) return std::nullopt;
  return (left == 0 ? right : right == 0 ? left : std::min(left, right)) / 2;
}

std::optional<double> PairMaker::nearest_s() const {
  return std::isfinite(nearest_s_) ? std::optional(nearest_s_) : std::nullopt;
}

std::optional<PicturePair> PairMaker::Add(LivePicture picture) {
  const int side = picture.side, other_side = 1 - side;
  Side& own = sides_[static_cast<std::size_t>(side)];
  Side& other = sides_[static_cast<std::size_t>(other_side)];
  ++num_seen_[static_cast<std::size_t>(side)];
  if (own.last_s && picture.time_s <= *own.last_s) Forget(side);  // a clock that was set back
  if (own.last_s) {
    if (own.intervals_s.size() == kIntervals) own.intervals_s.erase(own.intervals_s.begin());
    own.intervals_s.push_back(picture.time_s - *own.last_s);
  }
  own.last_s = picture.time_s;

  const auto distance_s = [&](const LivePicture& waiting) {
    return std::abs(waiting.time_s - picture.time_s);
  };
  const auto nearest = std::min_element(
      other.waiting.begin(), other.waiting.end(),
      [&](const LivePicture& a, const LivePicture& b) { return distance_s(a) < distance_s(b); });
  if (nearest != other.waiting.end()) {
    const double right_less_left_s = (side == 1 ? 1 : -1) * (picture.time_s - nearest->time_s);
    if (std::abs(right_less_left_s) < std::abs(nearest_s_)) nearest_s_ = right_less_left_s;
    const std::optional<double> tolerance = tolerance_s();
    if (tolerance && distance_s(*nearest) <= *tolerance) {
      for (auto older = nearest - other.waiting.begin(); older > 0; --older) DropFirst(other_side);
      while (!own.waiting.empty()) DropFirst(side);
      nearest_s_ = std::numeric_limits<double>::infinity();
      std::optional<PicturePair> pair(std::in_place);
      (side == 0 ? pair->right : pair->left) = std::move(other.waiting.front());
      (side == 0 ? pair->left : pair->right) = std::move(picture);
      other.waiting.erase(other.waiting.begin());
      return pair;
    }
  }
  // Times of a side only grow. So older pictures of the other side have missed their partners, and the waiting
  // pictures of this side may still get theirs. If there are too many of them, the newest is dropped.
  const std::optional<double> tolerance = tolerance_s();
  while (tolerance && !other.waiting.empty() && other.waiting.front().time_s < picture.time_s)
    DropFirst(other_side);
  if (own.waiting.size() < kMostWaiting) {
    own.waiting.push_back(std::move(picture));
  } else {
    ++num_unpaired_[static_cast<std::size_t>(side)];
  }
  return std::nullopt;
}

}  // namespace parallax
