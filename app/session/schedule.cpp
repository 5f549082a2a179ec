#include "app/session/schedule.h"

#include <fmt/format.h>
#include <sched.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <opencv2/core/utility.hpp>
#include <string_view>
#include <system_error>

#include "parallax/error.h"

namespace parallax::app {
namespace {

cpu_set_t AllowedCores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  return allowed;
}

std::string TextOf(const cpu_set_t& cores) {
  std::string text;
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &cores)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &cores)) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (last > first) text += fmt::format("-{}", last);
    first = last;
  }
  return text;
}

cpu_set_t ParseCores(const std::string& list) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  const char* at = list.data();
  const char* const end = at + list.size();
  const auto number = [&] {
    int value = -1;
    const auto [next, error] = std::from_chars(at, end, value);
    at = next;
    if (error != std::errc() || value < 0 || value >= CPU_SETSIZE)
      throw InvalidArgument("cores '" + list + "' are not a list such as 2,4-7");
    return value;
  };
  while (true) {
    const int first = number();
    int last = first;
    if (at != end && *at == '-') {
      ++at;
      last = number();
    }
    for (int core = first; core <= last; ++core) CPU_SET(core, &cores);
    if (at == end && first <= last) return cores;
    if (at == end || *at++ != ',' || first > last)
      throw InvalidArgument("cores '" + list + "' are not a list such as 2,4-7");
  }
}

}  // namespace

void Schedule(const std::string& cores, int priority) {
  if (!cores.empty()) {
    const cpu_set_t wanted = ParseCores(cores), allowed = AllowedCores();
    cpu_set_t both;
    CPU_AND(&both, &wanted, &allowed);
    if (!CPU_EQUAL(&both, &wanted) || sched_setaffinity(0, sizeof wanted, &wanted) != 0) {
      throw InvalidArgument(
          fmt::format("cores '{}': this program may use only {}; choose from these", cores, TextOf(allowed)));
    }
  }
  if (priority == 0) return;
  const sched_param parameters{.sched_priority = priority};
  if (sched_setscheduler(0, SCHED_FIFO, &parameters) != 0) {
    throw Error(
        fmt::format("the system refuses the real-time priority {} ({}): allow it with `ulimit -r {}` "
                    "(rtprio in /etc/security/limits.conf, LimitRTPRIO= of a service), or give the "
                    "program CAP_SYS_NICE",
                    priority, std::strerror(errno), priority));
  }
}

void RunOpenCvInCallersThread() { cv::setNumThreads(1); }

void DropRealTimePriority() {
  const sched_param none{};
  if (sched_getscheduler(0) != SCHED_OTHER) sched_setscheduler(0, SCHED_OTHER, &none);
}

}  // namespace parallax::app
