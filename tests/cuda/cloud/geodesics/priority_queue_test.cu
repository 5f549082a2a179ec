// The queue of a warp against std::priority_queue.
#include "cuda/cloud/geodesics/priority_queue.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "cuda/device/check.h"
#include "cuda/device/device_buffer.h"
#include "cuda/device/stream.h"
#include "tests/cuda/require_device.h"

namespace parallax::test {
namespace {

using cuda::HeapPool;
using cuda::WarpHeap;
using Pair = std::pair<std::uint32_t, std::uint32_t>;  // distance, node

constexpr std::uint32_t kPop = 0xFFFFFFFFU, kClear = 0xFFFFFFFEU;  // operations beside pushing that distance
constexpr std::uint32_t kMostShared = 1024;

// One warp a block, each with its own operations. results: popped pairs; for pushes whether it was done and
// the size after.
__global__ void OperateKernel(const uint2* operations, int count, std::uint32_t shared_capacity,
                              HeapPool pool, uint2* results) {
  __shared__ uint2 pairs[kMostShared];
  __shared__ std::uint32_t chunks[WarpHeap::kMostChunks];
  WarpHeap heap(pairs, shared_capacity, chunks, pool);
  for (int i = static_cast<int>(blockIdx.x) * count; i < static_cast<int>(blockIdx.x + 1) * count; ++i) {
    const uint2 operation = operations[i];
    uint2 result = make_uint2(0, 0);
    if (operation.x == kClear) {
      heap.Clear();
    } else if (operation.x == kPop && heap.Empty()) {
      result.x = kPop;
    } else if (operation.x == kPop) {
      const uint2 top = heap.Top();
      result = heap.Pop();
      if (top.x != result.x || top.y != result.y) result = make_uint2(kPop, kPop);
    } else {
      result.x = heap.Push(operation) ? 1 : 0;
      result.y = heap.size();
    }
    if (heap.Empty() != (heap.size() == 0)) result = make_uint2(kPop, kPop);
    if (threadIdx.x == i % 32) results[i] = result;  // all lanes have the same
  }
}

class CudaPriorityQueueTest : public CudaTest {
 protected:
  // operations: rows of equal length, one a queue.
  std::vector<std::vector<Pair>> Operate(const std::vector<std::vector<Pair>>& operations,
                                         std::uint32_t shared_capacity, std::uint32_t num_chunks) {
    std::vector<uint2> flat;
    for (const auto& row : operations) {
      for (const auto& [x, y] : row) flat.push_back(make_uint2(x, y));
    }
    cuda::DeviceBuffer<uint2> device(flat.size()), results(flat.size()),
        pool(std::size_t{num_chunks} * HeapPool::kChunk);
    cuda::DeviceBuffer<std::uint32_t> taken(1);
    cuda::Stream stream;
    cuda::CopyNow(device.data(), flat.data(), flat.size(), stream.get());
    cuda::Check(cudaMemsetAsync(taken.data(), 0, taken.size_bytes(), stream.get()), "cudaMemsetAsync");
    const int count = static_cast<int>(operations[0].size());
    OperateKernel<<<static_cast<unsigned>(operations.size()), 32, 0, stream.get()>>>(
        device.data(), count, shared_capacity,
        {.pairs = pool.data(), .num_chunks = num_chunks, .num_taken = taken.data()}, results.data());
    cuda::CheckLaunch("OperateKernel");
    cuda::CopyNow(flat.data(), results.data(), flat.size(), stream.get());
    std::vector<std::vector<Pair>> rows;
    for (std::size_t i = 0; i < flat.size(); ++i) {
      if (i % static_cast<std::size_t>(count) == 0) rows.emplace_back();
      rows.back().emplace_back(flat[i].x, flat[i].y);
    }
    return rows;
  }

  // Pops must give the least distance, and a pair that was pushed with it. Returns how many pushes were
  // refused.
  int Expect(const std::vector<Pair>& operations, const std::vector<Pair>& results) {
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> queue;
    std::vector<Pair> inside;
    int refused = 0;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (operations[i].first == kClear) {
        queue = {};
        inside.clear();
      } else if (operations[i].first == kPop && inside.empty()) {
        EXPECT_EQ(results[i].first, kPop);
      } else if (operations[i].first == kPop) {
        const auto found = std::find(inside.begin(), inside.end(), results[i]);
        if (results[i].first != queue.top() || found == inside.end()) {
          ADD_FAILURE() << "operation " << i << " popped " << results[i].first << ", not " << queue.top();
          return -1;
        }
        queue.pop();
        *found = inside.back();
        inside.pop_back();
      } else if (results[i].first == 1) {
        queue.push(operations[i].first);
        inside.push_back(operations[i]);
        EXPECT_EQ(results[i].second, inside.size());
      } else {
        ++refused;
        EXPECT_EQ(results[i].second, inside.size());
      }
    }
    return refused;
  }
};

// count operations; distances below most, so that a small one gives many equal ones. pops of 100: how many
// operations are pops, while there is something to pop; the last quarter pops only.
std::vector<Pair> RandomOperations(int count, std::uint32_t most, unsigned pops, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Pair> operations;
  int size = 0;
  for (int i = 0; i < count; ++i) {
    const bool pop = size > 0 && (random() % 100 < pops || i > count * 3 / 4);
    operations.emplace_back(pop ? kPop : random() % most, static_cast<std::uint32_t>(i));
    size += pop ? -1 : 1;
  }
  return operations;
}

TEST_F(CudaPriorityQueueTest, PopsTheLeastOfWhatWasPushed) {
  for (const std::uint32_t shared : {0U, 32U, 96U, 1024U}) {
    std::vector<std::vector<Pair>> operations;
    std::uint32_t seed = shared;
    for (const std::uint32_t most : {1U, 5U, 1000U, 0x7F800000U}) {
      for (const unsigned pops : {0U, 30U, 48U, 60U})
        operations.push_back(RandomOperations(3000, most, pops, ++seed));
    }
    const auto results = Operate(operations, shared, 64);
    for (std::size_t i = 0; i < operations.size(); ++i) EXPECT_EQ(Expect(operations[i], results[i]), 0) << i;
  }
}

TEST_F(CudaPriorityQueueTest, RisingAndFallingDistances) {
  std::vector<std::vector<Pair>> operations(2);
  for (std::uint32_t i = 0; i < 2200; ++i) {
    operations[0].emplace_back(i, i);
    operations[1].emplace_back(5000 - i, i);
  }
  for (std::uint32_t i = 0; i < 2200; ++i) {
    for (auto& row : operations) row.emplace_back(kPop, 0);
  }
  const auto results = Operate(operations, 64, 8);
  for (std::size_t i = 0; i < operations.size(); ++i) EXPECT_EQ(Expect(operations[i], results[i]), 0) << i;
}

TEST_F(CudaPriorityQueueTest, GrowsOverManyChunks) {
  // 40,000 pairs: four levels, ten chunks.
  const std::vector<std::vector<Pair>> operations{RandomOperations(53334, 1U << 30, 0, 3)};
  EXPECT_EQ(Expect(operations[0], Operate(operations, 32, 10)[0]), 0);
}

TEST_F(CudaPriorityQueueTest, RefusesWhatDoesNotFitAndKeepsTheRest) {
  // Room for the pair on top and 64 below it.
  const std::vector<std::vector<Pair>> operations{RandomOperations(400, 1000, 10, 4)};
  EXPECT_GT(Expect(operations[0], Operate(operations, 64, 0)[0]), 0);
  // Two queues and one chunk: one of them gets it.
  const std::vector<std::vector<Pair>> two{RandomOperations(400, 1000, 10, 5),
                                           RandomOperations(400, 1000, 10, 6)};
  const auto results = Operate(two, 64, 1);
  const int first = Expect(two[0], results[0]), second = Expect(two[1], results[1]);
  EXPECT_TRUE((first == 0) != (second == 0)) << first << " " << second;
}

TEST_F(CudaPriorityQueueTest, IsUsedAgainAfterClear) {
  std::vector<std::vector<Pair>> operations{RandomOperations(500, 100, 0, 7)};
  operations[0].resize(300);  // pushes only
  operations[0].emplace_back(kClear, 0);
  for (const Pair& operation : RandomOperations(500, 100, 40, 8)) operations[0].push_back(operation);
  // The chunk that it took before is enough.
  EXPECT_EQ(Expect(operations[0], Operate(operations, 32, 1)[0]), 0);
}

}  // namespace
}  // namespace parallax::test
