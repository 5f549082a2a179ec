// A queue of distances and nodes, nearest first, for searches whose distances only grow.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace parallax {

// A radix heap (Ahuja, Mehlhorn, Orlin & Tarjan 1990, "Faster algorithms for the shortest path problem") over
// the bits of floats >= 0, which have the same order as the floats. Bucket b holds the entries whose highest
// bit that differs from the last popped one is bit b - 1. An entry only moves to lower buckets.
class RadixHeap {
 public:
  struct Entry {
    float distance;
    std::int32_t node;
  };

  bool Empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  void Clear() {
    for (auto& bucket : buckets_) bucket.clear();
    last_ = 0;
    size_ = 0;
  }

  // The entry's distance must be >= 0 and >= that of the last popped entry.
  void Push(Entry entry) {
    ++size_;
    BucketOf(entry).push_back(entry);
  }

  // Must not be empty. Among entries at the same distance any one is taken.
  Entry Pop() {
    if (buckets_[0].empty()) Refill();
    const Entry entry = buckets_[0].back();
    buckets_[0].pop_back();
    --size_;
    return entry;
  }

 private:
  std::vector<Entry>& BucketOf(Entry entry) {
    const std::uint32_t differing = std::bit_cast<std::uint32_t>(entry.distance) ^ last_;
    return buckets_[static_cast<std::size_t>(std::bit_width(differing))];
  }

  // Distributes the first bucket that is not empty, its nearest entries to bucket 0.
  void Refill() {
    std::size_t first = 1;
    while (buckets_[first].empty()) ++first;
    std::vector<Entry>& bucket = buckets_[first];
    float nearest = bucket.front().distance;
    for (const Entry& entry : bucket) nearest = std::min(nearest, entry.distance);
    last_ = std::bit_cast<std::uint32_t>(nearest);
    for (const Entry& entry : bucket) BucketOf(entry).push_back(entry);
    bucket.clear();
  }

  std::array<std::vector<Entry>, 33> buckets_;
  std::uint32_t last_ = 0;  // bits of the last popped distance
  std::size_t size_ = 0;
};

}  // namespace parallax
