#include "cuda/device/page_locked_memory.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "parallax/image.h"
#include "pipeline/types/host_memory.h"
#include "tests/cuda/require_device.h"

namespace parallax::cuda {
namespace {

class PageLockedMemoryTest : public test::CudaTest {};

TEST_F(PageLockedMemoryTest, IsToldFromTheHeap) {
  const auto memory = std::make_shared<PageLockedMemory>(0);
  const HostImage<std::uint8_t> on_heap(640, 480);
  const UseHostMemory use(memory);
  HostImage<std::uint8_t> image(640, 480, std::uint8_t{1});
  EXPECT_TRUE(IsPageLocked(image.Row(0)));
  EXPECT_TRUE(IsPageLocked(image.Row(479)));
  EXPECT_FALSE(IsPageLocked(on_heap.Row(0)));
  EXPECT_FALSE(IsPageLocked(nullptr));
  const HostImage<std::uint8_t> small(8, 8);
  EXPECT_FALSE(IsPageLocked(small.Row(0)));
}

TEST_F(PageLockedMemoryTest, IsUsedAgain) {
  PageLockedMemory memory(0);
  constexpr std::size_t kBytes = 500'000;
  void* const first = memory.Take(kBytes);
  ASSERT_NE(first, nullptr);
  void* const second = memory.Take(kBytes);
  EXPECT_NE(second, first);
  memory.GiveBack(second, kBytes);
  memory.GiveBack(first, kBytes);
  EXPECT_EQ(memory.Take(kBytes - 9000), first);  // the last one first
  EXPECT_EQ(memory.Take(kBytes), second);
  std::thread([&] { memory.GiveBack(first, kBytes - 9000); }).join();
  memory.GiveBack(second, kBytes);
}

TEST_F(PageLockedMemoryTest, HasAnEnd) {
  PageLockedMemory memory(0);
  constexpr std::size_t kBytes = std::size_t{100} << 20;
  std::vector<void*> blocks;
  while (void* const block = memory.Take(kBytes)) {
    blocks.push_back(block);
    ASSERT_LE(blocks.size(), 5U);
  }
  EXPECT_EQ(blocks.size(), 5U);
  EXPECT_EQ(memory.Take(std::size_t{600} << 20), nullptr);
  for (void* block : blocks) memory.GiveBack(block, kBytes);
  void* const of_another_size = memory.Take(2 * kBytes);  // the free ones make room
  EXPECT_NE(of_another_size, nullptr);
  memory.GiveBack(of_another_size, 2 * kBytes);
}

}  // namespace
}  // namespace parallax::cuda
