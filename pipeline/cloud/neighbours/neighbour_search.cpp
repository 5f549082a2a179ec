#include "pipeline/cloud/neighbours/neighbour_search.h"

#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cloud/neighbours/neighbour_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace parallax::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using TagF = hn::CappedTag<float, kTreeWidth>;
using TagU = hn::RebindToUnsigned<TagF>;
using TagI = hn::RebindToSigned<TagF>;
using TagKey = hn::CappedTag<std::int64_t, 8>;
using VF = hn::Vec<TagF>;
using VU = hn::Vec<TagU>;
using VKey = hn::Vec<TagKey>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(TagF()));
constexpr int kKeyLanes = static_cast<int>(hn::MaxLanes(TagKey()));

// Squared distance, then index, as one integer: floats that are not negative are ordered as their bits.
using Key = std::int64_t;
Key MakeKey(std::uint32_t squared, std::int32_t index) { return static_cast<Key>(squared) << 32 | index; }
constexpr Key kNoKey = Key{0x7F800000} << 32 | kBehindAllIndices;  // behind every point, even at +inf

// The k smallest keys so far, ascending, in kVectors vectors. If k does not fill them, their first lanes hold
// 0, so that the last lane is always the k-th key.
template <int kVectors>
class KeyList {
 public:
  static constexpr int kSize = kVectors * kKeyLanes;

  explicit KeyList(int k) {
    alignas(64) Key lanes[kSize];
    for (int i = 0; i < kSize; ++i) lanes[i] = i < kSize - k ? 0 : kNoKey;
    for (int i = 0; i < kVectors; ++i) empty_[i] = hn::Load(TagKey(), lanes + i * kKeyLanes);
    alignas(64) Key back[kKeyLanes];
    for (int i = 0; i < kKeyLanes; ++i) back[i] = (i + kKeyLanes - 1) % kKeyLanes;
    back_ = hn::SetTableIndices(TagKey(), back);
    Clear();
  }
  void Clear() {
    for (int i = 0; i < kVectors; ++i) keys_[i] = empty_[i];
    last_ = kNoKey;
  }
  Key last() const { return last_; }

  // A key at its place, the ones behind it one further: every lane becomes the middle one of itself, the lane
  // before it and the key.
  void Insert(Key key) {
    const TagKey d;
    const VKey k = hn::Set(d, key);
    VKey before = hn::Zero(d);  // of which the first lane counts
    for (int i = 0; i < kVectors; ++i) {
      const VKey turned = hn::TableLookupLanes(keys_[i], back_);
      const VKey shifted = hn::IfThenElse(hn::FirstN(d, 1), before, turned);
      keys_[i] = hn::Min(keys_[i], hn::Max(shifted, k));
      before = turned;
    }
  }
  // The k-th after insertions.
  Key FindLast() { return last_ = hn::GetLane(hn::TableLookupLanes(keys_[kVectors - 1], back_)); }

  // keys: kSize of them.
  void StoreTo(Key* keys) const {
    for (int i = 0; i < kVectors; ++i) hn::Store(keys_[i], TagKey(), keys + i * kKeyLanes);
  }

 private:
  VKey keys_[kVectors], empty_[kVectors];
  decltype(hn::SetTableIndices(TagKey(), static_cast<const Key*>(nullptr))) back_;
  Key last_ = kNoKey;
};

template <int kVectors>
class Search {
 public:
  Search(const PointTree& tree, int k) : tree_(tree), k_(k), list_(k) {}

  // Starts at the point's own leaf and goes up. self: the index to leave out, or kNoNeighbour.
  void FromLeaf(const Point3f& point, std::int64_t leaf, std::int32_t self) {
    Start(point, self);
    VisitLeaf(tree_.leaves.data()[leaf]);
    std::int64_t child = leaf;
    for (std::size_t level = 0; level < tree_.levels.size(); ++level) {
      VisitNode(level, child / kTreeWidth, static_cast<int>(child % kTreeWidth));
      child /= kTreeWidth;
    }
  }
  void FromRoot(const Point3f& point) {
    Start(point, kNoNeighbour);
    if (!tree_.levels.empty()) VisitNode(tree_.levels.size() - 1, 0, -1);
  }

  void Write(std::int64_t row, const NeighbourRows& rows) const {
    alignas(64) Key keys[KeyList<kVectors>::kSize];
    list_.StoreTo(keys);
    const Key* const first = keys + KeyList<kVectors>::kSize - k_;
    float sum = 0;
    int count = 0;
    for (int i = 0; i < k_; ++i) {
      const auto index = static_cast<std::int32_t>(first[i]);
      const float distance = std::sqrt(std::bit_cast<float>(static_cast<std::int32_t>(first[i] >> 32)));
      const bool is_point = index != kBehindAllIndices;
      if (rows.indices != nullptr) rows.indices[row * k_ + i] = is_point ? index : kNoNeighbour;
      if (rows.distances_m != nullptr) rows.distances_m[row * k_ + i] = distance;
      if (is_point) {
        sum += distance;
        ++count;
      }
    }
    if (rows.means_m != nullptr)
      rows.means_m[row] =
          count == 0 ? std::numeric_limits<float>::quiet_NaN() : sum / static_cast<float>(count);
  }

 private:
  void Start(const Point3f& point, std::int32_t self) {
    const TagF d;
    x_ = hn::Set(d, point.x);
    y_ = hn::Set(d, point.y);
    z_ = hn::Set(d, point.z);
    self_ = self;
    list_.Clear();
  }
  // The distance in the last key of the list. Integers compare as the floats do: squares are neither -0 nor
  // NaN.
  std::uint32_t LargestSquared() const { return static_cast<std::uint32_t>(list_.last() >> 32); }

  void VisitLeaf(const TreeLeaf& leaf) {
    const TagF d;
    alignas(64) std::uint32_t squared[kTreeWidth];
    std::uint32_t near = 0;
    const VF largest = hn::BitCast(d, hn::Set(TagU(), LargestSquared()));
    for (int i = 0; i < kTreeWidth; i += kLanes) {
      const VF dx = hn::Sub(x_, hn::Load(d, leaf.x + i));
      const VF dy = hn::Sub(y_, hn::Load(d, leaf.y + i));
      const VF dz = hn::Sub(z_, hn::Load(d, leaf.z + i));
      const VF s = hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz));
      const auto is_self = hn::Eq(hn::Load(TagI(), leaf.index + i), hn::Set(TagI(), self_));
      hn::Store(hn::BitCast(TagU(), s), TagU(), squared + i);
      near |= BitsOf(hn::AndNot(hn::RebindMask(d, is_self), hn::Le(s, largest))) << i;
    }
    if (near == 0) return;
    do {
      const int lane = std::countr_zero(near);
      list_.Insert(MakeKey(squared[lane], leaf.index[lane]));
      near &= near - 1;
    } while (near != 0);
    list_.FindLast();
  }

  // Visits the children that may hold a nearer point, nearest boxes first. skip: a child that was visited
  // already.
  void VisitNode(std::size_t level, std::int64_t index, int skip) {
    const TreeNode& node = tree_.levels[level].data()[index];
    const TagF d;
    alignas(64) std::uint32_t squared[kTreeWidth];
    std::uint32_t near = 0;
    const VF largest = hn::BitCast(d, hn::Set(TagU(), LargestSquared()));
    for (int i = 0; i < kTreeWidth; i += kLanes) {
      const VF dx = Outside(x_, node.low[0] + i, node.high[0] + i);
      const VF dy = Outside(y_, node.low[1] + i, node.high[1] + i);
      const VF dz = Outside(z_, node.low[2] + i, node.high[2] + i);
      // Every step is monotone and rounded as for a point's distance, so no point of the box is nearer.
      const VF s = hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz));
      hn::Store(hn::BitCast(TagU(), s), TagU(), squared + i);
      near |= BitsOf(hn::Le(s, largest)) << i;
    }
    if (skip >= 0) near &= ~(1U << skip);
    while (near != 0) {
      int nearest = std::countr_zero(near);
      for (std::uint32_t others = near & (near - 1); others != 0; others &= others - 1) {
        const int other = std::countr_zero(others);
        if (squared[other] < squared[nearest]) nearest = other;
      }
      near &= ~(1U << nearest);
      // Equal distances matter only if the box holds a smaller index; otherwise all equal points would be
      // visited.
      if (MakeKey(squared[nearest], node.smallest_index[nearest]) >= list_.last()) {
        if (squared[nearest] > LargestSquared()) return;
        continue;
      }
      const std::int64_t child = index * kTreeWidth + nearest;
      if (level == 0) {
        VisitLeaf(tree_.leaves.data()[child]);
      } else {
        VisitNode(level - 1, child, -1);
      }
    }
  }

  static VF Outside(VF value, const float* low, const float* high) {
    const TagF d;
    const VF beyond = hn::Max(hn::Sub(hn::Load(d, low), value), hn::Sub(value, hn::Load(d, high)));
    return hn::Max(beyond, hn::Zero(d));
  }
  template <class M>
  static std::uint32_t BitsOf(M mask) {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(TagF(), mask, bytes);
    return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8;
  }

  const PointTree& tree_;
  int k_;
  KeyList<kVectors> list_;
  VF x_, y_, z_;
  std::int32_t self_ = kNoNeighbour;
};

// Calls body(Search) with the fewest vectors, a power of two, that hold k keys.
template <int kVectors, typename F>
void WithSearch(const PointTree& tree, int k, const F& body) {
  if constexpr (kVectors * kKeyLanes < kLargestNumNeighbours) {
    if (kVectors * kKeyLanes < k) return WithSearch<2 * kVectors>(tree, k, body);
  }
  Search<kVectors> search(tree, k);
  body(search);
}

void SearchFromLeavesOfTarget(const PointTree& tree, std::int64_t first, std::int64_t last, bool include_self,
                              const NeighbourRows& rows) {
  WithSearch<1>(tree, rows.k, [&](auto& search) {
    for (std::int64_t i = first; i < last; ++i) {
      const TreeLeaf& leaf = tree.leaves.data()[i];
      const auto count = std::min<std::int64_t>(kTreeWidth, tree.num_points - i * kTreeWidth);
      for (std::int64_t j = 0; j < count; ++j) {
        const std::int32_t index = leaf.index[j];
        search.FromLeaf({leaf.x[j], leaf.y[j], leaf.z[j]}, i, include_self ? kNoNeighbour : index);
        search.Write(index, rows);
      }
    }
  });
}

void SearchFromQueriesOfTarget(const PointTree& tree, const Point3f* queries, const std::int32_t* order,
                               std::size_t count, const NeighbourRows& rows) {
  WithSearch<1>(tree, rows.k, [&](auto& search) {
    for (std::size_t i = 0; i < count; ++i) {
      search.FromRoot(queries[order[i]]);
      search.Write(order[i], rows);
    }
  });
}

}  // namespace
}  // namespace parallax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax {

HWY_EXPORT(SearchFromLeavesOfTarget);
HWY_EXPORT(SearchFromQueriesOfTarget);

void SearchFromLeaves(const PointTree& tree, std::int64_t first, std::int64_t last, bool include_self,
                      const NeighbourRows& rows) {
  HWY_DYNAMIC_DISPATCH(SearchFromLeavesOfTarget)(tree, first, last, include_self, rows);
}

void SearchFromQueries(const PointTree& tree, std::span<const Point3f> queries,
                       std::span<const std::int32_t> order, const NeighbourRows& rows) {
  HWY_DYNAMIC_DISPATCH(SearchFromQueriesOfTarget)(tree, queries.data(), order.data(), order.size(), rows);
}

void ClearRow(std::int64_t row, const NeighbourRows& rows) {
  if (rows.indices != nullptr) std::fill_n(rows.indices + row * rows.k, rows.k, kNoNeighbour);
  if (rows.distances_m != nullptr)
    std::fill_n(rows.distances_m + row * rows.k, rows.k, std::numeric_limits<float>::infinity());
  if (rows.means_m != nullptr) rows.means_m[row] = std::numeric_limits<float>::quiet_NaN();
}

}  // namespace parallax
#endif
