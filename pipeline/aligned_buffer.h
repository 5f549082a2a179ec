// Owned, uninitialised host memory aligned to a cache line.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace parallax {

inline constexpr std::size_t kAlignment_bytes = 64;

// size elements, uninitialised. Move-only.
template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size)
      : data_(size == 0
                  ? nullptr
                  : static_cast<T*>(::operator new (size * sizeof(T), std::align_val_t{kAlignment_bytes}))),
        size_(size) {}
  ~AlignedBuffer() { Free(); }
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    if (this != &other) {
      Free();
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
    if (data_ != nullptr) ::operator delete (data_, std::align_val_t{kAlignment_bytes});
  }
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace parallax
