// How many threads a sweep can keep busy, counted in pixels.
#include "pipeline/cpu/sgm/sweep_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <queue>
#include <string>
#include <thread>
#include <vector>

namespace parallax::cpu {
namespace {

// Pixels of a tile, of which row i is shifted left by i.
int PixelsOf(const SweepTiles& tiles, int tile, int width, int rows) {
  int pixels = 0;
  for (int i = 0; i < rows; ++i) {
    const int begin = std::max(0, tile * tiles.tile_columns - i);
    const int end = std::min(width, (tile + 1) * tiles.tile_columns - i);
    pixels += std::max(0, end - begin);
  }
  return pixels;
}

// All pixels over those that pass until the last band is done, when a pixel takes every thread the same time
// and waiting costs nothing more: what RunSweep cannot surpass.
double SpeedUp(int width, int height, int num_threads) {
  const SweepTiles tiles = ChooseTiles(128, num_threads);  // D 128
  std::priority_queue<long, std::vector<long>, std::greater<>> free_at;
  for (int i = 0; i < num_threads; ++i) free_at.push(0);
  std::vector<long> above;  // when the tiles of the band above are done
  const int tiles_above = tiles.NumTiles(width, tiles.band_rows);
  long last = 0;
  for (int band = 0; band < tiles.NumBands(height); ++band) {
    const int rows = std::min(tiles.band_rows, height - band * tiles.band_rows);
    long now = free_at.top();
    free_at.pop();
    std::vector<long> done;
    for (int tile = 0; tile < tiles.NumTiles(width, rows); ++tile) {
      if (band > 0)
        now = std::max(now, above[static_cast<std::size_t>(tiles.TilesNeeded(tile, tiles_above) - 1)]);
      now += PixelsOf(tiles, tile, width, rows);
      done.push_back(now);
    }
    above = done;
    free_at.push(now);
    last = std::max(last, now);
  }
  return static_cast<double>(width) * height / static_cast<double>(last);
}

TEST(SweepSchedule, BandsKeepManyThreadsBusy) {
  EXPECT_DOUBLE_EQ(SpeedUp(1242, 375, 1), 1.0);
  EXPECT_GT(SpeedUp(1242, 375, 2), 1.9);
  EXPECT_GT(SpeedUp(1242, 375, 4), 3.7);
  EXPECT_GT(SpeedUp(1242, 375, 8), 7.5);
  EXPECT_GT(SpeedUp(1242, 375, 16), 13.5);
  EXPECT_GT(SpeedUp(1920, 1080, 16), 14.5);
}

// No tile begins before what its paths come from is done: the pixel right of its last one, in the row above.
TEST(SweepSchedule, ATileWaitsForAllThatItsPathsComeFrom) {
  for (const int num_threads : {1, 16}) {
    const SweepTiles tiles = ChooseTiles(128, num_threads);
    for (const int width : {1, 15, 16, 17, 333}) {
      const int tiles_above = tiles.NumTiles(width, tiles.band_rows);
      for (int tile = 0; tile < tiles_above; ++tile) {
        // First row of the band; the antidiagonal path comes from its last pixel's upper right neighbour.
        const int last = std::min(width, (tile + 1) * tiles.tile_columns) - 1;
        const int from = std::min(width - 1, last + 1);
        // Of the band above's last row, shifted by band_rows - 1, these many pixels are done.
        const int done = tiles.TilesNeeded(tile, tiles_above) * tiles.tile_columns - (tiles.band_rows - 1);
        EXPECT_GT(done, from) << "width " << width << ", tile " << tile;
      }
    }
  }
}

// Often enough for either to be the one ahead.
TEST(BandProgress, WhoWaitsGoesOnOnceEnoughTilesAreDone) {
  for (int round = 0; round < 200; ++round) {
    BandProgress progress;
    std::atomic<int> reached{0};
    std::thread follower([&] {
      for (const int wanted : {1, 3, 4, 9}) {
        progress.WaitFor(wanted);
        EXPECT_GE(reached.load(), wanted);
      }
    });
    for (int tiles = 1; tiles <= 9; ++tiles) {
      reached = tiles;
      progress.Reach(tiles);
      if (round % 2 == 0) std::this_thread::yield();
    }
    follower.join();
  }
}

}  // namespace
}  // namespace parallax::cpu
