// Working memory of a block of rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parallax/image.h"

namespace parallax::cpu {

// Not initialized, aligned to 64 bytes. It is on the stack, unless the image is very wide, because a frame allocates
// nothing. It is not thread_local, because glibc aborts if it finds no memory to register a destructor.
class BlockMemory {
 public:
  explicit BlockMemory(std::size_t bytes) {
    if (bytes > sizeof(own_)) large_ = AlignedBuffer<std::uint8_t>(bytes);
  }
  std::uint8_t* data() { return large_.size() > 0 ? large_.data() : own_; }

 private:
  alignas(64) std::uint8_t own_[std::size_t{64} << 10];
  AlignedBuffer<std::uint8_t> large_;
};

}  // namespace parallax::cpu
