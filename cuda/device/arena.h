// Splits one allocation into parts. The layout code runs twice: without memory, to count, and with the
// counted amount.
#pragma once

#include <cstddef>

namespace parallax::cuda {

class Arena {
 public:
  // memory: aligned to 256 bytes; null: counts.
  explicit Arena(std::byte* memory = nullptr) : memory_(memory) {}

  // Room for count elements, aligned to 256 bytes, uninitialised; null while counting.
  template <typename T>
  T* Take(std::size_t count) {
    const std::size_t at = bytes_;
    bytes_ = (bytes_ + count * sizeof(T) + 255) / 256 * 256;
    return memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + at);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  std::size_t bytes_ = 0;
};

}  // namespace parallax::cuda
