// The input of the matching cost: census codes, cut into planes of a few bits that are counted a vector of
// bytes at a time, and gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "parallax/image.h"
#include "pipeline/cpu/sgm/striping.h"
#include "pipeline/types/frame.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cpu {

// A gray image with a margin that repeats its border, so no window needs a test; T is 8 or 16 bits wide.
template <typename T>
class PaddedImage {
 public:
  static constexpr int kMarginX = 6, kMarginY = 4;  // radius of the largest census window
  PaddedImage() = default;
  PaddedImage(int width, int height);
  // Changes the size within the same memory, up to that of construction. The pixels are lost.
  void SetSize(int width, int height);

  int width() const { return width_; }
  int height() const { return height_; }
  std::ptrdiff_t stride() const { return stride_; }
  std::size_t bytes() const { return buffer_.size() * sizeof(T); }
  static std::size_t BytesOf(int width, int height) {
    return sizeof(T) * static_cast<std::size_t>(StrideOf(width)) *
           static_cast<std::size_t>(height + 2 * kMarginY);
  }
  // 64 pixels past the right margin may be read.
  T* Row(int y) { return buffer_.data() + (y + kMarginY) * stride_ + kLeft; }
  const T* Row(int y) const { return buffer_.data() + (y + kMarginY) * stride_ + kLeft; }
  // Fills the margins left and right of row y. If y is the first or the last row, fills those above or below it, too.
  void ExtendRow(int y);

 private:
  static constexpr int kLeft = 64;  // aligned
  static std::ptrdiff_t StrideOf(int width) { return (kLeft + width + kMarginX + 64 + 63) / 64 * 64; }
  int width_ = 0, height_ = 0;
  std::ptrdiff_t stride_ = 0;
  AlignedBuffer<T> buffer_;
};

// Copies rows y_begin .. y_end of an image (colour becomes gray) into gray8 or gray16, depending on its
// pixels.
void LoadGray(const CameraImageView& image, int y_begin, int y_end, PaddedImage<std::uint8_t>& gray8,
              PaddedImage<std::uint16_t>& gray16);
// Writes rows y_begin .. y_end of the 8-bit guide of a 16-bit image.
void GuideFromGray16(const PaddedImage<std::uint16_t>& gray, int y_begin, int y_end,
                     PaddedImage<std::uint8_t>& guide);

// Rows y_begin .. y_end of the binomial sums that the window of two scales compares (see docs/matching.md);
// of gray, one more row on either side must be there.
template <typename T>
void SmoothRows(const PaddedImage<T>& gray, int y_begin, int y_end, PaddedImage<std::uint16_t>& smoothed);

// The planes of a pixel: bits i * plane_bits ... of its code are plane i. With a gradient term, its gradient
// follows, and the lowest and the highest one from half a pixel before it to half a pixel after it.
struct PlaneKind {
  CensusWindow window = CensusWindow::k5x5;
  int plane_bits = 0;
  bool has_gradient = false;

  int num_code_planes() const;
  int num_planes() const { return num_code_planes() + (has_gradient ? 3 : 0); }
};

// The input of CensusPlanes. gray8: with a gradient term, or if gray16 is null; gray16: of 16-bit images;
// smoothed: for the window of two scales.
struct PlaneInput {
  const PaddedImage<std::uint8_t>* gray8 = nullptr;
  const PaddedImage<std::uint16_t>* gray16 = nullptr;
  const PaddedImage<std::uint16_t>* smoothed = nullptr;
};

// Planes of one image.
class CensusPlanes {
 public:
  CensusPlanes() = default;
  // Left image: a pixel's planes side by side. phases: of the right image, see PhasedRow; null for the left.
  CensusPlanes(int width, int height, const PlaneKind& kind, const PhasedRow* phases, int padded_disparities,
               int min_disparity);

  // Changes the size within the same memory, up to that of construction; the phases are set to the width
  // first. The codes are lost.
  void SetSize(int width, int height);

  // Transforms rows y_begin .. y_end; four more rows of the images on either side must be there.
  void Transform(const PlaneInput& input, int y_begin, int y_end);

  const PlaneKind& kind() const { return kind_; }
  // A pixel's planes before the first row and past the last one may be read.
  const std::uint8_t* data() const { return buffer_.data() + kMargin_bytes; }
  std::ptrdiff_t stride() const { return stride_; }
  // Number of bytes that the constructor needs for these.
  static std::size_t BytesOf(int width, int height, const PlaneKind& kind, const PhasedRow* phases) {
    return static_cast<std::size_t>(StrideOf(width, kind.num_planes(), phases) * height + 2 * kMargin_bytes);
  }
  std::uint64_t Code(int x, int y) const;

 private:
  static constexpr std::ptrdiff_t kMargin_bytes = 64;

  std::ptrdiff_t IndexOf(int x, int plane) const;
  static std::ptrdiff_t StrideOf(int width, int num_planes, const PhasedRow* phases) {
    return phases == nullptr ? (width * num_planes + 63) / 64 * 64 : phases->row_length();
  }

  int width_ = 0, height_ = 0;
  PlaneKind kind_;
  int num_planes_ = 0;
  const PhasedRow* phases_ = nullptr;
  int first_place_ = 0;  // of right pixel 0, see PhasedRow
  std::ptrdiff_t stride_ = 0;
  AlignedBuffer<std::uint8_t> buffer_;
};

}  // namespace parallax::cpu
