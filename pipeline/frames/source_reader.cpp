#include "pipeline/frames/source_reader.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "pipeline/frames/frame_road.h"
#include "pipeline/stopwatch.h"

namespace parallax {
namespace {

constexpr std::size_t kFramesReadAhead = 2;
std::atomic<int> num_left_behind = 0;

}  // namespace

struct SourceReader::State {
  State(std::shared_ptr<FrameSource> source_, ReaderSteps steps_, std::optional<std::size_t> max_frames_,
        bool newest)
      : source(std::move(source_)),
        steps(std::move(steps_)),
        max_frames(max_frames_),
        frames(newest ? 1 : kFramesReadAhead, newest ? WhenFull::kDropOldest : WhenFull::kWait) {}

  // Runs body, which calls steps, unless the reader is gone. What it throws goes through.
  template <typename Body>
  void WithSteps(Body&& body) {
    const std::scoped_lock lock(steps_mutex);
    if (!reader_is_gone) body();
  }

  const std::shared_ptr<FrameSource> source;
  const ReaderSteps steps;
  const std::optional<std::size_t> max_frames;
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
                           std::optional<std::size_t> max_frames, bool newest)
    : state_(std::make_shared<State>(std::move(source), std::move(steps), max_frames, newest)) {
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

void SourceReader::ReadAll(State& state) {
  FrameSource& source = *state.source;
  for (std::size_t taken = 0; !state.max_frames || taken < *state.max_frames; ++taken) {
    if (state.stop) return;
    const std::optional<std::string> name = source.NextName();
    if (!name || state.stop) return;
    const auto is_passed_over = [&](const StereoFrame* frame) {
      bool is_done = false;
      state.WithSteps([&] {
        is_done = state.steps.is_done && state.steps.is_done(*name, frame);
        if (is_done) state.steps.skipped(*name, taken);
      });
      return is_done;
    };
    try {
      if (is_passed_over(nullptr)) {
        source.Skip();
        continue;
      }
      const Stopwatch watch;
      ReadFrame read{source.Read(), taken};
      read.read_ms = watch.ms();
      if (is_passed_over(&read.frame)) continue;
      if (!state.frames.Push(std::move(read))) return;
    } catch (const Cancelled&) {
      return;
    } catch (const std::exception& error) {
      state.WithSteps([&] { state.steps.failed(*name, taken, error.what()); });
    }
  }
}

int NumReadersLeftBehind() { return num_left_behind; }

}  // namespace parallax
