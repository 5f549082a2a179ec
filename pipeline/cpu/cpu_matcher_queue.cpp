#include "pipeline/cpu/cpu_matcher_queue.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "parallax/error.h"
#include "pipeline/cpu/cpu_matcher.h"

namespace parallax {
namespace {

template <typename T>
HostImageView<const T> CopyPixels(const HostImageView<const T>& from, CameraImage& memory) {
  if (!std::holds_alternative<HostImage<T>>(memory)) memory = HostImage<T>();
  auto& image = std::get<HostImage<T>>(memory);
  if (from.width > image.width() || from.height > image.height())
    image = HostImage<T>(std::max(from.width, image.width()), std::max(from.height, image.height()));
  for (int y = 0; y < from.height; ++y) std::copy_n(from.Row(y), from.width, image.Row(y));
  HostImageView<const T> copy = image.ConstView();
  copy.width = from.width, copy.height = from.height;
  return copy;
}

// A copy of an image, in memory that grows to the largest one and is used again.
class KeptImage {
 public:
  void Copy(const CameraImageView& from) {
    view_ =
        std::visit([this](const auto& image) -> CameraImageView { return CopyPixels(image, memory_); }, from);
  }
  const CameraImageView& view() const { return view_; }

 private:
  CameraImage memory_;
  CameraImageView view_;
};

// A frame from Submit() to Collect().
struct Slot {
  KeptImage left, right;
  DisparityMap map;
  StageTimes times;
  std::exception_ptr error;
  bool is_matched = false;
};

class CpuMatcherQueue final : public MatcherQueue {
 public:
  // Frames leave in order, so a slow frame delays those after it. Each matcher has one frame waiting in
  // addition to the current one, so that it does not idle while the slow frame or the caller is busy.
  static constexpr std::size_t kFramesPerMatcher = 2;

  CpuMatcherQueue(const Parameters& parameters, MatcherOptions options, int num_at_a_time)
      : width_(options.width),
        height_(options.height),
        slots_(kFramesPerMatcher * static_cast<std::size_t>(num_at_a_time)) {
    int num_threads = options.num_threads;
    if (num_threads <= 0) num_threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const MatcherOptions in_all = options;
    options.memory_limit_bytes /= static_cast<std::size_t>(num_at_a_time);
    const auto make = parameters.method == Method::kSgm ? MakeCpuMatcher : MakeCpuAdCensusMatcher;
    try {
      for (int i = 0; i < num_at_a_time; ++i) {
        const int num_more = i < num_threads % num_at_a_time ? 1 : 0;  // so that all are at work
        options.num_threads = std::max(1, num_threads / num_at_a_time + num_more);
        matchers_.push_back(make(parameters, options));
      }
    } catch (const NeedsMoreMemory& one) {
      throw NeedsMoreMemory(parameters, in_all, one.needed_bytes() * static_cast<std::size_t>(num_at_a_time),
                            num_at_a_time);
    }
    for (const auto& matcher : matchers_)
      threads_.emplace_back([this, &matcher](const std::stop_token& stop) { Work(*matcher, stop); });
  }
  // All stop at the frame that they are at; one after the other, the last ones would begin frames meanwhile.
  ~CpuMatcherQueue() override {
    for (std::jthread& thread : threads_) thread.request_stop();
  }
  CpuMatcherQueue(const CpuMatcherQueue&) = delete;
  CpuMatcherQueue& operator=(const CpuMatcherQueue&) = delete;

  void Submit(const CameraImageView& left, const CameraImageView& right) override {
    CheckMatcherInput(left, right, width_, height_);
    std::unique_lock lock(mutex_);
    left_.wait(lock, [this] { return num_submitted_ - num_collected_ < slots_.size(); });
    Slot& slot = SlotOf(num_submitted_);
    lock.unlock();  // nobody else looks at a slot without a frame
    slot.left.Copy(left);
    slot.right.Copy(right);
    lock.lock();
    slot.is_matched = false;
    ++num_submitted_;
    submitted_.notify_one();
  }

  DisparityMapView Collect() override {
    std::unique_lock lock(mutex_);
    if (num_submitted_ == num_collected_) throw Error("no frame is in flight: submit one first");
    Slot& slot = SlotOf(num_collected_);
    matched_.wait(lock, [&] { return slot.is_matched; });
    std::swap(collected_, slot.map);
    times_ = slot.times;
    const std::exception_ptr error = std::exchange(slot.error, nullptr);
    ++num_collected_;
    left_.notify_one();
    if (error) std::rethrow_exception(error);
    return ViewOf(collected_);
  }

  DisparityMap Take() override {
    Collect();
    return std::exchange(collected_, {});
  }

  bool oldest_is_done() const override {
    const std::scoped_lock lock(mutex_);
    return num_submitted_ == num_collected_ || slots_[num_collected_ % slots_.size()].is_matched;
  }
  void SetDoneCallback(std::function<void()> done) override {
    const std::scoped_lock lock(mutex_);
    tell_done_ = std::move(done);
  }

  StageTimes times() const override { return times_; }
  std::size_t in_flight() const override {
    const std::scoped_lock lock(mutex_);
    return num_submitted_ - num_collected_;
  }
  std::size_t capacity() const override { return slots_.size(); }
  std::size_t memory_bytes() const override { return matchers_.size() * matchers_.front()->memory_bytes(); }

 private:
  Slot& SlotOf(std::size_t frame) { return slots_[frame % slots_.size()]; }

  void Work(StereoMatcher& matcher, const std::stop_token& stop) {
    while (true) {
      std::unique_lock lock(mutex_);
      submitted_.wait(lock, stop, [this] { return num_started_ < num_submitted_; });
      if (stop.stop_requested()) return;
      Slot& slot = SlotOf(num_started_++);
      lock.unlock();
      try {
        matcher.Compute(slot.left.view(), slot.right.view(), slot.map, &slot.times);
      } catch (...) {
        slot.error = std::current_exception();
      }
      lock.lock();
      slot.is_matched = true;
      if (&slot != &SlotOf(num_collected_)) continue;
      matched_.notify_one();
      if (tell_done_) tell_done_();
    }
  }

  const int width_, height_;
  mutable std::mutex mutex_;
  std::condition_variable_any submitted_;
  std::condition_variable matched_, left_;  // a frame is matched, has left
  std::size_t num_submitted_ = 0, num_started_ = 0, num_collected_ = 0;
  std::vector<Slot> slots_;  // frame i in slot i modulo their number
  DisparityMap collected_;
  StageTimes times_;
  std::function<void()> tell_done_;
  std::vector<std::unique_ptr<StereoMatcher>> matchers_;
  std::vector<std::jthread> threads_;  // ends first
};

}  // namespace

std::unique_ptr<MatcherQueue> MakeCpuMatcherQueue(const Parameters& parameters, const MatcherOptions& options,
                                                  int num_at_a_time) {
  if (num_at_a_time < 1)
    throw InvalidArgument(std::to_string(num_at_a_time) + " frames at a time: at least 1 is needed");
  return std::make_unique<CpuMatcherQueue>(parameters, options, num_at_a_time);
}

}  // namespace parallax
