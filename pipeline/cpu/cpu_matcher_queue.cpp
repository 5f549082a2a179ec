#include "pipeline/cpu/cpu_matcher_queue.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "pipeline/cpu/cpu_matcher.h"
#include "pipeline/error.h"

namespace parallax {
namespace {

// Copies from to to, whose memory is used again where it fits.
void CopyImage(const CameraImageView& from, CameraImage& to) {
  std::visit(
      [&]<typename T>(const HostImageView<const T>& view) {
        auto* image = std::get_if<HostImage<T>>(&to);
        if (image == nullptr || !SameSize(image->ConstView(), view)) {
          to = HostImage<T>(view.width, view.height);
          image = &std::get<HostImage<T>>(to);
        }
        for (int y = 0; y < view.height; ++y) std::copy_n(view.Row(y), view.width, image->Row(y));
      },
      from);
}

// A matcher and the frame that it is at.
struct Lane {
  std::unique_ptr<StereoMatcher> matcher;
  CameraImage left, right;
  DisparityMap map;
  StageTimes times;
  std::exception_ptr error;
  bool has_work = false;  // submitted and not finished
};

class CpuMatcherQueue final : public MatcherQueue {
 public:
  CpuMatcherQueue(const Parameters& parameters, MatcherOptions options, int num_in_flight)
      : width_(options.width), height_(options.height), lanes_(static_cast<std::size_t>(num_in_flight)) {
    int num_threads = options.num_threads;
    if (num_threads <= 0) num_threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    options.num_threads = std::max(1, num_threads / num_in_flight);
    options.memory_limit_bytes /= static_cast<std::size_t>(num_in_flight);
    for (Lane& lane : lanes_) lane.matcher = MakeCpuMatcher(parameters, options);
    for (Lane& lane : lanes_)
      threads_.emplace_back([this, &lane](const std::stop_token& stop) { Work(lane, stop); });
  }

  void Submit(const CameraImageView& left, const CameraImageView& right) override {
    CheckMatcherInput(left, right, width_, height_);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return num_submitted_ - num_collected_ < lanes_.size(); });
    Lane& lane = lanes_[num_submitted_ % lanes_.size()];
    lock.unlock();  // nobody else looks at a lane without work
    CopyImage(left, lane.left);
    CopyImage(right, lane.right);
    lock.lock();
    lane.has_work = true;
    ++num_submitted_;
    changed_.notify_all();
  }

  DisparityMapView Collect() override {
    std::unique_lock lock(mutex_);
    if (num_submitted_ == num_collected_) throw Error("no frame is in flight: submit one first");
    Lane& lane = lanes_[num_collected_ % lanes_.size()];
    changed_.wait(lock, [&] { return !lane.has_work; });
    std::swap(collected_, lane.map);
    times_ = lane.times;
    const std::exception_ptr error = std::exchange(lane.error, nullptr);
    ++num_collected_;
    changed_.notify_all();
    if (error) std::rethrow_exception(error);
    return {collected_.disparity.ConstView(), collected_.validity.ConstView(),
            collected_.confidence.ConstView()};
  }

  DisparityMap Take() override {
    Collect();
    return std::exchange(collected_, {});
  }

  StageTimes times() const override { return times_; }
  std::size_t in_flight() const override {
    const std::scoped_lock lock(mutex_);
    return num_submitted_ - num_collected_;
  }
  std::size_t capacity() const override { return lanes_.size(); }
  std::size_t memory_bytes() const override { return lanes_.size() * lanes_.front().matcher->memory_bytes(); }

 private:
  void Work(Lane& lane, const std::stop_token& stop) {
    while (true) {
      {
        std::unique_lock lock(mutex_);
        if (!changed_.wait(lock, stop, [&] { return lane.has_work; })) return;
      }
      try {
        lane.matcher->Compute(ViewOf(lane.left), ViewOf(lane.right), lane.map, &lane.times);
      } catch (...) {
        lane.error = std::current_exception();
      }
      const std::scoped_lock lock(mutex_);
      lane.has_work = false;
      changed_.notify_all();
    }
  }

  const int width_, height_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t num_submitted_ = 0, num_collected_ = 0;
  std::vector<Lane> lanes_;  // frame i in lane i modulo their number
  DisparityMap collected_;
  StageTimes times_;
  std::vector<std::jthread> threads_;  // ends first
};

}  // namespace

std::unique_ptr<MatcherQueue> MakeCpuMatcherQueue(const Parameters& parameters, const MatcherOptions& options,
                                                  int num_in_flight) {
  if (num_in_flight < 1)
    throw InvalidArgument(std::to_string(num_in_flight) + " frames in flight: at least 1 is needed");
  return std::make_unique<CpuMatcherQueue>(parameters, options, num_in_flight);
}

}  // namespace parallax
