// Images and cost volumes in device memory, and copies to and from the host. Copies are ordered in the
// caller's stream and return before they are done.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <variant>

#include "cuda/device/check.h"
#include "cuda/device/device_buffer.h"
#include "parallax/image.h"
#include "pipeline/types/cost_volume.h"

namespace parallax::cuda {

// A camera's image in device memory, rows densely packed.
using DeviceCameraImage = std::variant<DeviceImageView<const std::uint8_t>,
                                       DeviceImageView<const std::uint16_t>, DeviceImageView<const Rgb8>>;

// Owned pixels in device memory, rows densely packed. Move-only, uninitialised.
template <typename T>
class DeviceImage {
 public:
  DeviceImage() = default;
  DeviceImage(int width, int height)
      : buffer_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)),
        width_(width),
        height_(height) {}

  DeviceImageView<T> View() { return {buffer_.data(), width_, height_}; }
  DeviceImageView<const T> ConstView() const { return {buffer_.data(), width_, height_}; }
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  DeviceBuffer<T> buffer_;
  int width_ = 0, height_ = 0;
};

// Owned volume in device memory, densely packed (pixel_stride = D). Move-only, uninitialised.
template <typename T>
class DeviceCostVolume {
 public:
  DeviceCostVolume() = default;
  DeviceCostVolume(int width, int height, int num_disparities)
      : buffer_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                static_cast<std::size_t>(num_disparities)),
        width_(width),
        height_(height),
        num_disparities_(num_disparities) {}

  DeviceCostVolumeView<T> View() {
    return {buffer_.data(),   width_,           height_,
            num_disparities_, num_disparities_, static_cast<std::ptrdiff_t>(width_) * num_disparities_};
  }
  const T* data() const { return buffer_.data(); }
  std::size_t size() const { return buffer_.size(); }

 private:
  DeviceBuffer<T> buffer_;
  int width_ = 0, height_ = 0, num_disparities_ = 0;
};

namespace internal {

inline void CopyRowsAsync(void* to, std::size_t to_stride, const void* from, std::size_t from_stride,
                          std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind,
                          cudaStream_t stream) {
  if (width_bytes == 0 || height == 0) return;
  if (to_stride == width_bytes && from_stride == width_bytes) {
    Check(cudaMemcpyAsync(to, from, width_bytes * height, kind, stream), "cudaMemcpyAsync");
  } else {
    Check(cudaMemcpy2DAsync(to, to_stride, from, from_stride, width_bytes, height, kind, stream),
          "cudaMemcpy2DAsync");
  }
}

template <typename T, Memory M, Memory N>
void CopyImageAsync(ImageView<const T, M> from, ImageView<T, N> to, cudaMemcpyKind kind,
                    cudaStream_t stream) {
  CopyRowsAsync(to.data, static_cast<std::size_t>(to.stride_bytes), from.data,
                static_cast<std::size_t>(from.stride_bytes), static_cast<std::size_t>(from.width) * sizeof(T),
                static_cast<std::size_t>(from.height), kind, stream);
}

}  // namespace internal

// Both views have the same size. The host pixels must stay until the stream has passed this point, and must
// be page-locked for the copy to overlap with work.
template <typename T>
void UploadAsync(HostImageView<const T> from, DeviceImageView<T> to, cudaStream_t stream) {
  internal::CopyImageAsync(from, to, cudaMemcpyHostToDevice, stream);
}
template <typename T>
void DownloadAsync(DeviceImageView<const T> from, HostImageView<T> to, cudaStream_t stream) {
  internal::CopyImageAsync(from, to, cudaMemcpyDeviceToHost, stream);
}

}  // namespace parallax::cuda
