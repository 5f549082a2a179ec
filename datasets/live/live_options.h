// Options of live sources, and what they report.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "datasets/layouts/picture_halves.h"
#include "pipeline/types/host_memory.h"

namespace parallax {

struct LiveCounts {
  std::size_t num_pairs = 0;  // made
  // Of these, not taken before the next one came. Includes pictures that devices dropped from full queues.
  std::size_t num_replaced = 0;
  std::size_t num_late = 0;                   // of these, left out because of the deadline
  std::array<std::size_t, 2> num_unpaired{};  // pictures of the left and the right camera without a partner
  std::size_t num_damaged = 0;                // pictures that came damaged or could not be decoded
  std::size_t num_losses = 0, num_reopened = 0;  // how often a camera or stream stopped and came back
  double lost_s = 0;                             // between the two, in total
};

// The counters and messages of a running live source. Thread-safe.
class LiveMonitor {
 public:
  // Sets the receiver of messages about the source. tell: called with one line at a time, from any thread;
  // empty: no receiver. When this returns, a call of the previous one has ended.
  void ReportTo(std::function<void(const std::string& line)> tell) {
    const std::scoped_lock lock(tell_mutex_);
    tell_ = std::move(tell);
  }
  void Tell(const std::string& line) {
    const std::scoped_lock lock(tell_mutex_);
    if (tell_) tell_(line);
  }
  template <typename Change>
  void Count(const Change& change) {
    const std::scoped_lock lock(counts_mutex_);
    change(counts_);
  }
  // Called with the time that a pair took from its start to the end of its last output, ms.
  void NoteWork(double ms) {
    const std::scoped_lock lock(counts_mutex_);
    work_ms_ = work_ms_ == 0 ? ms : work_ms_ + (ms - work_ms_) / 4;
  }
  // True if results of a pair of that age, ms, would come after the deadline; the pair counts as late. Each
  // late pair lowers the estimate of the time that pairs take by a tenth, so that some pairs are tried again.
  bool IsLate(double age_ms, double deadline_ms) {
    const std::scoped_lock lock(counts_mutex_);
    if (deadline_ms <= 0 || age_ms + work_ms_ <= deadline_ms) return false;
    work_ms_ *= 0.9;
    ++counts_.num_late;
    return true;
  }
  LiveCounts counts() const {
    const std::scoped_lock lock(counts_mutex_);
    return counts_;
  }

 private:
  std::mutex tell_mutex_;
  mutable std::mutex counts_mutex_;
  std::function<void(const std::string& line)> tell_;
  LiveCounts counts_;
  double work_ms_ = 0;  // smoothed
};

struct LiveOptions {
  // Arrangement in pictures that hold both images; none = side by side, and image files hold one image each.
  std::optional<PictureLayout> layout{};
  double pair_tolerance_ms =
      0;                   // largest difference of the times of a pair; 0 = half the time between frames
  double deadline_ms = 0;  // from capture to result: pairs that would come later are left out; 0 = none
  std::shared_ptr<LiveMonitor> monitor{};      // may be null
  std::shared_ptr<HostMemory> image_memory{};  // the preferred memory for pictures; null: the heap
};

}  // namespace parallax
