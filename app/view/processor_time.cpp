#include "app/view/processor_time.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

namespace parallax::app {
namespace {

constexpr double kLongestDebt_s = 5;  // opening a window costs more than its share; more debt is forgiven
constexpr std::chrono::milliseconds kBetweenLooks(100);  // to look at all threads takes time, too

// The idle time of all processors together, s; 0 if the system does not report it.
double IdleTime_s() {
  std::ifstream file("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0;
  return file >> name >> user >> nice >> system >> idle ? idle / static_cast<double>(sysconf(_SC_CLK_TCK))
                                                        : 0;
}

double ProcessTime_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

double ProcessorsToUse() {
  double processors = std::max(1u, std::thread::hardware_concurrency());
  std::ifstream file("/sys/fs/cgroup/cpu.max");  // "QUOTA PERIOD" in microseconds, "max" without a quota
  std::string quota;
  double period = 0;
  if (file >> quota >> period && quota != "max" && period > 0) {
    const double quota_us = std::strtod(quota.c_str(), nullptr);
    if (quota_us > 0) processors = std::min(processors, quota_us / period);
  }
  return processors;
}

void BecomeWorkers(const std::string& name, int nice) {
  pthread_setname_np(pthread_self(), name.c_str());
  // On Linux the priority belongs to the thread. If the system refuses, the thread keeps its priority.
  if (nice > 0) setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), nice);
}

double ProcessorTimeOfOtherThreads_s(const std::string& name) {
  const int own_nice = getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
  double ticks = 0;
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::ifstream file(thread.path() / "stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    // "TID (NAME) STATE" and numbers: the 11th and the 12th are the times in user's and system's code, the 16th is
    // the nice value.
    const std::size_t open = text.find('('), close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos) continue;  // it has ended
    if (text.compare(open + 1, close - open - 1, name) == 0) continue;
    std::istringstream fields(text.substr(close + 1));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    double user = 0, system = 0, children_user = 0, children_system = 0, priority = 0, nice = 0;
    fields >> user >> system >> children_user >> children_system >> priority >> nice;
    if (fields && nice <= own_nice) ticks += user + system;
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

ProcessorShare::ProcessorShare(std::string besides, double share, double of_idle)
    : besides_(std::move(besides)),
      processors_(ProcessorsToUse()),
      share_(share * processors_),
      of_idle_(of_idle) {}

bool ProcessorShare::MaySpend() {
  const Clock::time_point now = Clock::now();
  if (spent_s_ >= 0 && now - at_ < kBetweenLooks) return credit_s_ >= 0;
  const double spent_s = ProcessorTimeOfOtherThreads_s(besides_), all_s = ProcessTime_s(),
               idle_s = IdleTime_s();
  if (spent_s_ >= 0) {
    const double since_s = std::chrono::duration<double>(now - at_).count();
    // The machine's processors stand idle for more than this process where it has a quota.
    const double idle =
        std::clamp(processors_ * since_s - (all_s - all_s_), 0.0, std::max(0.0, idle_s - idle_s_));
    // The time of a thread that has ended is no longer in the sum, hence max.
    credit_s_ += share_ * since_s + of_idle_ * idle - std::max(0.0, spent_s - spent_s_);
    credit_s_ = std::clamp(credit_s_, -kLongestDebt_s * share_, share_);
  }
  spent_s_ = spent_s, all_s_ = all_s, idle_s_ = idle_s;
  at_ = now;
  return credit_s_ >= 0;
}

}  // namespace parallax::app
