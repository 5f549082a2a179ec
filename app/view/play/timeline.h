// Decides which frame is shown: the window asks for frames, and the source delivers them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <limits>
#include <mutex>
#include <optional>

namespace parallax::app {

// How fast frames follow each other while they play.
enum class Pace {
  kFastest,  // as fast as they are matched
  kSource    // as fast as they were taken; frames are skipped when matching is late
};

// A requested frame.
struct PlayOrder {
  std::size_t number = 0;  // in the source, from 0
  long ticket = 0;         // of the jump, or the run of frames, it belongs to
  bool plays = false;      // false: requested by itself
};

// Thread-safe. While it plays, frames are delivered in order; while paused, the requested ones. Each request
// makes the frames on their way obsolete: they are not shown. A source without an end, such as a camera, delivers
// its frames by itself; each waits for its turn.
class Timeline {
 public:
  static constexpr std::size_t kEndless = std::numeric_limits<long>::max();

  // num_frames >= 1.
  Timeline(std::size_t num_frames, bool paused);

  // --- towards the window ---------------------------------------------------------
  std::size_t num_frames() const { return num_frames_; }
  bool has_end() const { return num_frames_ < kEndless; }
  // The frame that is shown; nullopt before the first.
  std::optional<std::size_t> shown() const;
  // The frame that will be shown: the requested one, or the shown one.
  std::size_t current() const;
  bool paused() const;
  Pace pace() const;
  bool at_end() const;  // plays, and the last frame is shown

  // While it plays: pauses at the shown frame. While it is paused: plays on from the next frame, after the
  // last one from the beginning.
  void TogglePause();
  // Shows a frame: numbers beyond the ends mean the ends. Pauses.
  void Seek(std::size_t number);
  // Moves this many frames forward (back if < 0), then pauses.
  void Step(long frames);
  void SetPace(Pace pace);

  // --- towards the source -----------------------------------------------------------
  // Waits for the next order. nullopt once it was stopped.
  std::optional<PlayOrder> Next();
  // For a source without an end: waits until the next frame may be shown, and counts it as shown. For other sources
  // it returns at once. Returns false once the timeline was stopped or give_up became true.
  bool WaitForTurn(const std::atomic<bool>* give_up = nullptr);
  void Stop();
  bool stopped() const;
  // While frames play at the source's pace, waits until a frame taken at time_s is due. Returns false if
  // another order made the frame obsolete, or playing was stopped.
  bool AwaitDue(const PlayOrder& order, std::optional<double> time_s);

  // --- towards the window -------------------------------------------------------------
  // Whether a frame is still wanted.
  bool IsWanted(const PlayOrder& order) const;
  // Called when the frame is on its way to the window.
  void SetShown(const PlayOrder& order);

 private:
  using Clock = std::chrono::steady_clock;
  // The mutex must be held.
  void Order(std::size_t number);
  void PlayFrom(std::size_t number);
  PlayOrder TakeNext();
  std::size_t Current() const { return ordered_ ? *ordered_ : shown_.value_or(0); }

  const std::size_t num_frames_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool paused_, stopped_ = false;
  Pace pace_ = Pace::kFastest;
  long ticket_ = 1;                     // of the orders that are wanted
  std::optional<std::size_t> next_;     // to be delivered; nullopt: nothing to do
  std::optional<std::size_t> ordered_;  // requested by itself and not shown yet
  std::optional<std::size_t> shown_;

  // The first of the frames that play at the source's pace.
  struct Start {
    long ticket = 0;
    Clock::time_point at;
    double time_s = 0;
    std::size_t number = 0;
  };
  std::optional<Start> start_;
  double period_s_ = 0.1;  // of the source, as far as it is known
};

}  // namespace parallax::app
