#include "pipeline/matchers/device_pool.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <thread>
#include <utility>

#include "parallax/error.h"
#include "pipeline/types/clone_image.h"
#include "pipeline/types/host_memory.h"

namespace parallax {
namespace {

// Returns the exception that action throws, or null.
template <typename Action>
std::exception_ptr ErrorOf(Action&& action) {
  try {
    action();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

// The text of what a device has to answer for; empty if the frame, or the host, has.
std::string FailureOfDevice(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InvalidArgument&) {
    return "";
  } catch (const Error& failure) {
    return failure.what();
  } catch (...) {
    return "";
  }
}

}  // namespace

class DevicePool::Queue final : public MatcherQueue {
 public:
  Queue(DevicePool& pool, const Parameters& parameters, const MatcherOptions& options, int num_in_flight)
      : pool_(pool), width_(options.width), height_(options.height) {
    MakeMembers(parameters, options, num_in_flight);
    try {
      for (const auto& member : members_) {
        member->feeder = std::thread([this, &member = *member] { Feed(member); });
        member->taker = std::thread([this, &member = *member] { Take(member); });
      }
    } catch (...) {
      EndThreads();
      throw;
    }
  }
  ~Queue() override { EndThreads(); }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  void Submit(const CameraImageView& left, const CameraImageView& right) override {
    SubmitWith(left, right, {});
  }
  void SubmitWith(const CameraImageView& left, const CameraImageView& right, const ExtraWork& work) override {
    if (!work.rectifier) CheckMatcherInput(left, right, width_, height_);
    const auto frame = std::make_shared<Frame>();
    frame->left = left;
    frame->right = right;
    frame->work = work;
    if (!work.pixels) {
      frame->left_copy = CloneImage(left);
      frame->right_copy = CloneImage(right);
      frame->left = ViewOf(frame->left_copy);
      frame->right = ViewOf(frame->right_copy);
    }
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return frames_.size() < capacity_; });
    frame->number = num_submitted_++;
    frames_.push_back(frame);
    waiting_.push_back(frame);
    frame_waits_.notify_one();
  }

  bool rectifies() const override { return rectifies_; }

  DisparityMapView Collect() override {
    CollectOldest();
    return collected_.map.View();
  }
  DisparityMap Take() override {
    CollectOldest();
    return std::move(collected_.map.Own());
  }
  FinishedMap Borrow() override {
    CollectOldest();
    return std::move(collected_.map);
  }
  ExtraResults TakeExtraResults() override { return std::exchange(collected_.extra, {}); }
  StageTimes times() const override { return collected_.times; }

  bool oldest_is_done() const override {
    const std::scoped_lock lock(mutex_);
    return frames_.empty() || frames_.front()->is_done;
  }
  void SetDoneCallback(std::function<void()> done) override {
    const std::scoped_lock lock(mutex_);
    tell_done_ = std::move(done);
  }
  std::size_t in_flight() const override {
    const std::scoped_lock lock(mutex_);
    return frames_.size();
  }
  std::size_t capacity() const override { return capacity_; }
  std::size_t memory_bytes() const override {
    const std::scoped_lock lock(mutex_);
    std::size_t bytes = 0;
    for (const auto& member : members_) bytes += member->queue ? member->queue->memory_bytes() : 0;
    return bytes;
  }

 private:
  struct Result {
    FinishedMap map;
    ExtraResults extra;
    StageTimes times;
  };
  // A frame from Submit() to Collect(). Only one thread at a time works on it and needs no lock; the mutex
  // guards is_done.
  struct Frame {
    std::size_t number = 0;
    CameraImageView left, right;
    CameraImage left_copy, right_copy;  // where nobody holds the pixels
    ExtraWork work;
    Result result;
    std::exception_ptr error;
    bool is_done = false;
  };
  using FramePointer = std::shared_ptr<Frame>;

  // A device with its queue. All but the threads and what the queue does is the mutex's.
  struct Member {
    std::size_t device = 0;  // of the pool
    std::unique_ptr<MatcherQueue> queue;
    std::size_t capacity = 0;
    std::size_t num_held = 0;         // frames that the feeder has taken and the taker has not
    std::vector<FramePointer> begun;  // those that are in the queue, the oldest first
    bool has_failed = false, feeder_has_ended = false;
    std::condition_variable has_room, has_begun;
    std::thread feeder, taker;
  };

  // Makes all in parallel, as a device takes some tenths of a second to begin.
  void MakeMembers(const Parameters& parameters, const MatcherOptions& options, int num_in_flight) {
    for (std::size_t i = 0; i < pool_.devices_.size(); ++i) {
      if (!pool_.IsLeft(i)) continue;
      members_.push_back(std::make_unique<Member>());
      members_.back()->device = i;
    }
    std::vector<std::exception_ptr> errors(members_.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < members_.size(); ++i) {
        threads.emplace_back([&, i] {
          Member& member = *members_[i];
          const auto make = [&](int num_frames) {
            return ErrorOf([&] {
              member.queue = pool_.devices_[member.device].make_queue(parameters, options, num_frames);
              member.capacity = member.queue->capacity();
              if (member.capacity == 0) throw Error("has no room for a frame");
            });
          };
          errors[i] = make(num_in_flight);
          const bool may_be_too_many = errors[i] && num_in_flight > 1 && !FailureOfDevice(errors[i]).empty();
          if (may_be_too_many) errors[i] = make(1);
        });
      }
    }
    const auto made = std::find(errors.begin(), errors.end(), nullptr);
    if (made == errors.end()) std::rethrow_exception(errors.front());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (!errors[i]) continue;
      const std::string why = FailureOfDevice(errors[i]);
      if (why.empty()) std::rethrow_exception(errors[i]);
      pool_.LeaveOut(members_[i]->device, why);
      members_[i]->queue.reset();
    }
    std::erase_if(members_, [](const auto& member) { return member->queue == nullptr; });
    for (const auto& member : members_) {
      capacity_ += member->capacity + NumWaiting(member->capacity);
      rectifies_ = rectifies_ && member->queue->rectifies();
      member->begun.reserve(member->capacity);
    }
    frames_.reserve(capacity_);
    waiting_.reserve(capacity_);
  }

  // How many frames wait for a device in addition to those on it. A few more than it can take keep it busy on a
  // machine whose cores are all busy, where every thread is scheduled late.
  std::size_t NumWaiting(std::size_t num_on_device) const {
    if (num_on_device == 1) return 1;  // a camera's: the newest frame should not wait
    constexpr std::size_t kMost = 16, kMost_bytes = std::size_t{64} << 20;
    constexpr std::size_t kPixel_bytes = 2 + sizeof(float) + 2;  // of two gray images and a result
    const std::size_t frame_bytes =
        kPixel_bytes * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
    return std::clamp(kMost_bytes / std::max<std::size_t>(frame_bytes, 1), num_on_device,
                      std::max(kMost, num_on_device));
  }

  void EndThreads() {
    {
      const std::scoped_lock lock(mutex_);
      ends_ = true;
      frame_waits_.notify_all();
      for (const auto& member : members_) member->has_room.notify_all(), member->has_begun.notify_all();
    }
    for (const auto& member : members_) {
      if (member->feeder.joinable()) member->feeder.join();
      if (member->taker.joinable()) member->taker.join();
    }
  }

  // The thread that gives frames to a device, as soon as the device has room.
  void Feed(Member& member) {
    std::unique_lock lock(mutex_);
    while (true) {
      member.has_room.wait(lock,
                           [&] { return ends_ || member.has_failed || member.num_held < member.capacity; });
      frame_waits_.wait(lock, [&] { return ends_ || member.has_failed || !waiting_.empty(); });
      if (ends_ || member.has_failed) break;
      const FramePointer frame = std::move(waiting_.front());
      waiting_.erase(waiting_.begin());
      ++member.num_held;
      lock.unlock();
      const std::exception_ptr error =
          ErrorOf([&] { member.queue->SubmitWith(frame->left, frame->right, frame->work); });
      lock.lock();
      if (error) {
        --member.num_held;
        Fail(member, frame, error);
      } else {
        member.begun.push_back(frame);
        member.has_begun.notify_one();
      }
    }
    member.feeder_has_ended = true;
    member.has_begun.notify_one();
    frame_waits_.notify_all();  // what woke this thread may have been meant for another one
  }

  // The thread that takes a device's results. It continues after the device has failed.
  void Take(Member& member) {
    std::unique_lock lock(mutex_);
    while (true) {
      member.has_begun.wait(lock, [&] {
        return ends_ || !member.begun.empty() || (member.has_failed && member.feeder_has_ended);
      });
      if (ends_ || member.begun.empty()) break;
      const FramePointer frame = member.begun.front();
      lock.unlock();
      const std::exception_ptr error = ErrorOf([&] {
        frame->result.map = member.queue->Borrow();
        frame->result.extra = member.queue->TakeExtraResults();
        frame->result.times = member.queue->times();
      });
      lock.lock();
      member.begun.erase(member.begun.begin());
      --member.num_held;
      member.has_room.notify_one();
      if (error) {
        Fail(member, frame, error);
      } else {
        Finish(*frame);
      }
    }
    if (!member.has_failed) return;
    const std::unique_ptr<MatcherQueue> queue = std::move(member.queue);  // gives back the device's memory
    lock.unlock();
  }

  // The mutex is held in what follows.
  void Fail(Member& member, const FramePointer& frame, const std::exception_ptr& error) {
    const std::string why = FailureOfDevice(error);
    if (why.empty() || (!member.has_failed && !pool_.LeaveOut(member.device, why))) {
      frame->error = error;
      return Finish(*frame);
    }
    member.has_failed = true;
    member.has_room.notify_all(), member.has_begun.notify_all();
    const auto later = std::find_if(waiting_.begin(), waiting_.end(),
                                    [&](const FramePointer& other) { return other->number > frame->number; });
    waiting_.insert(later, frame);
    frame_waits_.notify_all();
  }
  void Finish(Frame& frame) {
    frame.is_done = true;
    if (&frame != frames_.front().get()) return;
    oldest_is_done_.notify_one();
    if (tell_done_) tell_done_();
  }

  void CollectOldest() {
    std::unique_lock lock(mutex_);
    if (frames_.empty()) throw Error("no frame is in flight: submit one first");
    const FramePointer frame = frames_.front();
    oldest_is_done_.wait(lock, [&] { return frame->is_done; });
    frames_.erase(frames_.begin());
    room_.notify_one();
    lock.unlock();
    if (frame->error) std::rethrow_exception(frame->error);
    collected_ = std::move(frame->result);
  }

  DevicePool& pool_;
  const int width_, height_;
  std::vector<std::unique_ptr<Member>> members_;
  std::size_t capacity_ = 0;
  bool rectifies_ = true;
  Result collected_;  // of who collects
  std::function<void()> tell_done_;
  mutable std::mutex mutex_;
  std::condition_variable room_, frame_waits_, oldest_is_done_;
  std::size_t num_submitted_ = 0;
  // Both have room for capacity_ frames: a thread that finds no memory could not go on.
  std::vector<FramePointer> frames_;   // in flight, the oldest first
  std::vector<FramePointer> waiting_;  // those of them that are for the next device, the oldest first
  bool ends_ = false;
};

DevicePool::DevicePool(std::vector<PooledDevice> devices, std::function<void(const std::string& line)> tell,
                       std::shared_ptr<HostMemory> image_memory)
    : devices_(std::move(devices)),
      tell_(std::move(tell)),
      image_memory_(std::move(image_memory)),
      is_left_(devices_.size(), true) {
  if (devices_.empty()) throw InvalidArgument("a pool without devices: at least one is needed");
}

std::unique_ptr<MatcherQueue> DevicePool::MakeQueue(const Parameters& parameters,
                                                    const MatcherOptions& options, int num_in_flight) {
  return std::make_unique<Queue>(*this, parameters, options, num_in_flight);
}

std::size_t DevicePool::num_left() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(std::count(is_left_.begin(), is_left_.end(), true));
}

bool DevicePool::IsLeft(std::size_t device) const {
  const std::scoped_lock lock(mutex_);
  return is_left_[device];
}

bool DevicePool::LeaveOut(std::size_t device, const std::string& why) {
  const std::scoped_lock lock(mutex_);
  if (!is_left_[device]) return true;
  if (std::count(is_left_.begin(), is_left_.end(), true) == 1) return false;
  is_left_[device] = false;
  if (tell_) tell_(devices_[device].name + " is left out; the others take its frames: " + why);
  return true;
}

}  // namespace parallax
