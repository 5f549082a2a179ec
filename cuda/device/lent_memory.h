// Reusable page-locked memory of the host for results.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace parallax::cuda {

// Lends memories and takes them back when their last owners release them, even after this object is gone.
// Thread-safe. T: has kPixel_bytes, and a constructor that takes a number of pixels.
template <typename T>
class LentMemories : public std::enable_shared_from_this<LentMemories<T>> {
 public:
  // Each memory holds frames of up to this many pixels.
  explicit LentMemories(std::size_t num_pixels) : num_pixels_(num_pixels) {}

  // Null if slow writers hold so much that more would be a burden (about 512 MB), or if the system has no
  // more.
  std::shared_ptr<T> Lend() {
    constexpr std::size_t kMostLent_bytes = std::size_t{512} << 20;
    const std::size_t num_most =
        std::max<std::size_t>(4, kMostLent_bytes / std::max<std::size_t>(1, num_pixels_ * T::kPixel_bytes));
    std::unique_ptr<T> memory;
    {
      const std::scoped_lock lock(mutex_);
      if (num_lent_ == num_most) return nullptr;
      ++num_lent_;
      if (!free_.empty()) {
        memory = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (!memory) {
      try {
        memory = std::make_unique<T>(num_pixels_);
      } catch (const std::exception&) {
        const std::scoped_lock lock(mutex_);
        --num_lent_;
        return nullptr;
      }
    }
    return {memory.release(), [owner = this->shared_from_this()](T* used) {
              std::unique_ptr<T> back(used);
              const std::scoped_lock lock(owner->mutex_);
              --owner->num_lent_;
              owner->free_.push_back(std::move(back));
            }};
  }

 private:
  const std::size_t num_pixels_;
  std::mutex mutex_;
  std::size_t num_lent_ = 0;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace parallax::cuda
