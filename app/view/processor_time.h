// What of the processors' time the window takes, beside the work that it shows.
#pragma once

#include <chrono>
#include <string>

namespace parallax::app {

// The calling thread, and those that it starts from now on, bear the name (15 characters at most). nice: how
// far they stand back behind other threads, 0 .. 19.
void BecomeWorkers(const std::string& name, int nice);

// Seconds that the process's threads of other names have computed, as far as they live. 0 where the system
// does not tell.
double ProcessorTimeOfOtherThreads_s(const std::string& name);

// Seconds of processor time that the process may take a second: its processors, or less where its control
// group's quota says so.
double ProcessorsToUse();

// Keeps the threads of other names to a share of all processors' time, and a part of what would stand idle:
// the rest of that is left to the work, which may want it in a moment. For a single thread's use.
class ProcessorShare {
 public:
  // share, of_idle: 0 .. 1.
  ProcessorShare(std::string besides, double share, double of_idle = 0.5);
  // Whether they are within their share. What was spent before the first call does not count; what was saved
  // is kept for a second, and what was spent too much waited for during five at most. Looks ten times a second
  // at most; in between it says the same.
  bool MaySpend();

 private:
  using Clock = std::chrono::steady_clock;
  const std::string besides_;
  const double processors_;  // to use
  const double share_;       // of one processor's time; may be above 1
  const double of_idle_;
  double spent_s_ = -1, all_s_ = 0, idle_s_ = 0, credit_s_ = 0;
  Clock::time_point at_{};
};

}  // namespace parallax::app
