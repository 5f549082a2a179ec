// Cost volumes: one value per pixel and disparity, laid out [y][x][d] with d contiguous.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "parallax/image.h"

namespace parallax {

// Borrowed volume. Cell (x, y, d) is the cost of disparity min_disparity + d at left pixel (x, y).
template <typename T, Memory M>
struct CostVolumeView {
  T* data = nullptr;
  int width = 0;                    // px
  int height = 0;                   // px
  int num_disparities = 0;          // D
  std::ptrdiff_t pixel_stride = 0;  // elements from one pixel to the next, >= D
  std::ptrdiff_t row_stride = 0;    // elements from one row to the next

  PARALLAX_HOST_DEVICE T* Cell(int x, int y) const { return data + y * row_stride + x * pixel_stride; }
  PARALLAX_HOST_DEVICE T& operator()(int x, int y, int d) const { return Cell(x, y)[d]; }
};

template <typename T>
using HostCostVolumeView = CostVolumeView<T, Memory::kHost>;
template <typename T>
using DeviceCostVolumeView = CostVolumeView<T, Memory::kDevice>;

template <typename T, Memory M>
PARALLAX_HOST_DEVICE CostVolumeView<const T, M> AsConst(CostVolumeView<T, M> v) {
  return {v.data, v.width, v.height, v.num_disparities, v.pixel_stride, v.row_stride};
}

// Owned volume in host memory, densely packed (pixel_stride = D). Move-only, uninitialised; Clone() copies.
template <typename T>
class HostCostVolume {
 public:
  HostCostVolume() = default;
  HostCostVolume(int width, int height, int num_disparities)
      : buffer_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                static_cast<std::size_t>(num_disparities)),
        width_(width),
        height_(height),
        num_disparities_(num_disparities) {}

  HostCostVolume Clone() const {
    HostCostVolume copy(width_, height_, num_disparities_);
    std::copy_n(buffer_.data(), buffer_.size(), copy.buffer_.data());
    return copy;
  }

  HostCostVolumeView<T> View() { return Describe(buffer_.data()); }
  HostCostVolumeView<const T> View() const { return Describe(buffer_.data()); }
  HostCostVolumeView<const T> ConstView() const { return Describe(buffer_.data()); }
  bool Empty() const { return buffer_.size() == 0; }

 private:
  template <typename U>
  HostCostVolumeView<U> Describe(U* data) const {
    return {data,
            width_,
            height_,
            num_disparities_,
            num_disparities_,
            static_cast<std::ptrdiff_t>(width_) * num_disparities_};
  }
  AlignedBuffer<T> buffer_;
  int width_ = 0, height_ = 0, num_disparities_ = 0;
};

}  // namespace parallax
