// What AD-Census takes from the two images of a frame, as its kernels want it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/aligned_buffer.h"
#include "pipeline/cpu/ad_census/kernels.h"
#include "pipeline/cpu/sgm/census_transform.h"
#include "pipeline/frame.h"
#include "pipeline/parallel.h"
#include "pipeline/parameters.h"

namespace parallax::cpu::ad_census {

// An image whose rows have readable margins on either side.
template <typename T>
class Plane {
 public:
  static constexpr int kMargin = 128;  // an arm and a vector
  static_assert(kMargin >= kRightMargin && kMargin >= kColorMargin);

  Plane() = default;
  Plane(int width, int height)
      : width_(width),
        height_(height),
        stride_(StrideOf(width)),
        buffer_(BytesOf(width, height) / sizeof(T)) {}

  int width() const { return width_; }
  int height() const { return height_; }
  std::ptrdiff_t stride() const { return stride_; }
  static std::size_t BytesOf(int width, int height) {
    return sizeof(T) * static_cast<std::size_t>(StrideOf(width)) * static_cast<std::size_t>(height);
  }
  T* Row(int y) { return buffer_.data() + y * stride_ + kMargin; }
  const T* Row(int y) const { return buffer_.data() + y * stride_ + kMargin; }
  void FillRow(int y, T value) { std::fill_n(buffer_.data() + y * stride_, stride_, value); }

 private:
  static std::ptrdiff_t StrideOf(int width) { return (width + 2 * kMargin + 63) / 64 * 64; }

  int width_ = 0, height_ = 0;
  std::ptrdiff_t stride_ = 0;
  AlignedBuffer<T> buffer_;
};

// Arms of the crosses of one image.
struct ArmPlanes {
  ArmPlanes() = default;
  ArmPlanes(int width, int height)
      : left(width, height), right(width, height), up(width, height), down(width, height) {}
  Plane<std::uint8_t> left, right, up, down;
};

// One image. The steps say 1 where a colour differs from the one before it (to the left, above) by the
// threshold or more; one column and one row more than the image, which hold 0 as the margins do.
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

// Mirrors what partners are taken from; margins get what counts outside.
void MirrorView(const View& view, int width, int height, View& mirrored, ThreadPool& threads);

// Columns become rows.
void Transpose(const Plane<std::uint8_t>& plane, int width, int height, Plane<std::uint8_t>& transposed,
               ThreadPool& threads);

}  // namespace parallax::cpu::ad_census
