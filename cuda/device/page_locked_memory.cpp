#include "cuda/device/page_locked_memory.h"

#include <cuda_runtime_api.h>

#include <exception>

namespace parallax::cuda {
namespace {

constexpr std::size_t kLeast_bytes = std::size_t{1} << 14;  // of an image that is worth it
constexpr std::size_t kStep_bytes = std::size_t{1} << 16;
constexpr std::size_t kMost_bytes = std::size_t{512} << 20;

}  // namespace

PageLockedMemory::~PageLockedMemory() {
  for (const auto& [size, blocks] : free_) {
    for (void* block : blocks) cudaFreeHost(block);
  }
}

std::size_t PageLockedMemory::SizeOfBlock(std::size_t bytes) {
  return (bytes + kStep_bytes - 1) / kStep_bytes * kStep_bytes;
}

bool PageLockedMemory::MakeRoom(std::size_t block_bytes) {
  for (auto& [size, blocks] : free_) {
    while (bytes_ + block_bytes > kMost_bytes && !blocks.empty()) {
      cudaFreeHost(blocks.back());
      blocks.pop_back();
      bytes_ -= size;
    }
  }
  return bytes_ + block_bytes <= kMost_bytes;
}

void* PageLockedMemory::Take(std::size_t bytes) noexcept {
  if (bytes < kLeast_bytes || bytes > kMost_bytes) return nullptr;
  const std::size_t block_bytes = SizeOfBlock(bytes);
  try {
    {
      const std::scoped_lock lock(mutex_);
      std::vector<void*>& blocks = free_[block_bytes];
      if (!blocks.empty()) {
        void* const block = blocks.back();
        blocks.pop_back();
        return block;
      }
      if (has_no_more_ || !MakeRoom(block_bytes)) return nullptr;
      bytes_ += block_bytes;
    }
    void* block = nullptr;
    if (cudaSetDevice(device_) == cudaSuccess &&
        cudaHostAlloc(&block, block_bytes, cudaHostAllocPortable) == cudaSuccess)
      return block;
    cudaGetLastError();  // which is this one, and nobody else's
    const std::scoped_lock lock(mutex_);
    bytes_ -= block_bytes;
    has_no_more_ = true;
  } catch (const std::exception&) {  // no memory for the list
  }
  return nullptr;
}

void PageLockedMemory::GiveBack(void* memory, std::size_t bytes) noexcept {
  const std::size_t block_bytes = SizeOfBlock(bytes);
  const std::scoped_lock lock(mutex_);
  try {
    free_[block_bytes].push_back(memory);
  } catch (const std::exception&) {
    cudaFreeHost(memory);
    bytes_ -= block_bytes;
  }
}

bool IsPageLocked(const void* memory) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return attributes.type == cudaMemoryTypeHost;
}

}  // namespace parallax::cuda
