#include "pipeline/threads/cores_of_loop.h"

#ifdef __linux__
#include <sched.h>
#endif

namespace parallax {
namespace {

// More threads than these find enough cores that are idle, so that the system's way was not the slower one.
constexpr int kFewThreads = 4;
constexpr int kMostCores = 64;  // that have a bit

std::uint64_t NextNumber() {
  static std::atomic<std::uint64_t> next = 0;
  return ++next;
}

// 0 for a core that has none.
std::uint64_t BitOf(int core) {
  return core >= 0 && core < kMostCores ? std::uint64_t{1} << core : std::uint64_t{0};
}

// What a thread knows about the loop that it takes part in.
struct Place {
  CoresOfLoop* cores = nullptr;
  std::uint64_t loop = 0;
  int core = 0;
};
thread_local Place place;

}  // namespace

CoresOfLoop::CoresOfLoop(int num_threads)
    : looks_(num_threads > 1 && num_threads <= kFewThreads), number_(looks_ ? NextNumber() : 0) {
  Take();
}

CoresOfLoop::~CoresOfLoop() {
  if (place.cores == this) place.cores = nullptr;
}

bool CoresOfLoop::Reacquire() { return place.cores != nullptr && place.cores->Take(); }

#ifdef __linux__

bool CoresOfLoop::Take() {
  if (!looks_) return false;
  const int core = sched_getcpu();
  if (place.loop == number_) {
    if (place.core == core) return false;
    taken_ &= ~BitOf(place.core);
  }
  place = {this, number_, core};
  const std::uint64_t before = taken_.fetch_or(BitOf(core));
  if ((before & BitOf(core)) == 0 || !Leave(before)) return false;
  place.core = sched_getcpu();
  taken_ |= BitOf(place.core);
  return true;
}

bool CoresOfLoop::Leave(std::uint64_t taken) {
  cpu_set_t allowed, free;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return false;
  CPU_ZERO(&free);
  for (int core = 0; core < kMostCores; ++core) {
    if (CPU_ISSET(core, &allowed) && (taken & BitOf(core)) == 0) CPU_SET(core, &free);
  }
  if (CPU_COUNT(&free) == 0) return false;
  // The system moves a thread at once that may not stay; then it may be anywhere again.
  const bool went = sched_setaffinity(0, sizeof(free), &free) == 0;
  return sched_setaffinity(0, sizeof(allowed), &allowed) == 0 && went;
}

#else

bool CoresOfLoop::Take() { return false; }
bool CoresOfLoop::Leave(std::uint64_t) { return false; }

#endif

}  // namespace parallax
