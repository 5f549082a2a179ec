#include "pipeline/matcher_queue.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "pipeline/error.h"

namespace parallax {
namespace {

template <typename T>
HostImage<T> CloneImage(const HostImageView<const T>& from) {
  HostImage<T> to(from.width, from.height);
  for (int y = 0; y < from.height; ++y) std::copy_n(from.Row(y), from.width, to.Row(y));
  return to;
}

class QueueOfOne final : public MatcherQueue {
 public:
  QueueOfOne(std::unique_ptr<StereoMatcher> matcher, bool with_times)
      : matcher_(std::move(matcher)), with_times_(with_times) {}

  void Submit(const CameraImageView& left, const CameraImageView& right) override {
    {
      std::unique_lock lock(mutex_);
      is_collected_.wait(lock, [this] { return !is_in_flight_; });
    }
    matcher_->Compute(left, right, matched_, with_times_ ? &matched_times_ : nullptr);
    const std::scoped_lock lock(mutex_);
    is_in_flight_ = true;
  }

  DisparityMapView Collect() override {
    const std::scoped_lock lock(mutex_);
    if (!is_in_flight_) throw Error("no frame is in flight: submit one first");
    std::swap(collected_, matched_);
    times_ = std::exchange(matched_times_, {});
    is_in_flight_ = false;
    is_collected_.notify_one();
    return ViewOf(collected_);
  }

  DisparityMap Take() override {
    Collect();
    return std::exchange(collected_, {});
  }

  StageTimes times() const override { return times_; }
  std::size_t in_flight() const override {
    const std::scoped_lock lock(mutex_);
    return is_in_flight_ ? 1 : 0;
  }
  std::size_t capacity() const override { return 1; }
  std::size_t memory_bytes() const override { return matcher_->memory_bytes(); }

 private:
  const std::unique_ptr<StereoMatcher> matcher_;
  const bool with_times_;
  mutable std::mutex mutex_;
  std::condition_variable is_collected_;
  bool is_in_flight_ = false;
  DisparityMap matched_, collected_;
  StageTimes matched_times_, times_;
};

}  // namespace

void MatcherQueue::SubmitWith(const CameraImageView& left, const CameraImageView& right,
                              const WorkBeside& work) {
  if (work.rectifier) throw InvalidArgument("this matcher takes no raw images: rectify them first");
  Submit(left, right);
}

std::unique_ptr<MatcherQueue> MakeQueueOfOne(std::unique_ptr<StereoMatcher> matcher, bool with_times) {
  return std::make_unique<QueueOfOne>(std::move(matcher), with_times);
}

DisparityMap Clone(const DisparityMapView& view) {
  return {CloneImage(view.disparity), CloneImage(view.validity), CloneImage(view.confidence)};
}

}  // namespace parallax
