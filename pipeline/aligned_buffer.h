// Owned, uninitialised host memory aligned to a cache line, on the heap or as UseHostMemory says.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "pipeline/host_memory.h"

namespace parallax {

inline constexpr std::size_t kAlignment_bytes = 64;

// size elements, uninitialised. Move-only.
template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size)
      : data_(size == 0 ? nullptr : static_cast<T*>(Allocate(size * sizeof(T)))), size_(size) {}
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
  void* Allocate(std::size_t bytes) {
    memory_ = UseHostMemory::InUse();
    if (void* const block = memory_ ? memory_->Take(bytes) : nullptr) return block;
    memory_ = nullptr;
    return ::operator new (bytes, std::align_val_t{kAlignment_bytes});
  }
  void Free() {
    if (data_ == nullptr) return;
    if (memory_) return memory_->GiveBack(data_, size_ * sizeof(T));
    ::operator delete (data_, std::align_val_t{kAlignment_bytes});
  }
  std::shared_ptr<HostMemory> memory_;  // null: the heap
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace parallax
