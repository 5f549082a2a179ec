#include "pipeline/types/host_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "pipeline/types/clone_image.h"
#include "tests/support/counted_memory.h"

namespace parallax::test {
namespace {

TEST(HostMemory, ImagesLieInWhatIsInUse) {
  const auto memory = std::make_shared<CountedMemory>();
  const HostImage<std::uint8_t> before(100, 10);
  std::optional<HostImage<std::uint8_t>> image;
  {
    const UseHostMemory use(memory);
    image = HostImage<std::uint8_t>(100, 10, std::uint8_t{7});
    {
      const UseHostMemory heap(nullptr);
      const HostImage<std::uint8_t> on_heap(100, 10);
      EXPECT_EQ(memory->num_taken(), 1);
    }
    const HostImage<std::uint8_t> another(100, 10);
    EXPECT_EQ(memory->num_lent(), 2);
    std::thread([&] {
      const HostImage<std::uint8_t> of_another_thread(100, 10);
      EXPECT_EQ(memory->num_taken(), 2);
    }).join();
  }
  EXPECT_EQ(memory->num_lent(), 1);
  EXPECT_TRUE(memory->Holds(image->Row(0)));
  EXPECT_FALSE(memory->Holds(before.Row(0)));
  const HostImage<std::uint8_t> copy = CloneImage(image->ConstView());
  EXPECT_EQ(copy(99, 9), 7);
  EXPECT_EQ(memory->num_taken(), 2);  // used no more
}

TEST(HostMemory, GoesBackWhereItCameFrom) {
  auto memory = std::make_shared<CountedMemory>();
  HostImage<std::uint8_t> image, other(5, 5);
  {
    const UseHostMemory use(memory);
    image = HostImage<std::uint8_t>(100, 10, std::uint8_t{1});
  }
  HostImage<std::uint8_t> moved(std::move(image));
  image = std::move(other);
  EXPECT_EQ(memory->num_lent(), 1);
  const std::weak_ptr<CountedMemory> still_there = memory;
  memory = nullptr;
  EXPECT_EQ(moved(99, 9), 1);  // an image keeps its memory
  std::thread([&moved] { moved = HostImage<std::uint8_t>(3, 3); }).join();
  EXPECT_TRUE(still_there.expired());
}

TEST(HostMemory, TheHeapHelpsOut) {
  const auto memory = std::make_shared<CountedMemory>(1000);
  const UseHostMemory use(memory);
  const HostImage<std::uint8_t> large(100, 100, std::uint8_t{3});
  EXPECT_EQ(memory->num_lent(), 0);
  EXPECT_EQ(large(99, 99), 3);
  const HostImage<std::uint8_t> small(10, 10);
  EXPECT_EQ(memory->num_lent(), 1);
  const HostImage<std::uint8_t> nothing(0, 10);
  EXPECT_EQ(memory->num_taken(), 1);
}

TEST(KeptHeap, GivesTheLastBlockOfTheSizeAgain) {
  KeptHeap heap;
  void *const a = heap.Take(1000), *const b = heap.Take(1000), *const other = heap.Take(64);
  heap.GiveBack(a, 1000);
  heap.GiveBack(other, 64);
  heap.GiveBack(b, 1000);
  EXPECT_EQ(heap.Take(1000), b);
  EXPECT_EQ(heap.Take(1000), a);
  EXPECT_EQ(heap.Take(64), other);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % kAlignment_bytes, 0U);
  heap.GiveBack(a, 1000), heap.GiveBack(b, 1000), heap.GiveBack(other, 64);
}

TEST(KeptHeap, KeepsOnlySoMuch) {
  KeptHeap heap;
  constexpr std::size_t kMany = 1000, kLarge_bytes = std::size_t{90} << 20;
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < kMany; ++i) blocks.push_back(heap.Take(64 + i));
  for (std::size_t i = 0; i < kMany; ++i) heap.GiveBack(blocks[i], 64 + i);
  blocks.clear();
  for (int i = 0; i < 3; ++i) blocks.push_back(heap.Take(kLarge_bytes));
  for (void* block : blocks) heap.GiveBack(block, kLarge_bytes);
  // The leak checker sees that the rest went back to the system.
}

TEST(KeptHeap, HoldsObjectsThatOutliveIt) {
  std::shared_ptr<std::vector<int>> kept;
  {
    const KeptAllocator<std::vector<int>> allocator(std::make_shared<KeptHeap>());
    const void* const first = std::allocate_shared<std::vector<int>>(allocator).get();
    kept = std::allocate_shared<std::vector<int>>(allocator, 3, 7);
    EXPECT_EQ(kept.get(), first);
  }
  EXPECT_EQ(*kept, std::vector<int>({7, 7, 7}));
}

}  // namespace
}  // namespace parallax::test
