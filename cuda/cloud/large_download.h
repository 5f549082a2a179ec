// Large answers from the device into vectors of the host. What a plain copy spends there is mostly the first
// touch of new memory, page by page, and staging by one thread: here all threads do it, while the next part
// is under way.
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

// Threads and page-locked memory are taken with the first large answer and kept. One call at a time.
class LargeDownload {
 public:
  // Adds count values from device memory, as they are after the stream's work so far, to values, and returns
  // when they are there. Where more will be added, the caller has reserved room for all of it.
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

  // to: room for bytes, which become the vector's with grow.
  void Run(std::byte* to, const std::byte* from, std::size_t bytes,
           const std::function<void(std::size_t)>& grow, cudaStream_t stream);

  std::optional<ThreadPool> pool_;
  PinnedBuffer<std::byte> parts_[2];
};

}  // namespace parallax::cuda
