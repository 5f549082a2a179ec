#include "app/run/rig_monitor.h"

#include <exception>
#include <utility>

namespace parallax::app {

RigMonitor::RigMonitor(int every, bool waits, std::function<void(const std::string& line)> tell)
    : every_(every), waits_(waits), tell_(std::move(tell)), thread_([this] { Measure(); }) {}

void RigMonitor::See(const std::shared_ptr<const MatchedFrame>& frame) {
  if (!frame->frame.rig || num_seen_++ % static_cast<std::size_t>(every_) != 0) return;
  std::unique_lock lock(mutex_);
  if (waits_) changed_.wait(lock, [this] { return !next_ && !is_measuring_; });
  if (next_ || is_measuring_) return;
  next_ = frame;
  changed_.notify_all();
}

RigDrift RigMonitor::Finish() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  return watch_.drift();
}

void RigMonitor::Measure() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return next_ || is_ending_; });
    const std::shared_ptr<const MatchedFrame> matched = std::exchange(next_, nullptr);
    if (!matched) return;
    is_measuring_ = true;
    lock.unlock();
    try {
      const StereoFrame& frame = matched->frame;
      watch_.Add(ViewOf(frame.left), ViewOf(frame.right), *frame.rig);
      const std::string fault = has_told_ ? "" : watch_.Fault();
      has_told_ = has_told_ || !fault.empty();
      if (!fault.empty()) tell_(fault);
    } catch (const std::exception&) {  // a lack of memory: another frame may be measured
    }
    lock.lock();
    is_measuring_ = false;
    changed_.notify_all();
  }
}

}  // namespace parallax::app
