// Memory for volumes, in large pages if the system provides them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace parallax::cpu {

// Bytes, uninitialised, aligned to at least 64. A sweep walks a volume in parts of rows that are far from
// each other: with pages of 4 KiB nearly every part would miss the address cache.
class LargeBuffer {
 public:
  LargeBuffer() = default;
  explicit LargeBuffer(std::size_t size);

  std::uint8_t* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Deleter {
    std::size_t alignment;
    void operator()(std::uint8_t* data) const;
  };
  std::unique_ptr<std::uint8_t[], Deleter> data_;
  std::size_t size_ = 0;
};

}  // namespace parallax::cpu
