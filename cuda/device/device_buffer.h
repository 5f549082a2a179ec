// Owned memory of the device, and page-locked memory of the host, whose copies can overlap with work.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>
#include <utility>

#include "cuda/device/check.h"

namespace parallax::cuda {

// Memory of the current device.
struct DeviceMemory {
  static void* Allocate(std::size_t bytes) {
    void* memory = nullptr;
    Check(cudaMalloc(&memory, bytes), "cudaMalloc");
    return memory;
  }
  static void Free(void* memory) { cudaFree(memory); }
};
struct PinnedMemory {
  static void* Allocate(std::size_t bytes) {
    void* memory = nullptr;
    Check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
    return memory;
  }
  static void Free(void* memory) { cudaFreeHost(memory); }
};

// size elements, uninitialised. Move-only.
template <typename T, typename Memory>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size)
      : data_(size == 0 ? nullptr : static_cast<T*>(Memory::Allocate(size * sizeof(T)))), size_(size) {}
  ~Buffer() { Memory::Free(data_); }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t size_bytes() const { return size_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <typename T>
using DeviceBuffer = Buffer<T, DeviceMemory>;
template <typename T>
using PinnedBuffer = Buffer<T, PinnedMemory>;

}  // namespace parallax::cuda
