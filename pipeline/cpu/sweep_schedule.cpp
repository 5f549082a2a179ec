#include "pipeline/cpu/sweep_schedule.h"

#include <hwy/cache_control.h>

#include <thread>

namespace parallax::cpu {

void BandProgress::WaitFor(int wanted) const {
  for (int spins = 0; tiles.load(std::memory_order_acquire) < wanted; ++spins) {
    if (spins < 1000) {
      hwy::Pause();
    } else {
      std::this_thread::yield();  // more threads than cores: let the others work
    }
  }
}

}  // namespace parallax::cpu
