// Page-locked memory of the host for images, from which every device copies directly.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "pipeline/types/host_memory.h"

namespace parallax::cuda {

// Returned blocks are reused, the last one first: it may still be in the caches.
class PageLockedMemory final : public HostMemory {
 public:
  // device: any that this program uses; others copy from the memory as well.
  explicit PageLockedMemory(int device) : device_(device) {}
  ~PageLockedMemory() override;
  PageLockedMemory(const PageLockedMemory&) = delete;
  PageLockedMemory& operator=(const PageLockedMemory&) = delete;

  // Null for small images, while 512 MB are in use, and if the system has no more.
  void* Take(std::size_t bytes) noexcept override;
  void GiveBack(void* memory, std::size_t bytes) noexcept override;

 private:
  static std::size_t SizeOfBlock(std::size_t bytes);  // frames of a data set differ by a few rows and columns
  bool MakeRoom(std::size_t block_bytes);             // the mutex is held

  const int device_;
  std::mutex mutex_;
  std::size_t bytes_ = 0;  // in use or free
  bool has_no_more_ = false;
  std::map<std::size_t, std::vector<void*>> free_;  // by size of block
};

// Whether the memory is page-locked: devices copy from it directly while the program does something else.
bool IsPageLocked(const void* memory);

}  // namespace parallax::cuda
