#include "pipeline/types/host_memory.h"

#include <algorithm>
#include <iterator>
#include <new>

#include "parallax/image.h"

namespace parallax {
namespace {

constexpr std::size_t kMostFree_bytes = std::size_t{256} << 20;
constexpr std::align_val_t kAlignment{kAlignment_bytes};

}  // namespace

KeptHeap::~KeptHeap() {
  for (const Block& block : free_) ::operator delete(block.memory, kAlignment);
}

void* KeptHeap::Take(std::size_t bytes) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    const auto last =
        std::find_if(free_.rbegin(), free_.rend(), [&](const Block& block) { return block.bytes == bytes; });
    if (last != free_.rend()) {
      void* const memory = last->memory;
      free_.erase(std::next(last).base());
      free_bytes_ -= bytes;
      return memory;
    }
  }
  return ::operator new(bytes, kAlignment, std::nothrow);
}

void KeptHeap::GiveBack(void* memory, std::size_t bytes) noexcept {
  const std::scoped_lock lock(mutex_);
  free_bytes_ += bytes;
  free_.push_back({memory, bytes});
  while (free_bytes_ > kMostFree_bytes || free_.size() == free_.capacity()) {
    free_bytes_ -= free_.front().bytes;
    ::operator delete(free_.front().memory, kAlignment);
    free_.erase(free_.begin());
  }
}

void* TakeAligned(std::size_t bytes, std::shared_ptr<HostMemory>& memory) {
  memory = UseHostMemory::InUse();
  if (void* const block = memory ? memory->Take(bytes) : nullptr) return block;
  memory = nullptr;
  return ::operator new (bytes, std::align_val_t{kAlignment_bytes});
}

void GiveBackAligned(void* data, std::size_t bytes, std::shared_ptr<HostMemory>& memory) noexcept {
  if (memory) return memory->GiveBack(data, bytes);
  ::operator delete (data, std::align_val_t{kAlignment_bytes});
}

}  // namespace parallax
