// Sweeps shared by threads: the order of the pixels, and the dependencies between threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "pipeline/cpu/sgm/sweep.h"
#include "pipeline/threads/parallel.h"

namespace parallax::cpu {

// A sweep is cut into bands of rows, one for each thread, and a band into tiles of columns. Row i of a band
// is shifted left by i pixels in its tile, so every path enters a tile from the tile before or from the band
// above. A tile's path costs stay in the first-level cache for all rows of the band, and a band may follow
// the one above at the distance of a tile or two. The assignment to threads changes no result, because every
// path cost follows from the previous one.
struct SweepTiles {
  int band_rows = 16;
  int tile_columns = 32;

  int NumTiles(int width, int rows) const { return (width + rows - 1 + tile_columns - 1) / tile_columns; }
  int NumBands(int rows) const { return (rows + band_rows - 1) / band_rows; }
  // Tiles of the band above that must be done before a tile: its last row, as far as the antidiagonal path's
  // pixel right of the tile.
  int TilesNeeded(int tile, int tiles_above) const {
    return std::min(tiles_above, tile + 2 + (band_rows - 1) / tile_columns);
  }
};

// Tiles whose path costs and sums stay in the first-level cache; smaller ones for many threads, so that as
// many bands can be in progress. path_bytes: of a pixel's path costs of one path.
SweepTiles ChooseTiles(int path_bytes, int num_threads);

// Counts the finished tiles of a band, for the thread on the band below; on a separate cache line.
class alignas(64) BandProgress {
 public:
  // Sets the number of finished tiles to 0, before threads use it.
  void Reset() { tiles_ = 0, wanted_ = std::numeric_limits<int>::max(); }
  // Sets the number of finished tiles. One thread only.
  void Reach(int tiles) {
    tiles_.store(tiles);
    if (tiles >= wanted_.load()) tiles_.notify_one();
  }
  // Returns once that many are finished. One thread only. It spins for a moment, then sleeps: if other work
  // has the cores, the awaited thread needs them.
  void WaitFor(int tiles) {
    if (tiles_.load(std::memory_order_acquire) < tiles) WaitLonger(tiles);
  }

 private:
  void WaitLonger(int tiles);

  std::atomic<int> tiles_{0};
  std::atomic<int> wanted_{std::numeric_limits<int>::max()};  // by the sleeping thread
};

// The sink of the first sweep, which gets nothing: its sums are in the volume.
struct NoSink {
  std::uint16_t* sums(int) { return nullptr; }
  void BeginBand(int, int) {}
  void Take(const SweepPart&) {}
  void EndBand() {}
};

// Sweeps the rows v_begin .. v_end in the sweep's coordinates; earlier rows must be done. sinks: one for each
// thread. For each band, a sink gets BeginBand(v_begin, v_end), then Take(part) after each part of a row,
// whose costs are at part.sums, and EndBand(). progress: one for each band, or more.
template <class Sink>
void RunSweep(const SweepView& view, int v_begin, int v_end, SweepFunction sweep, const SweepTiles& tiles,
              ThreadPool& threads, std::vector<BandProgress>& progress, std::vector<Sink>& sinks) {
  const int num_bands = tiles.NumBands(v_end - v_begin);
  for (BandProgress& band : progress) band.Reset();
  std::atomic<int> next_band{0};
  const int columns = tiles.tile_columns;
  // A band that begins a few tiles later need not wait at every short delay of the one above.
  const int head_start = std::min(8, tiles.NumTiles(view.width, 1) / (2 * threads.num_threads()));
  threads.ParallelFor(std::min<int>(threads.num_threads(), num_bands), [&](int worker) {
    Sink& sink = sinks[static_cast<std::size_t>(worker)];
    for (int band = next_band++; band < num_bands; band = next_band++) {
      const int top = v_begin + band * tiles.band_rows, bottom = std::min(v_end, top + tiles.band_rows);
      const int num_tiles = tiles.NumTiles(view.width, bottom - top);
      const int tiles_above = tiles.NumTiles(view.width, tiles.band_rows);
      sink.BeginBand(top, bottom);
      for (int tile = 0; tile < num_tiles; ++tile) {
        if (band > 0) {
          const int first_tiles = tile == 0 ? head_start : 0;
          progress[static_cast<std::size_t>(band - 1)].WaitFor(
              tiles.TilesNeeded(tile + first_tiles, tiles_above));
        }
        const auto part_of = [&](int v, std::uint16_t* sums) {
          const int shift = v - top;
          // Two rows below, or of the first two in the next tile.
          const int rows_ahead = shift / 2 * 2 + 2 < bottom - top ? 2 : -(shift / 2 * 2);
          const int columns_ahead = rows_ahead > 0 ? 0 : columns - rows_ahead;
          const std::ptrdiff_t ahead_bytes =
              rows_ahead * view.volume_row_bytes + columns_ahead * view.volume_pixel_bytes;
          return SweepPart{v, std::max(0, tile * columns - shift),
                           v < bottom ? std::min(view.width, (tile + 1) * columns - shift) : 0, sums,
                           ahead_bytes};
        };
        for (int v = top; v < bottom; v += 2) {
          const SweepPart parts[] = {part_of(v, sink.sums(0)), part_of(v + 1, sink.sums(1))};
          sweep(view, parts);
          for (const SweepPart& part : parts) {
            if (part.u_begin < part.u_end) sink.Take(part);
          }
        }
        progress[static_cast<std::size_t>(band)].Reach(tile + 1);
      }
      sink.EndBand();
    }
  });
}

}  // namespace parallax::cpu
