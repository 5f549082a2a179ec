// Interpolated values for pixels without one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "parallax/disparity_map.h"
#include "pipeline/cpu/filters/framed_map.h"
#include "pipeline/threads/parallel.h"

namespace parallax::cpu {

// Fills a map from the nearest values in eight directions (docs/matching.md, "filter"). The nearest value in
// each direction is carried along it from row to row, for all pixels together, instead of being searched from
// every hole. Separate threads process blocks of rows: each gathers what it passes on to those below and
// above, this is passed on through all blocks, and with the values from there a block fills its holes.
class HoleFilling {
 public:
  static constexpr int kRowsPerBlock = 16;
  static std::size_t WorkspaceBytes(int width, int height, int num_threads);
  // workspace: WorkspaceBytes(), aligned, with any content.
  HoleFilling(const FramedMap& map, std::uint8_t* workspace, int num_threads);

  // Called once the rows of a block are there. Blocks may come in any order, on any threads.
  void Gather(int block) const;
  // Called once all blocks were gathered. The map's margins stay unchanged.
  void Fill(HostImage<std::uint8_t>& validity, ThreadPool& threads) const;

 private:
  // Steps to the row above and to the row below: left of the pixel, at it, and right of it.
  static constexpr int kSteps = 3;
  enum Way { kFromAbove, kFromBelow };
  using Rows = std::array<float*, kSteps>;  // nearest values along each step, of one row

  static std::ptrdiff_t StrideOf(int width);
  static int NumBlocks(int height) { return (height + kRowsPerBlock - 1) / kRowsPerBlock; }
  int num_blocks() const { return NumBlocks(map_.height()); }
  int Top(int block) const { return block * kRowsPerBlock; }
  int Bottom(int block) const { return std::min(map_.height(), Top(block) + kRowsPerBlock); }
  float* RowAt(std::ptrdiff_t index) const;
  Rows RowsAt(std::ptrdiff_t index) const;
  Rows NoValues() const;
  Rows Handed(int block, Way way) const;  // from a block to the one below or above
  void CarryOn(int y, const Rows& nearest, const Rows& nearest_beyond) const;
  void HandOn() const;
  bool FillBlock(int block, int worker, HostImage<std::uint8_t>& validity) const;
  bool FillBlocks(HostImage<std::uint8_t>& validity, ThreadPool& threads) const;

  FramedMap map_;
  std::ptrdiff_t stride_;
  float* rows_;
};

}  // namespace parallax::cpu
