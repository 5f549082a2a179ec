#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/disparity_map.h"
#include "pipeline/parallel.h"
#include "pipeline/parameters.h"

namespace parallax::cpu {

// A map of floats with a margin of pixels without a value around it, in borrowed memory.
class FramedMap {
 public:
  static constexpr int kMargin = 2;  // px, of rows and columns
  static std::size_t SizeBytes(int width, int height);
  // memory: SizeBytes(), aligned, with any content. Sets the margins.
  FramedMap(int width, int height, std::uint8_t* memory);

  // 64 bytes past the right margin may be read and written.
  float* Row(int y) const { return data_ + (y + kMargin) * stride_ + kLeft; }

 private:
  static constexpr int kLeft = 16;
  static std::ptrdiff_t StrideOf(int width) { return (kLeft + width + kMargin + 16 + 15) / 16 * 16; }
  std::ptrdiff_t stride_;
  float* data_;
};

// Interpolates rejected pixels if that is asked for, then replaces every value by the median around it, side
// 0, 3 or 5 (docs/matching.md, "filter"). The nearest value in each direction is carried along it from row to
// row, for all pixels at once, instead of being looked for from every hole. workspace: FillWorkspaceBytes(),
// aligned, with any content. filled: null, or gets the map between the two.
std::size_t FillWorkspaceBytes(int width, int height);
void FillAndSmooth(const FilterParameters& parameters, DisparityMap& map, std::uint8_t* workspace,
                   ThreadPool& threads, DisparityMap* filled);

}  // namespace parallax::cpu
