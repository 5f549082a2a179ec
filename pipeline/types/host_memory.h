// Memory for images other than the heap, such as memory from which a device copies directly.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace parallax {

// Thread-safe.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  // Aligned to kAlignment_bytes. Null if it has none of that size: the heap is used then.
  virtual void* Take(std::size_t bytes) noexcept = 0;
  virtual void GiveBack(void* memory, std::size_t bytes) noexcept = 0;
};

// Keeps freed blocks for later objects of the same size, so that a run whose frames have one size stops allocating
// after its first frames. Keeps at most 256 blocks and 256 MB that are not in use.
class KeptHeap final : public HostMemory {
 public:
  KeptHeap() { free_.reserve(256); }
  ~KeptHeap() override;
  KeptHeap(const KeptHeap&) = delete;
  KeptHeap& operator=(const KeptHeap&) = delete;

  void* Take(std::size_t bytes) noexcept override;
  void GiveBack(void* memory, std::size_t bytes) noexcept override;

 private:
  struct Block {
    void* memory;
    std::size_t bytes;
  };
  std::mutex mutex_;
  std::vector<Block> free_;  // the last one to come back at the end: it may still be in the caches
  std::size_t free_bytes_ = 0;
};

// An allocator of such blocks for std::allocate_shared.
template <typename T>
struct KeptAllocator {
  using value_type = T;
  KeptAllocator(std::shared_ptr<KeptHeap> from) : heap(std::move(from)) {}
  template <typename U>
  KeptAllocator(const KeptAllocator<U>& other) : heap(other.heap) {}
  T* allocate(std::size_t count) {
    if (void* const memory = heap->Take(count * sizeof(T))) return static_cast<T*>(memory);
    throw std::bad_alloc();
  }
  void deallocate(T* memory, std::size_t count) noexcept { heap->GiveBack(memory, count * sizeof(T)); }
  bool operator==(const KeptAllocator&) const = default;

  std::shared_ptr<KeptHeap> heap;
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
