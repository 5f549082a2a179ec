#include "cuda/matcher/frame_queue.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/device/step_timer.h"
#include "cuda/matcher/frame_slot.h"
#include "parallax/error.h"
#include "pipeline/matchers/queue_of_one.h"

namespace parallax::cuda {
namespace {

class FrameQueue final : public MatcherQueue {
 public:
  FrameQueue(const Parameters& parameters, const MatcherOptions& options, int num_in_flight,
             const CudaTuning& tuning)
      : device_(options.device), shared_(std::make_shared<SharedBySlots>(options.width, options.height)) {
    // One more than may be in flight: the one whose result the caller reads.
    for (int i = 0; i < num_in_flight + 1; ++i) {
      slots_.push_back(
          std::make_unique<FrameSlot>(parameters, options.width, options.height, tuning, shared_));
      free_.push_back(slots_.back().get());
    }
  }

  void Submit(const CameraImageView& left, const CameraImageView& right) override {
    SubmitWith(left, right, {});
  }
  bool rectifies() const override { return true; }

  void SubmitWith(const CameraImageView& left, const CameraImageView& right, const ExtraWork& work) override {
    Check(cudaSetDevice(device_), "cudaSetDevice");
    FrameSlot* slot = nullptr;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return busy_.size() < capacity() && !free_.empty(); });
      slot = free_.front();
      free_.pop_front();
    }
    try {
      slot->Start(left, right, work);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      free_.push_back(slot);
      throw;
    }
    const std::lock_guard lock(mutex_);
    busy_.push_back(slot);
    changed_.notify_all();
  }

  DisparityMapView Collect() override {
    CollectOldest();
    return read_->result();
  }
  DisparityMap Take() override { return std::move(Borrow().Own()); }
  FinishedMap Borrow() override {
    CollectOldest();
    return read_->TakeResult();
  }

  ExtraResults TakeExtraResults() override {
    return read_ != nullptr ? read_->TakeExtraResults() : ExtraResults{};
  }

  std::size_t in_flight() const override {
    const std::lock_guard lock(mutex_);
    return busy_.size();
  }
  std::size_t capacity() const override { return slots_.size() - 1; }
  std::size_t memory_bytes() const override { return slots_.size() * slots_.front()->memory_bytes(); }

 private:
  // Waits for it and makes it the one that is read.
  void CollectOldest() {
    Check(cudaSetDevice(device_), "cudaSetDevice");
    FrameSlot* slot = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (busy_.empty()) throw Error("no frame is in flight: submit one first");
      slot = busy_.front();
    }
    try {
      slot->Wait(capacity() >= kManyFrames);
    } catch (...) {  // it does not come back, and must not keep others from starting
      const std::lock_guard lock(mutex_);
      busy_.pop_front();
      free_.push_back(slot);
      changed_.notify_all();
      throw;
    }
    const std::lock_guard lock(mutex_);
    busy_.pop_front();
    if (read_ != nullptr) free_.push_back(read_);
    read_ = slot;
    changed_.notify_all();
  }

  // From this many frames in flight no caller waits for a single one; the cores may read and write others.
  static constexpr std::size_t kManyFrames = 3;

  const int device_;
  const std::shared_ptr<SharedBySlots> shared_;
  std::vector<std::unique_ptr<FrameSlot>> slots_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<FrameSlot*> free_, busy_;
  FrameSlot* read_ = nullptr;  // whose result the caller holds
};

// A frame at a time, in the calling thread, with times.
class TimedQueue final : public QueueOfOne {
 public:
  TimedQueue(const Parameters& parameters, const MatcherOptions& options, const CudaTuning& tuning)
      : device_(options.device),
        slot_(parameters, options.width, options.height, tuning,
              std::make_shared<SharedBySlots>(options.width, options.height)) {}

  void Submit(const CameraImageView& left, const CameraImageView& right) override {
    SubmitWith(left, right, {});
  }
  bool rectifies() const override { return true; }

  void SubmitWith(const CameraImageView& left, const CameraImageView& right, const ExtraWork& work) override {
    MatchNext([&](MatchedPair& next) {
      Check(cudaSetDevice(device_), "cudaSetDevice");
      timer_.Begin(slot_.stream());
      slot_.StartObserved(
          left, right, work, [this](Step step) { timer_.End(step, slot_.stream()); }, false);
      slot_.Wait();
      next.map = slot_.TakeResult();
      next.extra = slot_.TakeExtraResults();
      timer_.AddTo(next.times);
    });
  }
  std::size_t memory_bytes() const override { return slot_.memory_bytes(); }

 private:
  const int device_;
  FrameSlot slot_;
  StepTimer timer_;
};

}  // namespace

std::unique_ptr<MatcherQueue> MakeFrameQueue(const Parameters& parameters, const MatcherOptions& options,
                                             int num_in_flight, const CudaTuning& tuning) {
  if (num_in_flight == 1) return std::make_unique<TimedQueue>(parameters, options, tuning);
  return std::make_unique<FrameQueue>(parameters, options, num_in_flight, tuning);
}

}  // namespace parallax::cuda
