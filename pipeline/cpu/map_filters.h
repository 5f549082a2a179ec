#pragma once

#include <cstddef>
#include <vector>

#include "pipeline/aligned_buffer.h"
#include "pipeline/disparity_map.h"
#include "pipeline/parallel.h"

namespace parallax::cpu {

// A map of floats with a margin of pixels without a value around it.
class FramedMap {
 public:
  static constexpr int kMargin = 2;  // px, of rows and columns
  FramedMap(int width, int height);
  // 64 bytes past the right margin may be read and written.
  float* Row(int y) { return buffer_.data() + (y + kMargin) * stride_ + kLeft; }
  std::size_t size() const { return buffer_.size(); }

 private:
  static constexpr int kLeft = 16;
  std::ptrdiff_t stride_;
  AlignedBuffer<float> buffer_;
};

// Interpolates rejected pixels (docs/matching.md, "filter"). The nearest value in each direction is carried
// along it from row to row, for all pixels at once, instead of being looked for from every hole.
class HoleFiller {
 public:
  HoleFiller(int width, int height);
  void Fill(DisparityMap& map, ThreadPool& threads);
  std::size_t memory_bytes() const;

 private:
  bool Pass(DisparityMap& map, ThreadPool& threads);  // true: holes are left

  int width_, height_;
  FramedMap before_;                // the map as the pass began
  std::vector<FramedMap> nearest_;  // of the six directions that are not along the row
};

// Replaces every value by the median around it.
class MedianFilter {
 public:
  MedianFilter(int width, int height);
  void Apply(int side, DisparityMap& map, ThreadPool& threads);
  std::size_t memory_bytes() const { return before_.size() * sizeof(float); }

 private:
  int width_, height_;
  FramedMap before_;
};

}  // namespace parallax::cpu
