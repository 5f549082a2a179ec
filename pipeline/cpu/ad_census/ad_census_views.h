// What AD-Census derives from the two images of a frame, in the layout of its kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "pipeline/cpu/ad_census/kernels.h"
#include "pipeline/cpu/sgm/census_transform.h"
#include "pipeline/simd/large_buffer.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/frame.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cpu::ad_census {

// An image whose rows have readable margins on either side.
template <typename T>
class Plane {
 public:
  static constexpr int kMargin = 128;  // an arm and a vector
  static_assert(kMargin >= kRightMargin && kMargin >= kColorMargin);

  Plane() = default;
  Plane(int width, int height) : Plane(width, height, nullptr) {
    memory_ = LargeBuffer(BytesOf(width, height));
    data_ = reinterpret_cast<T*>(memory_.data());
  }
  // memory: BytesOf(width, height) bytes, borrowed.
  Plane(int width, int height, std::uint8_t* memory)
      : width_(width), height_(height), stride_(StrideOf(width)), data_(reinterpret_cast<T*>(memory)) {}
  static std::size_t BytesOf(int width, int height) {
    return static_cast<std::size_t>(StrideOf(width)) * static_cast<std::size_t>(height) * sizeof(T);
  }

  int width() const { return width_; }
  int height() const { return height_; }
  std::ptrdiff_t stride() const { return stride_; }
  T* Row(int y) { return data_ + y * stride_ + kMargin; }
  const T* Row(int y) const { return data_ + y * stride_ + kMargin; }
  void FillRow(int y, T value) { std::fill_n(data_ + y * stride_, stride_, value); }

 private:
  // An odd number of cache lines, so the pixels of a column are in different sets of a cache.
  static std::ptrdiff_t StrideOf(int width) { return ((width + 2 * kMargin + 63) / 64 | 1) * 64; }

  int width_ = 0, height_ = 0;
  std::ptrdiff_t stride_ = 0;
  LargeBuffer memory_;
  T* data_ = nullptr;
};

// Arms of the crosses of one image.
struct ArmPlanes {
  ArmPlanes() = default;
  ArmPlanes(int width, int height)
      : memory(BytesOf(width, height)),
        left(width, height, memory.data()),
        right(width, height, memory.data() + memory.size() / 4),
        up(width, height, memory.data() + memory.size() / 2),
        down(width, height, memory.data() + 3 * (memory.size() / 4)) {}
  static std::size_t BytesOf(int width, int height) {
    return 4 * Plane<std::uint8_t>::BytesOf(width, height);
  }

  LargeBuffer memory;  // together, as large pages require
  Plane<std::uint8_t> left, right, up, down;
};

// One image. A step is 1 if a colour differs from the one before it (to the left, above) by the threshold or
// more; one column and one row more than the image, which hold 0 like the margins.
struct View {
  View() = default;
  View(int width, int height);
  static std::size_t BytesOf(int width, int height);

  int num_channels = 1;
  Plane<std::uint8_t> channel[3];
  Plane<std::uint64_t> census;
  ArmPlanes arms;
  Plane<std::uint8_t> steps_x, steps_y;
};

// Makes views of images up to a size.
class ViewMaker {
 public:
  ViewMaker(int width, int height, const Parameters& parameters);
  static std::size_t BytesOf(int width, int height, const Parameters& parameters);
  void Make(const CameraImageView& image, View& view, ThreadPool& threads);

 private:
  static PlaneKind KindOf(const Parameters& parameters);
  void MakeCensus(const CameraImageView& image, View& view, ThreadPool& threads);
  void MakeArms(View& view, int width, int height, ThreadPool& threads) const;
  void MakeSteps(View& view, int width, int height, ThreadPool& threads) const;

  Parameters parameters_;
  int largest_width_, largest_height_;
  PaddedImage<std::uint8_t> gray_;
  PaddedImage<std::uint16_t> deep_;      // made by the first frame of that depth
  PaddedImage<std::uint16_t> smoothed_;  // for the window of two scales
  CensusPlanes planes_;
};

// Mirrors a view from left to right, except its arms, for the image in which partners are looked up. Margins
// get the values that count outside the image.
void MirrorView(const View& view, int width, int height, View& mirrored, ThreadPool& threads);

// Transposes a plane: columns become rows.
void Transpose(const Plane<std::uint8_t>& plane, int width, int height, Plane<std::uint8_t>& transposed,
               ThreadPool& threads);

}  // namespace parallax::cpu::ad_census
