// The threads that read a source.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "pipeline/frames/bounded_queue.h"
#include "pipeline/frames/frame_source.h"
#include "pipeline/frames/wakeup.h"
#include "pipeline/frames/worker_pool.h"
#include "pipeline/types/host_memory.h"

namespace parallax {

struct ReadFrame {
  StereoFrame frame;
  std::size_t index = 0;  // in the source
  double read_ms = 0;
};

// The functions that the thread calls, never after Leave() has returned, and the memory for its images.
struct ReaderSteps {
  std::function<bool(const std::string& name, const StereoFrame* frame)> is_done;  // may be empty
  std::shared_ptr<HostMemory> image_memory{};                                      // null: the heap
  std::function<void(const std::string& name, std::size_t index)> skipped;
  std::function<void(const std::string& name, std::size_t index, const std::string& why)> failed;
};

// Reads frames ahead in a separate thread, which may be left behind if the source does not return.
class SourceReader {
 public:
  // max_frames: the most frames taken from the source. newest: one frame is held, and a newer one replaces
  // it. num_readers: the number of frames that the worker pool reads in parallel, if the source defers them;
  // they still come in its order. The wakeup is notified when frames() has another one, and when it is
  // closed.
  SourceReader(std::shared_ptr<FrameSource> source, ReaderSteps steps, std::optional<std::size_t> max_frames,
               bool newest, int num_readers, std::shared_ptr<WorkerPool> workers,
               std::shared_ptr<Wakeup> wakeup);
  ~SourceReader() { Leave(); }
  SourceReader(const SourceReader&) = delete;
  SourceReader& operator=(const SourceReader&) = delete;

  // The frames; closed after the last one.
  BoundedQueue<ReadFrame>& frames();

  // Reads no further frame. Cancels a waiting source.
  void Stop();
  // Whether a stopped source has had enough time to end.
  bool IsOutOfPatience() const;
  // Reads and keeps no further frame. Waits for the thread, but no longer than kPatience after Stop().
  void Leave();
  // The error that ended the source, if any; after Leave().
  std::exception_ptr error() const;

 private:
  static constexpr std::chrono::milliseconds kPatience{50};

  // The thread's data: it lives as long as the thread, which may be longer than the reader.
  struct State;
  class SideBySide;
  static void ReadAll(State& state);

  std::shared_ptr<State> state_;
  std::thread thread_;
  std::optional<std::chrono::steady_clock::time_point> stopped_at_;
};

// Called when a source's own thread waits in a library and is left behind. NumReadersLeftBehind() counts it
// until the program ends.
void CountReaderLeftBehind();

}  // namespace parallax
