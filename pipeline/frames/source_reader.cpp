#include "pipeline/frames/source_reader.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <utility>
#include <variant>

#include "pipeline/frames/frame_pipeline.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax {
namespace {

constexpr std::size_t kFramesReadAhead = 2;
constexpr std::size_t kMostReadAhead_bytes = std::size_t{64} << 20;  // besides a frame for each reader
std::atomic<int> num_left_behind = 0;

std::size_t BytesOf(const CameraImage& image) {
  return std::visit(
      [](const auto& i) {
        return sizeof(*i.Row(0)) * static_cast<std::size_t>(i.width()) * static_cast<std::size_t>(i.height());
      },
      image);
}

}  // namespace

struct SourceReader::State {
  State(std::shared_ptr<FrameSource> source_, ReaderSteps steps_, std::optional<std::size_t> max_frames_,
        bool newest, int num_readers_, std::shared_ptr<WorkerPool> workers_, std::shared_ptr<Wakeup> wakeup_)
      : source(std::move(source_)),
        steps(std::move(steps_)),
        max_frames(max_frames_),
        num_readers(num_readers_),
        workers(std::move(workers_)),
        wakeup(std::move(wakeup_)),
        frames(newest ? 1 : kFramesReadAhead, newest ? WhenFull::kDropOldest : WhenFull::kWait) {}

  // Runs body, which calls steps, unless the reader is gone. Exceptions pass through.
  template <typename Body>
  void WithSteps(Body&& body) {
    const std::scoped_lock lock(steps_mutex);
    if (!reader_is_gone) body();
  }

  // Runs body, which is about one frame; what it throws is that frame's failure. False if it says so, and
  // where reading was cancelled.
  template <typename Body>
  bool Guard(const std::string& name, std::size_t index, Body&& body) {
    try {
      return body();
    } catch (const Cancelled&) {
      return false;
    } catch (const std::exception& failure) {
      WithSteps([&] { steps.failed(name, index, failure.what()); });
      return true;
    }
  }

  bool IsPassedOver(const std::string& name, std::size_t index, const StereoFrame* frame) {
    bool is_done = false;
    WithSteps([&] {
      is_done = steps.is_done && steps.is_done(name, frame);
      if (is_done) steps.skipped(name, index);
    });
    return is_done;
  }

  // The frame that read() gives, in memory that suits the matcher.
  template <typename Read>
  ReadFrame Timed(std::size_t index, Read&& read) const {
    const UseHostMemory use(steps.image_memory);
    const Stopwatch watch;
    StereoFrame frame = read();
    return {std::move(frame), index, watch.ms()};
  }

  // Puts the frame that read() gives among those to be matched. False if no further one is wanted.
  template <typename Read>
  bool HandOn(const std::string& name, std::size_t index, Read&& read) {
    return Guard(name, index, [&] {
      ReadFrame frame = read();
      if (IsPassedOver(name, index, &frame.frame)) return true;
      const bool is_wanted = frames.Push(std::move(frame));
      wakeup->Notify();
      return is_wanted;
    });
  }

  const std::shared_ptr<FrameSource> source;
  const ReaderSteps steps;
  const std::optional<std::size_t> max_frames;
  const int num_readers;
  const std::shared_ptr<WorkerPool> workers;
  const std::shared_ptr<Wakeup> wakeup;
  BoundedQueue<ReadFrame> frames;
  std::atomic<bool> stop = false;

  std::mutex steps_mutex;  // held while a step runs
  bool reader_is_gone = false;

  std::mutex end_mutex;
  std::condition_variable ended;
  bool has_ended = false, is_left_behind = false;
  std::exception_ptr error;
};

SourceReader::SourceReader(std::shared_ptr<FrameSource> source, ReaderSteps steps,
                           std::optional<std::size_t> max_frames, bool newest, int num_readers,
                           std::shared_ptr<WorkerPool> workers, std::shared_ptr<Wakeup> wakeup)
    : state_(std::make_shared<State>(std::move(source), std::move(steps), max_frames, newest, num_readers,
                                     std::move(workers), std::move(wakeup))) {
  thread_ = std::thread([state = state_]() mutable {
    std::exception_ptr error;
    try {
      ReadAll(*state);
    } catch (const Cancelled&) {
    } catch (...) {
      error = std::current_exception();
    }
    bool is_left_behind = false;
    {
      const std::scoped_lock lock(state->end_mutex);
      state->error = error;
      state->has_ended = true;
      is_left_behind = state->is_left_behind;
      state->ended.notify_all();
    }
    state->frames.Close();  // those that were read are matched, also where the source is lost
    state->wakeup->Notify();
    error = nullptr;
    state.reset();  // the source goes here, where the thread was left behind
    if (is_left_behind) --num_left_behind;
  });
}

BoundedQueue<ReadFrame>& SourceReader::frames() { return state_->frames; }

void SourceReader::Stop() {
  if (stopped_at_) return;
  stopped_at_ = std::chrono::steady_clock::now();
  state_->stop = true;
  {
    const std::scoped_lock lock(state_->end_mutex);
    if (state_->has_ended) return;
  }
  state_->source->Cancel();
}

bool SourceReader::IsOutOfPatience() const {
  return stopped_at_ && std::chrono::steady_clock::now() >= *stopped_at_ + kPatience;
}

void SourceReader::Leave() {
  if (!thread_.joinable()) return;
  Stop();
  state_->frames.Close();
  {
    std::unique_lock lock(state_->end_mutex);
    const auto has_ended = [this] { return state_->has_ended; };
    if (!state_->ended.wait_until(lock, *stopped_at_ + kPatience, has_ended)) {
      state_->is_left_behind = true;
      ++num_left_behind;
    }
  }
  if (!state_->is_left_behind) {
    thread_.join();
    return;
  }
  thread_.detach();
  const std::scoped_lock lock(state_->steps_mutex);
  state_->reader_is_gone = true;
}

std::exception_ptr SourceReader::error() const {
  const std::scoped_lock lock(state_->end_mutex);
  return state_->error;
}

// Frames that are being read, handed on in the order in which they were begun.
class SourceReader::SideBySide {
 public:
  explicit SideBySide(State& state) : state_(state) {}
  ~SideBySide() {
    const std::size_t num_dropped = state_.workers->Drop(TaskKind::kReading);
    std::unique_lock lock(mutex_);
    num_unread_ -= num_dropped;
    is_read_.wait(lock, [this] { return num_unread_ == 0; });
  }
  SideBySide(const SideBySide&) = delete;
  SideBySide& operator=(const SideBySide&) = delete;

  // The number of frames that were begun and not handed on yet.
  std::size_t size() const { return begun_.size(); }
  // The largest such number: one frame for each reader, and one more if frames are small, so that a reader
  // continues while frames before its own are read and handed on.
  std::size_t capacity() const {
    const auto num_readers = static_cast<std::size_t>(state_.num_readers);
    const std::size_t num_more = frame_bytes_ > 0 ? kMostReadAhead_bytes / frame_bytes_ : 0;
    return num_readers + std::min(num_readers, num_more);
  }

  // Starts reading a frame in the worker pool.
  void Begin(std::string name, std::size_t index, std::function<StereoFrame()> read) {
    auto job = std::make_shared<Job>(Job{std::move(name), index, std::move(read)});
    begun_.push_back(job);
    {
      const std::scoped_lock lock(mutex_);
      ++num_unread_;
    }
    try {
      state_.workers->Do(TaskKind::kReading, [this, job = std::move(job)] { Read(*job); });
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      --num_unread_;
      throw;
    }
  }

  // Waits for the oldest and hands it on. False if no further frame is wanted.
  bool HandOnOldest() {
    const std::shared_ptr<Job> job = std::move(begun_.front());
    begun_.pop_front();
    {
      std::unique_lock lock(mutex_);
      awaited_ = job.get();
      is_read_.wait(lock, [&] { return job->is_read; });
      awaited_ = nullptr;
    }
    if (job->frame) frame_bytes_ = BytesOf(job->frame->frame.left) + BytesOf(job->frame->frame.right);
    return state_.HandOn(job->name, job->index, [&] {
      if (job->error) std::rethrow_exception(job->error);
      return std::move(*job->frame);
    });
  }

 private:
  struct Job {
    std::string name;
    std::size_t index = 0;
    std::function<StereoFrame()> read;
    bool is_read = false;
    std::optional<ReadFrame> frame{};
    std::exception_ptr error{};
  };

  void Read(Job& job) {
    try {
      job.frame = state_.Timed(job.index, job.read);
    } catch (...) {
      job.error = std::current_exception();
    }
    job.read = nullptr;
    const std::scoped_lock lock(mutex_);
    job.is_read = true;
    --num_unread_;
    if (awaited_ == &job || num_unread_ == 0) is_read_.notify_one();
  }

  State& state_;
  std::deque<std::shared_ptr<Job>> begun_;  // of the reader's thread alone
  std::size_t frame_bytes_ = 0;             // of the last one handed on; the same
  std::mutex mutex_;
  std::condition_variable is_read_;  // of the reader's thread
  std::size_t num_unread_ = 0;       // begun by Begin(), whether the worker pool has begun them or not
  const Job* awaited_ = nullptr;     // nobody waits for the others
};

void SourceReader::ReadAll(State& state) {
  const UseHostMemory use(state.steps.image_memory);  // a live source decodes before it names a frame
  FrameSource& source = *state.source;
  SideBySide others(state);
  const auto hand_on = [&](std::size_t num_kept) {
    while (others.size() > num_kept) {
      if (state.stop || !others.HandOnOldest()) return false;
    }
    return true;
  };
  for (std::size_t taken = 0; !state.max_frames || taken < *state.max_frames; ++taken) {
    if (state.stop) return;
    std::optional<std::string> name;
    try {
      name = source.NextName();
    } catch (...) {
      hand_on(0);  // the source is lost, what was read before is not
      throw;
    }
    if (!name) break;
    if (state.stop) return;
    std::function<StereoFrame()> read;
    const bool goes_on = state.Guard(*name, taken, [&] {
      if (state.IsPassedOver(*name, taken, nullptr)) {
        source.Skip();
        return true;
      }
      if (state.num_readers > 1 && (read = source.Defer())) return true;
      if (!hand_on(0)) return false;
      return state.HandOn(*name, taken, [&] { return state.Timed(taken, [&] { return source.Read(); }); });
    });
    if (!goes_on) return;
    if (!read) continue;
    if (!hand_on(others.capacity() - 1)) return;
    others.Begin(*name, taken, std::move(read));
  }
  hand_on(0);
}

void CountReaderLeftBehind() { ++num_left_behind; }

int NumReadersLeftBehind() { return num_left_behind; }

}  // namespace parallax
