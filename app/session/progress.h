// The progress of a run: on a terminal a bar with rate and remaining time, otherwise an occasional plain
// line.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>

namespace parallax::app {

// May be used from several threads.
class Progress {
 public:
  // total: number of frames, if known. stream: a terminal gets a bar, anything else plain lines.
  Progress(std::optional<std::size_t> total, std::FILE* stream);
  ~Progress();  // clears the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Counts one more frame. worked = false for a skipped one, which does not count in the rate.
  void Advance(bool worked);
  // Prints a separate line above the bar.
  void Print(const std::string& line);

 private:
  void Draw();
  void Put(const std::string& text);
  void Clear();

  using Clock = std::chrono::steady_clock;
  const std::optional<std::size_t> total_;
  std::FILE* const stream_;
  const bool terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_drawn_ = start_;
  std::mutex mutex_;
  std::size_t num_through_ = 0, num_worked_ = 0;
  bool drawn_ = false;
  std::string drawn_text_;  // the last one, whose memory serves the next
};

// Adds "12 of 200 frames, 3.4 frames/s, 56 s left" to the text; without a total "12 frames, 3.4 frames/s".
void AddProgress(std::size_t num_through, std::size_t num_worked, std::optional<std::size_t> total,
                 double elapsed_s, std::string& text);

}  // namespace parallax::app
