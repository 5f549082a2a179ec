#include "app/run/frame_loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "app/run/bounded_queue.h"
#include "app/run/heap.h"
#include "app/run/kept_matchers.h"
#include "pipeline/error.h"

namespace parallax::app {
namespace {

constexpr std::size_t kFramesReadAhead = 2;
constexpr std::size_t kFramesAwaitingWriters = 8;
constexpr int kMaxWriters = 8;

class Stopwatch {
 public:
  double ms() const { return std::chrono::duration<double, std::milli>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

struct ReadFrame {
  StereoFrame frame;
  std::size_t index = 0;
  double read_ms = 0;
};

// A frame that is being matched.
struct FrameInFlight {
  std::shared_ptr<MatchedFrame> matched;
  MatcherQueue* queue = nullptr;
  Stopwatch watch;
};

double DensityPercent(HostImageView<const float> disparity) {
  std::int64_t num_valid = 0;
  for (int y = 0; y < disparity.height; ++y) {
    const float* row = disparity.Row(y);
    int num_in_row = 0;  // no wider than the pixels, so that compilers make vectors of it
    for (int x = 0; x < disparity.width; ++x)
      num_in_row += std::abs(row[x]) <= std::numeric_limits<float>::max();
    num_valid += num_in_row;
  }
  const double num_pixels = static_cast<double>(disparity.width) * disparity.height;
  return num_pixels > 0 ? 100.0 * static_cast<double>(num_valid) / num_pixels : 0.0;
}

class FrameLoop {
 public:
  FrameLoop(FrameSource& source, const FrameLoopSteps& steps, const FrameLoopOptions& options)
      : source_(source),
        steps_(steps),
        options_(options),
        read_(kFramesReadAhead),
        matched_(kFramesAwaitingWriters) {}

  void Run() {
    const int num_cores = static_cast<int>(std::thread::hardware_concurrency());
    const int num_writers =
        options_.num_writers > 0 ? options_.num_writers : std::clamp(num_cores, 1, kMaxWriters);
    {
      std::vector<std::jthread> threads;
      threads.emplace_back([this] {
        KeepError([this] { ReadFrames(); });
        read_.Close();  // those on their way are matched and written, also where the source is lost
      });
      for (int i = 0; i < num_writers; ++i) {
        threads.emplace_back([this] {
          if (!KeepError([this] { WriteFrames(); })) GiveUp();
        });
      }
      if (!KeepError([this] { MatchFrames(); })) GiveUp();
    }  // joins
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void ReadFrames() {
    for (std::size_t taken = 0; !options_.max_frames || taken < *options_.max_frames; ++taken) {
      if (options_.stop != nullptr && *options_.stop) break;
      const std::optional<std::string> name = source_.NextName();
      if (!name) break;
      if (steps_.is_done && steps_.is_done(*name, nullptr)) {
        source_.Skip();
        Report({.name = *name, .index = taken, .outcome = FrameOutcome::kSkipped});
        continue;
      }
      const bool goes_on = GuardFrame(*name, taken, [&] {
        const Stopwatch watch;
        ReadFrame read{source_.Read(), taken};
        read.read_ms = watch.ms();
        if (steps_.is_done && steps_.is_done(*name, &read.frame)) {
          Report({.name = *name, .index = taken, .outcome = FrameOutcome::kSkipped});
          return true;
        }
        return read_.Push(std::move(read));
      });
      if (!goes_on) break;
    }
  }

  void MatchFrames() {
    // A frame in flight waits for the next one only as long as there is one to start.
    while (true) {
      std::optional<ReadFrame> read = in_flight_.empty() ? read_.Pop() : read_.TryPop();
      if (read) {
        const std::string name = read->frame.name;
        GuardFrame(name, read->index, [&] { return MatchFrame(std::move(*read)); });
      } else if (!in_flight_.empty()) {
        CollectOldest();
      } else {
        break;
      }
    }
    matched_.Close();
  }

  bool MatchFrame(ReadFrame read) {
    const auto matched = std::make_shared<MatchedFrame>();
    matched->frame = std::move(read.frame);
    matched->index = read.index;
    matched->read_ms = read.read_ms;
    matched->parameters = steps_.parameters_for(matched->frame);
    CheckRectified(matched->frame);
    const CameraImageView left = ViewOf(matched->frame.left), right = ViewOf(matched->frame.right);
    const MatcherOptions wanted{.width = WidthOf(left),
                                .height = HeightOf(left),
                                .num_threads = options_.num_threads,
                                .device = options_.device,
                                .memory_limit_bytes = options_.memory_limit_bytes};
    KeptMatcher& kept = MatcherFor(matched->parameters, wanted);
    const Stopwatch watch;
    if (kept.queue) {
      // Frames leave in order, so those of another size go first.
      while (!in_flight_.empty() && (in_flight_.front().queue != kept.queue.get() ||
                                     kept.queue->in_flight() == kept.queue->capacity()))
        CollectOldest();
      kept.queue->Submit(left, right);
      in_flight_.push_back({matched, kept.queue.get(), watch});
      return true;
    }
    kept.matcher->Compute(left, right, matched->disparity, &matched->times);
    matched->match_ms = watch.ms();
    return HandOn(matched);
  }

  void CollectOldest() {
    const FrameInFlight oldest = std::move(in_flight_.front());
    in_flight_.pop_front();
    GuardFrame(oldest.matched->frame.name, oldest.matched->index, [&] {
      oldest.matched->disparity = oldest.queue->Take();
      oldest.matched->times = oldest.queue->times();
      oldest.matched->match_ms = oldest.watch.ms();
      return HandOn(oldest.matched);
    });
  }

  bool HandOn(const std::shared_ptr<const MatchedFrame>& matched) {
    if (steps_.observe) steps_.observe(matched);
    return matched_.Push(matched);
  }

  KeptMatcher& MatcherFor(const Parameters& parameters, const MatcherOptions& wanted) {
    if (KeptMatcher* kept = matchers_.Find(parameters, wanted)) return *kept;
    while (!in_flight_.empty()) CollectOldest();  // from matchers that may go now
    matchers_.MakeRoom(parameters, wanted);
    KeptMatcher made{wanted, parameters, nullptr, nullptr};
    if (steps_.make_queue) {
      made.queue = steps_.make_queue(parameters, wanted);
    } else {
      made.matcher = steps_.make_matcher(parameters, wanted);
    }
    return matchers_.Add(std::move(made));
  }

  void WriteFrames() {
    while (const std::optional<std::shared_ptr<const MatchedFrame>> next = matched_.Pop()) {
      const MatchedFrame& matched = **next;
      GuardFrame(matched.frame.name, matched.index, [&] {
        FrameReport report{.name = matched.frame.name, .index = matched.index};
        const HostImageView<const float> disparity = matched.disparity.disparity.View();
        report.width = disparity.width;
        report.height = disparity.height;
        report.num_disparities = matched.parameters.matching_cost.num_disparities;
        report.density_percent = DensityPercent(disparity);
        report.times = matched.times;
        report.read_ms = matched.read_ms;
        report.match_ms = matched.match_ms;
        const Stopwatch watch;
        if (steps_.write) steps_.write(matched, report);
        report.write_ms = watch.ms();
        Report(std::move(report));
        return true;
      });
    }
  }

  // Runs body() for one frame; an exception is that frame's failure and the loop goes on.
  template <typename Body>
  bool GuardFrame(const std::string& name, std::size_t index, Body&& body) {
    try {
      return body();
    } catch (const std::exception& error) {
      Report({.name = name, .index = index, .outcome = FrameOutcome::kFailed, .error = error.what()});
      return true;
    }
  }

  void Report(FrameReport report) {
    const std::scoped_lock lock(report_mutex_);
    if (steps_.report) steps_.report(std::move(report));
  }

  // Runs a thread's whole work. An exception here is not one frame's: it ends the loop and is thrown by Run.
  // False where there was one.
  template <typename Work>
  bool KeepError(Work&& work) {
    try {
      work();
      return true;
    } catch (...) {
      const std::scoped_lock lock(report_mutex_);
      if (!error_) error_ = std::current_exception();
      return false;
    }
  }

  // Nothing further is read, matched or written.
  void GiveUp() {
    read_.Close();
    matched_.Close();
  }

  FrameSource& source_;
  const FrameLoopSteps& steps_;
  const FrameLoopOptions& options_;
  BoundedQueue<ReadFrame> read_;
  BoundedQueue<std::shared_ptr<const MatchedFrame>> matched_;
  KeptMatchers matchers_;
  std::deque<FrameInFlight> in_flight_;  // the oldest first
  std::mutex report_mutex_;
  std::exception_ptr error_;
};

}  // namespace

void CheckRectified(const StereoFrame& frame) {
  if (frame.rectified) return;
  const std::string why = "the images are not rectified, so rows do not correspond: ";
  throw Error(why + (frame.rig_note.empty() ? "rectify them first" : frame.rig_note));
}

void RunFrames(FrameSource& source, const FrameLoopSteps& steps, const FrameLoopOptions& options) {
  KeepFreedMemory();  // the buffers of a frame are those of one before it
  FrameLoop(source, steps, options).Run();
}

}  // namespace parallax::app
