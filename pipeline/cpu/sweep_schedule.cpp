#include "pipeline/cpu/sweep_schedule.h"

#include <hwy/cache_control.h>

#include <thread>

namespace parallax::cpu {

SweepTiles ChooseTiles(std::ptrdiff_t slot_bytes, int num_threads) {
  constexpr int kSmall_columns = 16, kFewThreads = 4;
  SweepTiles tiles;
  if (num_threads > kFewThreads) {
    tiles.band_rows = 8;
    tiles.tile_columns = kSmall_columns;
  } else {
    tiles.tile_columns = std::clamp(static_cast<int>(8192 / slot_bytes) / 8 * 8, kSmall_columns, 64);
  }
  return tiles;
}

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
