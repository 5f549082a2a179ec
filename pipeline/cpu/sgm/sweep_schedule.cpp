#include "pipeline/cpu/sgm/sweep_schedule.h"

#include <hwy/cache_control.h>

#include "pipeline/threads/cores_of_loop.h"

namespace parallax::cpu {

SweepTiles ChooseTiles(int path_bytes, int num_threads) {
  constexpr int kSmall_columns = 16, kFewThreads = 4;
  SweepTiles tiles;
  if (num_threads > kFewThreads) {
    tiles.band_rows = 8;
    tiles.tile_columns = kSmall_columns;
  } else {
    tiles.tile_columns = std::clamp(8192 / path_bytes / 8 * 8, kSmall_columns, kMostTileColumns);
  }
  return tiles;
}

void BandProgress::WaitLonger(int tiles) {
  // About 20 us, half of what it takes to wake a thread.
  constexpr int kSpins = 1000;
  for (int i = 0; i < kSpins; ++i) {
    hwy::Pause();
    if (tiles_.load(std::memory_order_acquire) >= tiles) return;
  }
  // This order is the reverse of that in Reach(): either Reach() sees the wish, or this sees what Reach()
  // reached.
  wanted_.store(tiles);
  for (int reached = tiles_.load(); reached < tiles; reached = tiles_.load()) tiles_.wait(reached);
  wanted_.store(std::numeric_limits<int>::max());
  CoresOfLoop::Reacquire();
}

}  // namespace parallax::cpu
