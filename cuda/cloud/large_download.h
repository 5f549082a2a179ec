// Downloads large results from the device into vectors of the host. A plain copy spends most of its time on
// the first touch of new memory, page by page, and on staging by one thread. Here all threads do this while
// the next part is copied.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <vector>

#include "cuda/device/device_buffer.h"
#include "cuda/device/stream.h"
#include "pipeline/threads/parallel.h"

namespace parallax::cuda {

// Threads and page-locked memory are allocated with the first large download and kept. Not thread-safe.
class LargeDownload {
 public:
  // Appends count values from device memory, as they are after the stream's current work, to values, and
  // returns when they have arrived. If more will follow, the caller has reserved room for all of them.
  template <typename T>
  void Append(std::vector<T>& values, const std::type_identity_t<T>* from, std::size_t count,
              cudaStream_t stream) {
    const std::size_t old_size = values.size();
    values.reserve(old_size + count);
    const auto grow = [&](std::size_t bytes) { values.resize(old_size + bytes / sizeof(T)); };
    static_assert(kPartBytes % sizeof(T) == 0);
    Run(reinterpret_cast<std::byte*>(values.data() + old_size), reinterpret_cast<const std::byte*>(from),
        count * sizeof(T), grow, stream);
  }

 private:
  static constexpr std::size_t kPartBytes = std::size_t{16} << 20;

  // to: room for bytes, which `grow` makes part of the vector.
  void Run(std::byte* to, const std::byte* from, std::size_t bytes,
           const std::function<void(std::size_t)>& grow, cudaStream_t stream);

  std::optional<ThreadPool> pool_;
  PinnedBuffer<std::byte> parts_[2];
};

}  // namespace parallax::cuda
