// Memory for images other than the heap, such as memory from which a device copies directly.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace parallax {

// Thread-safe.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  // Aligned to kAlignment_bytes. Null if it has none of that size: the heap is used then.
  virtual void* Take(std::size_t bytes) noexcept = 0;
  virtual void GiveBack(void* memory, std::size_t bytes) noexcept = 0;
};

// During its lifetime, the images that this thread makes are in that memory, as long as it has room. Null: on
// the heap.
class UseHostMemory {
 public:
  explicit UseHostMemory(std::shared_ptr<HostMemory> memory)
      : memory_(std::move(memory)), before_(std::exchange(t_in_use, memory_ ? &memory_ : nullptr)) {}
  ~UseHostMemory() { t_in_use = before_; }
  UseHostMemory(const UseHostMemory&) = delete;
  UseHostMemory& operator=(const UseHostMemory&) = delete;

  static std::shared_ptr<HostMemory> InUse() { return t_in_use == nullptr ? nullptr : *t_in_use; }

 private:
  static inline thread_local const std::shared_ptr<HostMemory>* t_in_use = nullptr;
  const std::shared_ptr<HostMemory> memory_;
  const std::shared_ptr<HostMemory>* const before_;
};

}  // namespace parallax
