#include "pipeline/types/host_memory.h"

#include <new>

#include "parallax/image.h"

namespace parallax {

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
