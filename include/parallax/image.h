// Images: a view borrows (pointer, size, bytes from row to row), an image owns. The kind of memory is part of
// the type: a view of host memory does not compile where one of a GPU's memory is required.
//
//   parallax::HostImageView<const std::uint8_t> gray(pointer, width, height, stride_bytes);   // borrows
//   parallax::HostImage<float> depth(width, height);                                          // owns
//
// Pixel (x, y) has its centre at (x, y); x grows to the right, y downwards; rows are contiguous.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "parallax/error.h"

#ifdef __CUDACC__
#define PARALLAX_HOST_DEVICE __host__ __device__
#else
#define PARALLAX_HOST_DEVICE
#endif

namespace parallax {

enum class Memory { kHost, kDevice };

// Borrowed pixels. Trivially copyable, so it can be a kernel argument.
template <typename T, Memory M>
struct ImageView {
  T* data = nullptr;
  int width = 0;   // px
  int height = 0;  // px
  // Bytes from one row to the next: a multiple of T's alignment, but not always of its size (cv::Mat and
  // GStreamer pad rows of RGB to 4 bytes); negative for images stored bottom-up.
  std::ptrdiff_t stride_bytes = 0;

  ImageView() = default;
  // Rows without gaps.
  PARALLAX_HOST_DEVICE ImageView(T* first_pixel, int width_px, int height_px)
      : ImageView(first_pixel, width_px, height_px, width_px * static_cast<std::ptrdiff_t>(sizeof(T))) {}
  PARALLAX_HOST_DEVICE ImageView(T* first_pixel, int width_px, int height_px, std::ptrdiff_t row_to_row_bytes)
      : data(first_pixel), width(width_px), height(height_px), stride_bytes(row_to_row_bytes) {}

  PARALLAX_HOST_DEVICE T* Row(int y) const {
    using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    return reinterpret_cast<T*>(reinterpret_cast<Byte*>(data) + y * stride_bytes);
  }
  PARALLAX_HOST_DEVICE T& operator()(int x, int y) const { return Row(y)[x]; }
  PARALLAX_HOST_DEVICE bool Contains(int x, int y) const {
    return x >= 0 && x < width && y >= 0 && y < height;
  }
  PARALLAX_HOST_DEVICE bool Empty() const { return width == 0 || height == 0; }
};

template <typename T>
using HostImageView = ImageView<T, Memory::kHost>;
template <typename T>
using DeviceImageView = ImageView<T, Memory::kDevice>;

// A read-only view of the same pixels.
template <typename T, Memory M>
PARALLAX_HOST_DEVICE ImageView<const T, M> AsConst(ImageView<T, M> view) {
  return {view.data, view.width, view.height, view.stride_bytes};
}

template <typename T, Memory M, typename U, Memory N>
bool SameSize(const ImageView<T, M>& a, const ImageView<U, N>& b) {
  return a.width == b.width && a.height == b.height;
}

struct Rgb8 {
  std::uint8_t r = 0, g = 0, b = 0;
  friend bool operator==(const Rgb8&, const Rgb8&) = default;
};

inline constexpr std::size_t kAlignment_bytes = 64;

class HostMemory;
// Allocates `bytes` bytes (> 0), aligned to kAlignment_bytes. Sets `memory` to where they came from, for
// GiveBackAligned; null = the heap. Throws std::bad_alloc.
void* TakeAligned(std::size_t bytes, std::shared_ptr<HostMemory>& memory);
void GiveBackAligned(void* data, std::size_t bytes, std::shared_ptr<HostMemory>& memory) noexcept;

// Host memory for `size` elements, aligned to a cache line, uninitialised. Move-only.
template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size)
      : data_(size == 0 ? nullptr : static_cast<T*>(TakeAligned(size * sizeof(T), memory_))), size_(size) {}
  ~AlignedBuffer() { Free(); }
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : memory_(std::move(other.memory_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    if (this != &other) {
      Free();
      memory_ = std::move(other.memory_);
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void Free() {
    if (data_ != nullptr) GiveBackAligned(data_, size_ * sizeof(T), memory_);
  }
  std::shared_ptr<HostMemory> memory_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// Owned pixels in host memory, rows aligned to 64 bytes. Move-only; Clone() copies.
// The pixels of HostImage(width, height) are uninitialised.
template <typename T>
class HostImage {
 public:
  HostImage() = default;
  HostImage(int width, int height)
      : buffer_(PaddedWidth(width) * CheckedSize(height)),
        view_{buffer_.data(), width, height, static_cast<std::ptrdiff_t>(PaddedWidth(width) * sizeof(T))} {}
  HostImage(int width, int height, T value) : HostImage(width, height) { Fill(value); }
  HostImage(HostImage&& other) noexcept
      : buffer_(std::move(other.buffer_)), view_(std::exchange(other.view_, {})) {}
  HostImage& operator=(HostImage&& other) noexcept {
    buffer_ = std::move(other.buffer_);
    view_ = std::exchange(other.view_, {});
    return *this;
  }

  HostImage Clone() const {
    HostImage copy(view_.width, view_.height);
    for (int y = 0; y < view_.height; ++y) std::copy_n(view_.Row(y), view_.width, copy.view_.Row(y));
    return copy;
  }
  void Fill(T value) {
    for (int y = 0; y < view_.height; ++y) std::fill_n(view_.Row(y), view_.width, value);
  }

  HostImageView<T> View() { return view_; }
  HostImageView<const T> View() const { return AsConst(view_); }
  HostImageView<const T> ConstView() const { return AsConst(view_); }
  operator HostImageView<const T>() const { return AsConst(view_); }
  int width() const { return view_.width; }
  int height() const { return view_.height; }
  bool Empty() const { return view_.Empty(); }
  T* Row(int y) { return view_.Row(y); }
  const T* Row(int y) const { return view_.Row(y); }
  T& operator()(int x, int y) { return view_(x, y); }
  const T& operator()(int x, int y) const { return view_(x, y); }

 private:
  static std::size_t CheckedSize(int size) {
    if (size < 0) throw InvalidArgument("image size " + std::to_string(size) + " is negative");
    return static_cast<std::size_t>(size);
  }
  static std::size_t PaddedWidth(int width) {
    // Least common multiple divided by sizeof(T); nvcc does not accept std::lcm as a constant.
    constexpr std::size_t kStep = kAlignment_bytes / std::gcd(sizeof(T), kAlignment_bytes);
    return (CheckedSize(width) + kStep - 1) / kStep * kStep;
  }
  AlignedBuffer<T> buffer_;
  HostImageView<T> view_;
};

// An image of a camera: 8-bit gray, 16-bit gray or 8-bit colour (RGB).
using CameraImage = std::variant<HostImage<std::uint8_t>, HostImage<std::uint16_t>, HostImage<Rgb8>>;
// The same, borrowed and read-only. A HostImage or a HostImageView of one of these pixel types converts to
// it. The matcher needs no padding and no alignment; the distance between rows is arbitrary and may be
// negative.
using CameraImageView = std::variant<HostImageView<const std::uint8_t>, HostImageView<const std::uint16_t>,
                                     HostImageView<const Rgb8>>;

inline CameraImageView ViewOf(const CameraImage& image) {
  return std::visit([](const auto& i) -> CameraImageView { return i.ConstView(); }, image);
}
inline int WidthOf(const CameraImageView& image) {
  return std::visit([](const auto& i) { return i.width; }, image);
}
inline int HeightOf(const CameraImageView& image) {
  return std::visit([](const auto& i) { return i.height; }, image);
}

enum class PixelType { kGray8, kGray16, kRgb8 };
// An image in any host memory. data: the first pixel of the top row. stride_bytes: from one row to the next.
inline CameraImageView BorrowImage(const void* data, int width, int height, std::ptrdiff_t stride_bytes,
                                   PixelType type) {
  const auto view = [&]<typename T>(const T* pixels) {
    return CameraImageView(HostImageView<const T>(pixels, width, height, stride_bytes));
  };
  if (type == PixelType::kGray8) return view(static_cast<const std::uint8_t*>(data));
  if (type == PixelType::kGray16) return view(static_cast<const std::uint16_t*>(data));
  return view(static_cast<const Rgb8*>(data));
}

// The same in a GPU's memory.
using DeviceCameraImageView = std::variant<DeviceImageView<const std::uint8_t>,
                                           DeviceImageView<const std::uint16_t>, DeviceImageView<const Rgb8>>;

}  // namespace parallax
