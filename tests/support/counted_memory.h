// Memory that knows what it has lent.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <map>
#include <mutex>
#include <new>

#include "parallax/image.h"
#include "pipeline/types/host_memory.h"

namespace parallax::test {

class CountedMemory final : public HostMemory {
 public:
  // Has nothing larger than that.
  explicit CountedMemory(std::size_t most_bytes = std::numeric_limits<std::size_t>::max())
      : most_bytes_(most_bytes) {}
  ~CountedMemory() override { EXPECT_TRUE(lent_.empty()); }
  CountedMemory(const CountedMemory&) = delete;
  CountedMemory& operator=(const CountedMemory&) = delete;

  void* Take(std::size_t bytes) noexcept override {
    if (bytes > most_bytes_) return nullptr;
    void* const block = ::operator new (bytes, std::align_val_t{kAlignment_bytes});
    const std::scoped_lock lock(mutex_);
    ++num_taken_;
    lent_[static_cast<std::byte*>(block)] = bytes;
    return block;
  }
  void GiveBack(void* memory, std::size_t bytes) noexcept override {
    {
      const std::scoped_lock lock(mutex_);
      const auto block = lent_.find(static_cast<std::byte*>(memory));
      EXPECT_TRUE(block != lent_.end() && block->second == bytes);
      if (block == lent_.end()) return;
      lent_.erase(block);
    }
    ::operator delete (memory, std::align_val_t{kAlignment_bytes});
  }

  int num_taken() const {
    const std::scoped_lock lock(mutex_);
    return num_taken_;
  }
  int num_lent() const {
    const std::scoped_lock lock(mutex_);
    return static_cast<int>(lent_.size());
  }
  bool Holds(const void* memory) const {
    const auto* const at = static_cast<const std::byte*>(memory);
    const std::scoped_lock lock(mutex_);
    auto next = lent_.upper_bound(at);
    if (next == lent_.begin()) return false;
    --next;
    return at < next->first + next->second;
  }

 private:
  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  int num_taken_ = 0;
  std::map<const std::byte*, std::size_t> lent_;
};

}  // namespace parallax::test
