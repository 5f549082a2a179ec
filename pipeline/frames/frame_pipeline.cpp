#include "pipeline/frames/frame_pipeline.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"
#include "pipeline/frames/source_reader.h"
#include "pipeline/frames/wakeup.h"
#include "pipeline/frames/worker_pool.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax {
namespace {

constexpr std::size_t kFramesAwaitingWriters = 8;  // besides those being written
constexpr int kMaxWriters = 8, kMaxReaders = 16;
constexpr std::chrono::milliseconds kBetweenQuestions{20};  // whether to stop

// A frame that is being matched.
struct FrameInFlight {
  std::shared_ptr<MatchedFrame> matched;
  MatcherQueue* queue = nullptr;
  Stopwatch watch;
};

// The size of the frame's images after rectification.
std::pair<int, int> SizeToMatch(const StereoFrame& frame, const Rectifier* rectifier) {
  if (rectifier != nullptr)
    return {rectifier->rectification().width_px, rectifier->rectification().height_px};
  const CameraImageView left = ViewOf(frame.left);
  return {WidthOf(left), HeightOf(left)};
}

std::size_t NumValid(HostImageView<const float> disparity) {
  std::size_t num_valid = 0;
  for (int y = 0; y < disparity.height; ++y) {
    const float* row = disparity.Row(y);
    int num_in_row = 0;  // no wider than the pixels, so that compilers make vectors of it
    for (int x = 0; x < disparity.width; ++x)
      num_in_row += std::abs(row[x]) <= std::numeric_limits<float>::max();
    num_valid += static_cast<std::size_t>(num_in_row);
  }
  return num_valid;
}

// The requested number, or one per core.
int NumThreads(int asked_for, int most) {
  if (asked_for > 0) return asked_for;
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most);
}

bool TakesNewest(const FrameSource& source, const PipelineOptions& options) {
  return options.which_frames == WhichFrames::kNewest ||
         (options.which_frames == WhichFrames::kAsTheSource && source.is_live());
}

class FramePipeline {
 public:
  FramePipeline(std::shared_ptr<FrameSource> source, const FrameSteps& steps, const PipelineOptions& options)
      : steps_(steps),
        options_(options),
        num_writers_(NumThreads(options.num_writers, kMaxWriters)),
        num_readers_(NumThreads(options.num_readers, kMaxReaders)),
        newest_(TakesNewest(*source, options)),
        workers_(std::make_shared<WorkerPool>(num_writers_, num_readers_)),
        reader_(std::move(source), StepsOfReader(), newest_ ? std::nullopt : options.max_frames, newest_,
                newest_ ? 1 : num_readers_, workers_, wakeup_),
        matchers_([this](const Parameters& parameters, const MatcherOptions& matcher_options) {
          std::unique_ptr<MatcherQueue> queue = steps_.make_matcher(parameters, matcher_options);
          queue->SetDoneCallback([this] { wakeup_->Notify(); });
          return queue;
        }) {}

  PipelineTotals Run() {
    if (!KeepError([this] { MatchFrames(); })) gives_up_ = true;
    reader_.Leave();
    AwaitWriters([this] { return num_with_writers_ == 0; });
    if (!error_) error_ = reader_.error();
    if (error_) std::rethrow_exception(error_);
    return {.num_dropped = reader_.frames().num_dropped()};
  }

 private:
  ReaderSteps StepsOfReader() {
    return {.is_done = steps_.is_done,
            .image_memory = steps_.image_memory,
            .skipped =
                [this](const std::string& name, std::size_t index) {
                  Report({.name = name, .index = index, .outcome = FrameOutcome::kSkipped});
                },
            .failed = [this](const std::string& name, std::size_t index,
                             const std::string& why) { ReportFailure(name, index, why); }};
  }

  void MatchFrames() {
    while (!gives_up_) {
      if (options_.stop_requested && options_.stop_requested()) {
        if (!options_.finish_read_frames) break;
        reader_.Stop();
      }
      if (newest_ && !HasFreeWriter()) {
        if (in_flight_.empty()) {
          AwaitFreeWriter();
        } else {
          CollectOldest();
        }
        continue;
      }
      if (std::optional<ReadFrame> read = reader_.frames().TryPop()) {
        GuardFrame(read->frame.name, read->index, [&] { MatchFrame(std::move(*read)); });
        if (newest_ && ++num_taken_ == options_.max_frames) break;
      } else if (!in_flight_.empty() && in_flight_.front().queue->oldest_is_done()) {
        CollectOldest();
      } else if (in_flight_.empty() && (reader_.frames().IsClosedAndEmpty() || reader_.IsOutOfPatience())) {
        break;
      } else {
        wakeup_->WaitFor(kBetweenQuestions);
      }
    }
    while (!in_flight_.empty()) CollectOldest();
  }

  void MatchFrame(ReadFrame&& read) {
    const auto matched = std::allocate_shared<MatchedFrame>(frame_memory_);
    matched->frame = std::move(read.frame);
    matched->index = read.index;
    matched->read_ms = read.read_ms;
    StereoFrame& frame = matched->frame;
    matched->parameters = steps_.parameters_for(frame);
    ExtraWork work;
    if (steps_.rectifier) work.rectifier = steps_.rectifier->For(frame);
    if (!work.rectifier) CheckRectified(frame);
    const auto [width, height] = SizeToMatch(frame, work.rectifier.get());
    MatcherQueue& queue =
        MatcherFor(matched->parameters, {.width = width,
                                         .height = height,
                                         .num_threads = options_.num_threads,
                                         .device = options_.device,
                                         .memory_limit_bytes = options_.memory_limit_bytes});
    const UseHostMemory use(steps_.image_memory);
    // Frames leave in order, so those in another matcher go first.
    while (!in_flight_.empty() && in_flight_.front().queue != &queue) CollectOldest();
    const Stopwatch watch;
    if (work.rectifier && !queue.rectifies()) {
      steps_.rectifier->Rectify(frame);
      work.rectifier.reset();
    }
    work.pixels = matched;
    if (StaysAsMatched(frame, work)) work.reprojection = steps_.reprojection_for(frame);
    in_flight_.reserve(in_flight_.size() + 1);  // a frame that the queue has must be in this list
    queue.SubmitWith(ViewOf(frame.left), ViewOf(frame.right), work);
    in_flight_.push_back({matched, &queue, watch});
    if (queue.in_flight() == queue.capacity()) CollectOldest();
  }

  // Whether what is made of a matcher's disparities is what would be made of the frame's at last.
  bool StaysAsMatched(const StereoFrame& frame, const ExtraWork& work) const {
    if (!steps_.reprojection_for || steps_.refine_in_order) return false;
    return work.rectifier || !frame.seen || frame.seen->all;  // else RemoveUnseen
  }

  MatcherQueue& MatcherFor(const Parameters& parameters, const MatcherOptions& frame) {
    if (MatcherQueue* kept = matchers_.Find(parameters, frame)) return *kept;
    while (!in_flight_.empty()) CollectOldest();  // from matchers that may go now
    return matchers_.Make(parameters, frame);
  }

  void CollectOldest() {
    const FrameInFlight oldest = std::move(in_flight_.front());
    in_flight_.erase(in_flight_.begin());
    MatchedFrame& matched = *oldest.matched;
    const UseHostMemory use(steps_.image_memory);
    GuardFrame(matched.frame.name, matched.index, [&] {
      matched.map = oldest.queue->Borrow();
      matched.times = oldest.queue->times();
      matched.match_ms = oldest.watch.ms();
      ExtraResults extra = oldest.queue->TakeExtraResults();
      matched.reprojected = std::move(extra.reprojected);
      if (extra.rectified) {
        matched.frame.left = std::move(extra.rectified->left);
        matched.frame.right = std::move(extra.rectified->right);
        matched.frame.rectified = true;
      } else if (matched.frame.seen) {
        RemoveUnseen(*matched.frame.seen, matched.map.Own());
      }
      if (steps_.refine_in_order) steps_.refine_in_order(matched);
      if (steps_.observe) steps_.observe(oldest.matched);
      HandToWriters(oldest.matched);
    });
  }

  // Waits while too many are there already.
  void HandToWriters(std::shared_ptr<const MatchedFrame> matched) {
    AwaitWriters([this] {
      return gives_up_ || num_with_writers_ < static_cast<std::size_t>(num_writers_) + kFramesAwaitingWriters;
    });
    if (gives_up_) return;
    {
      const std::scoped_lock lock(writers_mutex_);
      to_write_.push_back(std::move(matched));
      ++num_with_writers_;  // only if push_back found memory
    }
    try {
      workers_->Do(TaskKind::kWriting, [this] { WriteOldest(); });
    } catch (...) {
      const std::scoped_lock lock(writers_mutex_);
      --num_with_writers_;
      to_write_.pop_back();
      throw;
    }
  }

  void WriteOldest() {
    std::shared_ptr<const MatchedFrame> matched;
    {
      const std::scoped_lock lock(writers_mutex_);
      matched = std::move(to_write_.front());
      to_write_.erase(to_write_.begin());
    }
    if (!KeepError([&] { WriteFrame(*matched); })) gives_up_ = true;
    matched.reset();
    const std::scoped_lock lock(writers_mutex_);
    --num_with_writers_;
    writer_is_free_.notify_one();
  }

  void WriteFrame(const MatchedFrame& matched) {
    GuardFrame(matched.frame.name, matched.index, [&] {
      FrameReport report{.name = matched.frame.name, .index = matched.index};
      const HostImageView<const float> disparity = matched.map.disparity();
      report.width = disparity.width;
      report.height = disparity.height;
      report.num_disparities = matched.parameters.matching_cost.num_disparities;
      report.times = matched.times;
      report.read_ms = matched.read_ms;
      report.match_ms = matched.match_ms;
      const Stopwatch watch;
      if (steps_.write) steps_.write(matched, report);
      report.write_ms = watch.ms();
      if (!report.num_valid) report.num_valid = NumValid(disparity);
      const double num_pixels = static_cast<double>(disparity.width) * disparity.height;
      if (num_pixels > 0)
        report.density_percent = 100.0 * static_cast<double>(*report.num_valid) / num_pixels;
      Report(std::move(report));
    });
  }

  template <typename Condition>
  void AwaitWriters(Condition condition) {
    std::unique_lock lock(writers_mutex_);
    writer_is_free_.wait(lock, condition);
  }

  // Whether a writer is free to take a frame of a live source that is matched now.
  bool HasFreeWriter() {
    const std::scoped_lock lock(writers_mutex_);
    return num_with_writers_ + in_flight_.size() < static_cast<std::size_t>(num_writers_);
  }
  void AwaitFreeWriter() {
    std::unique_lock lock(writers_mutex_);
    const std::size_t before = num_with_writers_;
    writer_is_free_.wait_for(lock, kBetweenQuestions, [&] { return num_with_writers_ < before; });
  }

  // Runs body() for one frame. An exception fails that frame only, and the frame pipeline continues.
  template <typename Body>
  void GuardFrame(const std::string& name, std::size_t index, Body&& body) {
    const std::string kept_name = name;  // body may take the frame
    try {
      body();
    } catch (const std::exception& error) {
      ReportFailure(kept_name, index, error.what());
    }
  }

  void ReportFailure(const std::string& name, std::size_t index, const std::string& why) {
    Report({.name = name, .index = index, .outcome = FrameOutcome::kFailed, .error = why});
  }
  void Report(FrameReport report) {
    const std::scoped_lock lock(report_mutex_);
    if (steps_.report) steps_.report(std::move(report));
  }

  // Runs a thread's whole work. An exception here is not one frame's: it ends the frame pipeline and is thrown by Run.
  // False if there was one.
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

  const FrameSteps& steps_;
  const PipelineOptions& options_;
  const int num_writers_, num_readers_;
  const bool newest_;
  std::mutex report_mutex_;
  std::exception_ptr error_;
  const KeptAllocator<MatchedFrame> frame_memory_{std::make_shared<KeptHeap>()};
  const std::shared_ptr<WorkerPool> workers_;
  const std::shared_ptr<Wakeup> wakeup_ =
      std::make_shared<Wakeup>();  // another frame is read, or the oldest is matched
  SourceReader reader_;
  KeptMatchers matchers_;
  std::vector<FrameInFlight> in_flight_;  // the oldest first
  std::size_t num_taken_ = 0;
  std::atomic<bool> gives_up_ = false;  // nothing further is matched or written
  std::mutex writers_mutex_;
  std::condition_variable writer_is_free_;
  std::size_t num_with_writers_ = 0;                           // frames handed on and not yet written
  std::vector<std::shared_ptr<const MatchedFrame>> to_write_;  // those of them that wait, the oldest first
};

}  // namespace

void CheckRectified(const StereoFrame& frame) {
  if (frame.rectified) return;
  const std::string why = "the images are not rectified, so rows do not match: ";
  throw Error(why + (frame.rig_note.empty() ? "rectify them first" : frame.rig_note));
}

PipelineTotals RunFrames(std::shared_ptr<FrameSource> source, const FrameSteps& steps,
                         const PipelineOptions& options) {
  return FramePipeline(std::move(source), steps, options).Run();
}

}  // namespace parallax
