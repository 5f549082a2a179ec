// The map that the filters work on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parallax::cpu {

// A map of floats with a margin of pixels without a value around it, in borrowed memory.
class FramedMap {
 public:
  static constexpr int kRowsAround = 2, kColumnsAround = 16;  // margin, px
  static std::size_t SizeBytes(int width, int height);
  // memory: SizeBytes(), aligned, with any content. Sets the margins.
  FramedMap(int width, int height, std::uint8_t* memory);

  int width() const { return width_; }
  int height() const { return height_; }
  // 64 bytes past the right margin may be read and written.
  float* Row(int y) const { return data_ + (y + kRowsAround) * stride_ + kColumnsAround; }
  std::ptrdiff_t stride() const { return stride_; }
  // Restores the margin on the right of row y, after whole vectors were written.
  void RestoreMargin(int y) const;

 private:
  static std::ptrdiff_t StrideOf(int width) { return (width + 2 * kColumnsAround + 16 + 15) / 16 * 16; }
  int width_, height_;
  std::ptrdiff_t stride_;
  float* data_;
};

}  // namespace parallax::cpu
