#include "cuda/cloud/large_download.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace parallax::cuda {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;  // of a part, a task

std::size_t PiecesOf(std::size_t bytes) { return (bytes + kPieceBytes - 1) / kPieceBytes; }

// Has the whole pages of a piece of memory mapped, their contents as they are. Only a help: where the system
// does not know how (Linux before 5.14), pages come with their first touch.
void MapPages([[maybe_unused]] std::byte* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
  constexpr std::uintptr_t kPage = 4096;
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + kPage - 1) / kPage * kPage;
  const auto last = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / kPage * kPage;
  if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
#endif
}

}  // namespace

void LargeDownload::Run(std::byte* to, const std::byte* from, std::size_t bytes,
                        const std::function<void(std::size_t)>& grow, cudaStream_t stream) {
  const auto copy = [&](std::byte* host, std::size_t first, std::size_t count) {
    Check(cudaMemcpyAsync(host, from + first, count, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  };
  if (bytes <= kPartBytes / 4) {
    grow(bytes);
    if (bytes != 0) copy(to, 0, bytes);
    Check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    return;
  }
  if (!pool_) {
    pool_.emplace();
    for (auto& part : parts_) part = PinnedBuffer<std::byte>(kPartBytes);
  }
  const std::size_t num_parts = (bytes + kPartBytes - 1) / kPartBytes;
  const auto begin_of = [&](std::size_t part) { return std::min(part * kPartBytes, bytes); };
  const auto size_of = [&](std::size_t part) { return begin_of(part + 1) - begin_of(part); };
  Event copied[2];
  const auto fetch = [&](std::size_t part) {
    if (part >= num_parts) return;
    copy(parts_[part % 2].data(), begin_of(part), size_of(part));
    copied[part % 2].Record(stream);
  };
  // Part i is copied from page-locked memory while the vector grows over part i + 1 and part i + 2 is mapped.
  const auto step = [&](std::size_t part) {
    const std::size_t num_copies = PiecesOf(size_of(part));
    const std::size_t num_maps = PiecesOf(size_of(part + 2));
    pool_->ParallelFor(static_cast<int>(1 + num_copies + num_maps), [&](int task) {
      if (task == 0) return grow(begin_of(part + 2));
      const std::size_t piece = static_cast<std::size_t>(task) - 1;
      const bool is_copy = piece < num_copies;
      const std::size_t of = is_copy ? part : part + 2,
                        first = (is_copy ? piece : piece - num_copies) * kPieceBytes;
      const std::size_t count = std::min(kPieceBytes, size_of(of) - first);
      std::byte* const at = to + begin_of(of) + first;
      if (is_copy) {
        std::memcpy(at, parts_[of % 2].data() + first, count);
      } else {
        MapPages(at, count);
      }
    });
  };
  fetch(0);
  fetch(1);
  pool_->ParallelFor(static_cast<int>(PiecesOf(begin_of(2))), [&](int piece) {
    const std::size_t first = static_cast<std::size_t>(piece) * kPieceBytes;
    MapPages(to + first, std::min(kPieceBytes, begin_of(2) - first));
  });
  grow(begin_of(1));
  for (std::size_t part = 0; part < num_parts; ++part) {
    Check(cudaEventSynchronize(copied[part % 2].get()), "cudaEventSynchronize");
    step(part);
    fetch(part + 2);
  }
}

}  // namespace parallax::cuda
