// Every allocation of every fuzz target's longest seed fails once: an exception that the target allows comes out,
// nothing is lost, and the next call succeeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <ostream>
#include <string>
#include <vector>

#include "tests/fuzz/targets.h"

namespace {

std::atomic<long> g_num_live{0};
std::atomic<long> g_until_failure{0};  // 0: none fails

void* Allocate(std::size_t bytes, std::size_t alignment) {
  long left = g_until_failure.load();
  while (left > 0 && !g_until_failure.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 1) throw std::bad_alloc();
  void* const block = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (block == nullptr) throw std::bad_alloc();
  ++g_num_live;
  return block;
}

void Free(void* block) {
  if (block != nullptr) --g_num_live;
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) { return Allocate(bytes, alignof(std::max_align_t)); }
void* operator new[](std::size_t bytes) { return Allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return Allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return Allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { Free(block); }
void operator delete[](void* block) noexcept { Free(block); }
void operator delete(void* block, std::size_t) noexcept { Free(block); }
void operator delete[](void* block, std::size_t) noexcept { Free(block); }
void operator delete(void* block, std::align_val_t) noexcept { Free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { Free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { Free(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { Free(block); }

namespace parallax::fuzz {

// What a test's name says of its parameter: not the bytes in memory.
void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

namespace {

class FailingAllocation : public testing::TestWithParam<Target> {};

TEST_P(FailingAllocation, EndsTheCallAlone) {
  const Target& target = GetParam();
  if (target.name == "scored_run")
    GTEST_SKIP() << "nlohmann-json allocates in its destructor, which ends the program";
  const std::vector<Bytes> seeds = target.make_seeds();
  const Bytes& seed = *std::max_element(seeds.begin(), seeds.end(),
                                        [](const Bytes& a, const Bytes& b) { return a.size() < b.size(); });
  // Whether the n-th allocation exists, which fails.
  const auto fails = [&](long n) {
    g_until_failure = n;
    try {
      target.feed(seed);
    } catch (const std::bad_alloc&) {
    } catch (const std::exception& error) {
      ADD_FAILURE() << "allocation " << n << ": " << error.what();
    }
    return g_until_failure.exchange(0) == 0;
  };
  ASSERT_NO_THROW(target.feed(seed));  // makes what is made once
  constexpr long kMost = 1'000'000;
  g_until_failure = kMost;
  ASSERT_NO_THROW(target.feed(seed));
  const long num_allocations = kMost - g_until_failure.exchange(0);
  if (num_allocations == 0) GTEST_SKIP() << "this target allocates nothing";
  long num_live = g_num_live;
  for (long n = 1; n <= num_allocations && !HasFailure(); ++n) {
    EXPECT_TRUE(fails(n)) << n << " of " << num_allocations;
    if (g_num_live == num_live) continue;
    num_live = g_num_live;  // a library may make something once, a leak comes every time
    fails(n);
    EXPECT_EQ(g_num_live, num_live) << "allocation " << n << " of " << num_allocations;
  }
  EXPECT_NO_THROW(target.feed(seed));
  RecordProperty("allocations", std::to_string(num_allocations));
}

INSTANTIATE_TEST_SUITE_P(Targets, FailingAllocation, testing::ValuesIn(Targets()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace parallax::fuzz
