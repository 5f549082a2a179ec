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

}  // namespace
}  // namespace parallax::test
