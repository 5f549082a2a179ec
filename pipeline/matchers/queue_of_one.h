// A queue with room for one frame, which the submitting thread matches.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "pipeline/matchers/matcher_queue.h"

namespace parallax {

// A derived class's Submit() calls MatchNext().
class QueueOfOne : public MatcherQueue {
 public:
  DisparityMapView Collect() final;
  DisparityMap Take() final;
  FinishedMap Borrow() final;
  ExtraResults TakeExtraResults() final;
  StageTimes times() const final { return collected_.times; }
  std::size_t in_flight() const final;
  std::size_t capacity() const final { return 1; }

 protected:
  struct MatchedPair {
    FinishedMap map;  // with the memory of an earlier frame, or empty
    ExtraResults extra;
    StageTimes times;
  };
  // Waits until the last frame is collected, then fills in the next one with match. Throws what match throws.
  template <typename Match>
  void MatchNext(const Match& match) {
    match(EmptyNext());
    const std::scoped_lock lock(mutex_);
    is_in_flight_ = true;
  }

 private:
  MatchedPair& EmptyNext();  // once the last frame is collected

  mutable std::mutex mutex_;
  std::condition_variable is_collected_;
  bool is_in_flight_ = false;
  MatchedPair matched_, collected_;
};

}  // namespace parallax
