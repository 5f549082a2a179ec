#include "pipeline/matchers/queue_of_one.h"

#include <utility>

#include "parallax/error.h"

namespace parallax {

QueueOfOne::MatchedPair& QueueOfOne::EmptyNext() {
  std::unique_lock lock(mutex_);
  is_collected_.wait(lock, [this] { return !is_in_flight_; });
  matched_.extra = {};
  matched_.times = {};
  return matched_;
}

DisparityMapView QueueOfOne::Collect() {
  const std::scoped_lock lock(mutex_);
  if (!is_in_flight_) throw Error("no frame is in flight: submit one first");
  std::swap(collected_.map, matched_.map);
  collected_.extra = std::move(matched_.extra);
  collected_.times = matched_.times;
  is_in_flight_ = false;
  is_collected_.notify_one();
  return collected_.map.View();
}

DisparityMap QueueOfOne::Take() {
  Collect();
  return std::move(collected_.map.Own());
}

FinishedMap QueueOfOne::Borrow() {
  Collect();
  return std::exchange(collected_.map, {});
}

ExtraResults QueueOfOne::TakeExtraResults() { return std::exchange(collected_.extra, {}); }

std::size_t QueueOfOne::in_flight() const {
  const std::scoped_lock lock(mutex_);
  return is_in_flight_ ? 1 : 0;
}

}  // namespace parallax
