#include "pipeline/simd/large_buffer.h"

#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "parallax/image.h"

namespace parallax::cpu {
namespace {

constexpr std::size_t kLargePage_bytes = std::size_t{2} << 20;

}  // namespace

LargeBuffer::LargeBuffer(std::size_t size) : size_(size) {
  if (size == 0) return;
  const std::size_t alignment = size >= kLargePage_bytes ? kLargePage_bytes : kAlignment_bytes;
  data_ = {static_cast<std::uint8_t*>(::operator new (size, std::align_val_t{alignment})),
           Deleter{alignment}};
#ifdef __linux__
  // This is advice only: a system without large pages uses small ones.
  if (alignment == kLargePage_bytes) madvise(data_.get(), size, MADV_HUGEPAGE);
#endif
}

void LargeBuffer::Deleter::operator()(std::uint8_t* data) const {
  ::operator delete (data, std::align_val_t{alignment});
}

}  // namespace parallax::cpu
