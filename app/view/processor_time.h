// The processor time that the window takes from the matching it shows.
#pragma once

#include <chrono>
#include <string>

namespace parallax::app {

// Names the calling thread and the threads that it starts from now on (15 characters at most). nice: their nice
// value, 0 .. 19.
void BecomeWorkers(const std::string& name, int nice);

// Processor time, in seconds, of this process's living threads that are not workers: threads with other names, unless
// their nice value is above the calling thread's, because libraries rename the threads that they start. 0 if the
// system does not tell.
double ProcessorTimeOfOtherThreads_s(const std::string& name);

// How many processors the process may use: those of its affinity mask, or fewer if its control group has a
// quota.
double ProcessorsToUse();

// Limits the threads of other names to a share of all processors' time plus a part of the idle time; the rest
// of the idle time stays free for the work. Not thread-safe.
class ProcessorShare {
 public:
  // share, of_idle: 0 .. 1.
  ProcessorShare(std::string besides, double share, double of_idle = 0.5);
  // Whether those threads are within their share. Time spent before the first call does not count. Unused
  // time is kept for one second; overspent time delays by at most five. The measurement is renewed at most
  // ten times a second.
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
