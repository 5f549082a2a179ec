#include "pipeline/cloud/curve_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "pipeline/cloud/finite.h"
#include "pipeline/cloud/hilbert.h"

namespace parallax {
namespace {

constexpr std::int64_t kPartSize = 1 << 16;     // points a task
constexpr std::int64_t kSerialSize = 1 << 15;   // shorter runs are ordered by one thread
constexpr std::int64_t kCompareSize = 1 << 10;  // shorter ones by comparisons
constexpr int kBlock = 16 * kHilbertBlock;      // points whose keys are made at a time
constexpr int kDigitBits = kHilbertBits, kDigits = 1 << kDigitBits;

// A point's key in the upper half, its index in the lower.
using Item = std::uint64_t;
std::uint32_t KeyOf(Item item) { return static_cast<std::uint32_t>(item >> 32); }
std::uint32_t IndexOf(Item item) { return static_cast<std::uint32_t>(item); }

struct Box {
  float low[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF};
  float high[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};

  void Add(const Point3f& p) {
    const float values[3] = {p.x, p.y, p.z};
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], values[i]);
      high[i] = std::max(high[i], values[i]);
    }
  }
  void Add(const Box& other) {
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], other.low[i]);
      high[i] = std::max(high[i], other.high[i]);
    }
  }
  double Extent() const {
    double extent = 0;
    for (int i = 0; i < 3; ++i) extent = std::max(extent, double{high[i]} - double{low[i]});
    return extent;
  }
};

using Points = std::span<const Point3f>;
using Items = std::span<Item>;

Box BoxOf(Points points, Items items) {
  Box box;
  for (const Item item : items) box.Add(points[IndexOf(item)]);
  return box;
}

// Writes the keys of items, in the cube over box.
void MakeKeys(Points points, const Box& box, double extent, Items items) {
  alignas(64) std::uint32_t x[kBlock] = {}, y[kBlock] = {}, z[kBlock] = {}, keys[kBlock];
  // 0.001 keeps the farthest point in the last cell.
  const double cells = ((1 << kHilbertBits) - 0.001) / extent;
  const auto cell = [&](float value, float low) {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>((double{value} - double{low}) * cells));
  };
  for (std::size_t first = 0; first < items.size(); first += kBlock) {
    const Items block = items.subspan(first, std::min<std::size_t>(kBlock, items.size() - first));
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Point3f& p = points[IndexOf(block[i])];
      x[i] = cell(p.x, box.low[0]);
      y[i] = cell(p.y, box.low[1]);
      z[i] = cell(p.z, box.low[2]);
    }
    const int count = static_cast<int>(block.size() + kHilbertBlock - 1) / kHilbertBlock * kHilbertBlock;
    HilbertKeys(x, y, z, count, keys);
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = Item{keys[i]} << 32 | IndexOf(block[i]);
  }
}

// Runs of more than kRefinedRun equal keys.
template <typename F>
void ForLongRuns(Items items, const F& body) {
  for (std::size_t begin = 0; begin < items.size();) {
    std::size_t end = begin + 1;
    while (end < items.size() && KeyOf(items[end]) == KeyOf(items[begin])) ++end;
    if (end - begin > static_cast<std::size_t>(kRefinedRun)) body(items.subspan(begin, end - begin));
    begin = end;
  }
}

int NumParts(std::size_t size) {
  return static_cast<int>((static_cast<std::int64_t>(size) + kPartSize - 1) / kPartSize);
}
template <typename T>
std::span<T> PartOf(std::span<T> all, int part) {
  const std::size_t first = static_cast<std::size_t>(part) * kPartSize;
  return all.subspan(first, std::min<std::size_t>(kPartSize, all.size() - first));
}

// Sorts by key, stably: digits from the lowest on. Each part of the items has its own places, so the result
// does not depend on which thread handles a part.
void RadixSort(Items items, std::vector<Item>& scratch, ThreadPool& pool) {
  scratch.resize(std::max(scratch.size(), items.size()));
  const int parts = NumParts(items.size());
  std::vector<std::array<std::uint32_t, kDigits>> places(parts);
  Items from = items, to = Items(scratch).first(items.size());
  for (int shift = 32; shift < 32 + 3 * kHilbertBits; shift += kDigitBits) {
    const auto digit = [shift](Item item) { return (item >> shift) & (kDigits - 1); };
    pool.ParallelFor(parts, [&](int part) {
      places[part].fill(0);
      for (const Item item : PartOf(from, part)) ++places[part][digit(item)];
    });
    std::uint32_t place = 0;
    for (int d = 0; d < kDigits; ++d) {
      for (auto& of_part : places) place += std::exchange(of_part[d], place);
    }
    pool.ParallelFor(parts, [&](int part) {
      for (const Item item : PartOf(from, part)) to[places[part][digit(item)]++] = item;
    });
    std::swap(from, to);
  }
  std::copy(from.begin(), from.end(), items.begin());  // three passes end in scratch
}

void OrderSerially(Points points, Items items, std::vector<Item>& scratch, ThreadPool& alone) {
  const Box box = BoxOf(points, items);
  const double extent = box.Extent();
  if (!(extent > 0)) return;  // equal points, in the order of their indices
  MakeKeys(points, box, extent, items);
  if (static_cast<std::int64_t>(items.size()) <= kCompareSize) {
    std::sort(items.begin(), items.end());
  } else {
    RadixSort(items, scratch, alone);
  }
  ForLongRuns(items, [&](Items run) { OrderSerially(points, run, scratch, alone); });
}

void Order(Points points, Items items, std::vector<Item>& scratch, ThreadPool& pool) {
  const int parts = NumParts(items.size());
  std::vector<Box> boxes(parts);
  pool.ParallelFor(parts, [&](int part) { boxes[part] = BoxOf(points, PartOf(items, part)); });
  Box box;
  for (const Box& of_part : boxes) box.Add(of_part);
  const double extent = box.Extent();
  if (!(extent > 0)) return;
  pool.ParallelFor(parts, [&](int part) { MakeKeys(points, box, extent, PartOf(items, part)); });
  RadixSort(items, scratch, pool);

  std::vector<Items> runs, long_runs;
  ForLongRuns(items, [&](Items run) {
    (static_cast<std::int64_t>(run.size()) > kSerialSize ? long_runs : runs).push_back(run);
  });
  for (const Items run : long_runs) Order(points, run, scratch, pool);
  constexpr int kRunsPerTask = 32;
  pool.ParallelFor(static_cast<int>((runs.size() + kRunsPerTask - 1) / kRunsPerTask), [&](int task) {
    std::vector<Item> own_scratch;
    ThreadPool alone(1);
    const std::size_t begin = static_cast<std::size_t>(task) * kRunsPerTask;
    for (std::size_t i = begin; i < std::min(begin + kRunsPerTask, runs.size()); ++i)
      OrderSerially(points, runs[i], own_scratch, alone);
  });
}

}  // namespace

std::vector<std::int32_t> CurveOrder(Points points, ThreadPool& pool) {
  const int parts = NumParts(points.size());
  std::vector<std::size_t> firsts(parts + 1, 0);
  pool.ParallelFor(parts, [&](int part) {
    const Points of_part = PartOf(points, part);
    firsts[part + 1] = static_cast<std::size_t>(std::count_if(of_part.begin(), of_part.end(), IsFinite));
  });
  for (int part = 0; part < parts; ++part) firsts[part + 1] += firsts[part];
  std::vector<Item> items(firsts[parts]), scratch;
  pool.ParallelFor(parts, [&](int part) {
    Item* out = items.data() + firsts[part];
    const Points of_part = PartOf(points, part);
    for (std::size_t i = 0; i < of_part.size(); ++i) {
      if (IsFinite(of_part[i])) *out++ = static_cast<Item>(part) * kPartSize + i;
    }
  });
  Order(points, items, scratch, pool);

  std::vector<std::int32_t> order(items.size());
  const Items ordered(items);
  pool.ParallelFor(NumParts(items.size()), [&](int part) {
    const Items from = PartOf(ordered, part);
    std::int32_t* to = PartOf(std::span(order), part).data();
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<std::int32_t>(IndexOf(from[i]));
  });
  return order;
}

}  // namespace parallax
