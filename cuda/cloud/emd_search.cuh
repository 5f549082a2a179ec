// What one warp does for one person or object of an auction: look into the boxes of the other cloud that
// matter, 32 points at a time, one a lane.
#pragma once

#include <cstdint>

#include "cuda/cloud/emd_kernel.h"

namespace parallax::cuda {

inline constexpr unsigned kAllLanes = 0xFFFFFFFFu;
inline constexpr int kFarValue = 1 << 29;
inline constexpr int kLargestRaise = 1 << 25;

#if __CUDA_ARCH__ >= 800
__device__ inline int WarpMin(int value) { return __reduce_min_sync(kAllLanes, value); }
__device__ inline int WarpMax(int value) { return __reduce_max_sync(kAllLanes, value); }
#else
__device__ inline int WarpMin(int value) {
  for (int i = 16; i > 0; i /= 2) value = min(value, __shfl_xor_sync(kAllLanes, value, i));
  return value;
}
__device__ inline int WarpMax(int value) {
  for (int i = 16; i > 0; i /= 2) value = max(value, __shfl_xor_sync(kAllLanes, value, i));
  return value;
}
#endif

__device__ inline float ApproximateRoot(float square) {
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(square));
  return root;
}

__device__ inline int CostOf(float dx, float dy, float dz) {
  return static_cast<int>(ApproximateRoot(fmaf(dx, dx, fmaf(dy, dy, dz * dz))));
}
__device__ inline int Cost(const float4& p, const float4& q) {
  return CostOf(p.x - q.x, p.y - q.y, p.z - q.z);
}
__device__ inline double Distance(const float4& p, const float4& q) {
  const double dx = static_cast<double>(p.x) - q.x, dy = static_cast<double>(p.y) - q.y,
               dz = static_cast<double>(p.z) - q.z;
  return sqrt(dx * dx + dy * dy + dz * dz);
}
// No point of the box costs less.
__device__ inline int LeastCost(const float4& p, const float4* box) {
  const float4 low = __ldg(box), high = __ldg(box + 1);
  const float dx = fmaxf(0.0f, fmaxf(low.x - p.x, p.x - high.x));
  const float dy = fmaxf(0.0f, fmaxf(low.y - p.y, p.y - high.y));
  const float dz = fmaxf(0.0f, fmaxf(low.z - p.z, p.z - high.z));
  return static_cast<int>(ApproximateRoot(fmaf(dx, dx, fmaf(dy, dy, dz * dz))) * (1 - 1e-6f)) - 1;
}

// What other blocks write during the launch is read and written past the multiprocessor's own cache, so that
// a barrier need not empty that cache: what never changes stays in it.
__device__ inline int LoadShared(const int* word) {
  int value;
  asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(word));
  return value;
}
__device__ inline unsigned long long LoadShared(const unsigned long long* word) {
  unsigned long long value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word));
  return value;
}
__device__ inline long long LoadShared(const long long* word) {
  return static_cast<long long>(LoadShared(reinterpret_cast<const unsigned long long*>(word)));
}
__device__ inline void StoreShared(int* word, int value) {
  asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" : : "l"(word), "r"(value));
}
__device__ inline void StoreShared(unsigned long long* word, unsigned long long value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(word), "l"(value));
}
// The price of a state: the upper half of its word.
__device__ inline const int* PriceWord(const unsigned long long* states, int j) {
  return reinterpret_cast<const int*>(states + j) + 1;
}

inline constexpr int kBatch = 8;   // boxes whose loads are under way together
inline constexpr int kGroups = 4;  // groups of 32 boxes that are looked over together

struct Best {
  int object, value, price, second_value;
};

// The best two objects a lane has seen.
struct LaneBest {
  int object = 0x7FFFFFFF, value = kFarValue, price = 0, second_value = kFarValue;

  __device__ LaneBest() {}
  __device__ explicit LaneBest(const Best& best)
      : object(best.object), value(best.value), price(best.price), second_value(best.second_value) {}

  __device__ void See(int j, int v, int p) {
    if (v < value || (v == value && j < object)) {
      second_value = value;
      value = v, object = j, price = p;
    } else if (v < second_value) {
      second_value = v;
    }
  }
  // The second best of all lanes, which bounds what matters.
  __device__ Best Reduce() const {
    Best best;
    best.value = WarpMin(value);
    best.object = WarpMin(value == best.value ? object : 0x7FFFFFFF);
    const bool is_mine = value == best.value && object == best.object;
    best.second_value = WarpMin(is_mine ? second_value : value);
    best.price = __shfl_sync(kAllLanes, price, __ffs(__ballot_sync(kAllLanes, is_mine)) - 1);
    return best;
  }
};

// Several warps of a block may look for the same person or object: each into its share of the boxes. A power
// of two.
struct Team {
  int size = 1, part = 0;

  // The boxes of a group that are this warp's, and whether a parent is.
  __device__ unsigned Boxes(bool flat) const {
    const int ways = flat ? size : min(size, 4);
    unsigned bits = 1u << (part % ways);
    for (int step = ways; step < 32; step *= 2) bits |= bits << step;
    return bits;
  }
  __device__ bool HasParent(int number) const { return size <= 4 || number % (size / 4) == part / 4; }
};

// Which boxes of up to kGroups groups to look into, 32 bits a group. Uniform over the warp.
struct BoxMask {
  unsigned long long low = 0, high = 0;  // groups 0, 1 and 2, 3

  __device__ void Set(int group, unsigned bits) {
    const unsigned long long shifted = static_cast<unsigned long long>(bits) << (group % 2 * 32);
    (group < 2 ? low : high) |= shifted;
  }
  __device__ void Keep(int group, unsigned bits) {
    const unsigned long long shifted = static_cast<unsigned long long>(~bits) << (group % 2 * 32);
    (group < 2 ? low : high) &= ~shifted;
  }
  __device__ bool IsEmpty() const { return (low | high) == 0; }
  // Takes a box: group * 32 + number in the group; -1 where none is left.
  __device__ int Take() {
    const bool from_low = low != 0;
    const int bit = __ffsll(static_cast<long long>(from_low ? low : high)) - 1;
    if (from_low) {
      low &= low - 1;
    } else {
      high &= high - 1;
    }
    return bit < 0 ? -1 : bit + (from_low ? 0 : 64);
  }
};

// Element number of values, which all lanes agree on.
__device__ inline int Select(const int (&values)[kGroups], int number) {
  return number < 2 ? (number == 0 ? values[0] : values[1]) : (number == 2 ? values[2] : values[3]);
}

// Calls look_over(first group number in lane 0, second in lane 1, ... or -1) for all groups of boxes that
// matter: all where kFlat, else those whose parents' bounds pass, kGroups at a time.
// parent_bounds: of parents; look_over's second argument is this one's, in the same lane as the group's
// number.
template <bool kFlat, typename Passes, typename LookOver>
__device__ void ForGroups(const EmdPairOnDevice& pair, Team team, const int* parent_bounds, Passes passes,
                          LookOver look_over) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  if constexpr (kFlat) {
    for (int first = 0; first < pair.num_parents; first += kGroups) {
      look_over(first + lane < pair.num_parents ? first + lane : -1, 0);
    }
  } else {
    for (int first = 0; first < pair.num_parents; first += 32) {
      const int parent = first + lane;
      int bound = 0;
      bool enters = parent < pair.num_parents && team.HasParent(parent);
      if (enters) {
        bound = LoadShared(parent_bounds + parent);
        enters = passes(parent, bound);
      }
      unsigned parents = __ballot_sync(kAllLanes, enters);
      while (parents != 0) {
        int source = -1;
#pragma unroll
        for (int k = 0; k < kGroups; ++k) {
          if (lane == k) source = __ffs(parents) - 1;
          parents &= parents - 1;
        }
        const int of_group = __shfl_sync(kAllLanes, bound, max(source, 0));
        look_over(source < 0 || lane >= kGroups ? -1 : first + source, of_group);
      }
    }
  }
}

// Best and second best object of person i among the team's share of objects, ties by the lower index; all
// lanes. hint: a box to begin with.
template <bool kFlat>
__device__ Best Choose(const EmdPairOnDevice& pair, const unsigned long long* states, int i, int hint,
                       Team team) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const float4 p = __ldg(pair.a + i);
  LaneBest mine;
  const auto price_of = [&](int j) { return LoadShared(PriceWord(states, j)); };
  // Bounds are words that all multiprocessors read: they are written only where they change.
  const auto look = [&](int box, bool valid, int price, const float4& q, int known_price) {
    const bool real = valid && price < kFarValue;
    mine.See(box * kEmdBox + lane, real ? Cost(p, q) + price : kFarValue + 1, price);
    const int least = WarpMin(price);
    if (lane == 0 && valid && least != known_price) StoreShared(pair.box_price + box, least);
  };
  const int hint_price = price_of(hint * kEmdBox + lane);
  const float4 hint_point = __ldg(pair.b + hint * kEmdBox + lane);
  int limit = kFarValue;  // at least the second best of all objects
  bool is_first = true;
  const unsigned share = team.Boxes(kFlat);
  const int known = LoadShared(pair.box_price + hint);
  const auto look_at_hint = [&] {
    look(hint, true, hint_price, hint_point, known);
    limit = mine.Reduce().second_value;
    if (team.part != 0) mine = LaneBest();
    is_first = false;
  };
  const auto look_over = [&](int group, [[maybe_unused]] int parent_bound) {
    int bounds[kGroups], prices[kGroups];
#pragma unroll
    for (int k = 0; k < kGroups; ++k) {
      const int of = __shfl_sync(kAllLanes, group, k), box = of * kEmdBox + lane;
      bounds[k] = kFarValue + 1;
      prices[k] = kFarValue;
      if (of >= 0 && box < pair.num_boxes) {
        prices[k] = LoadShared(pair.box_price + box);
        bounds[k] = LeastCost(p, pair.b_boxes + 2 * box);
      }
    }
    if (is_first) {  // its loads were under way with those above
      look_at_hint();
    }
    BoxMask mask;
#pragma unroll
    for (int k = 0; k < kGroups; ++k) {
      const int of = __shfl_sync(kAllLanes, group, k);
      if (!kFlat) {
        const int least = WarpMin(prices[k]);
        if (lane == k && of >= 0 && least != parent_bound) StoreShared(pair.parent_price + of, least);
      }
      bounds[k] += prices[k] < kFarValue ? prices[k] : 0;
      mask.Set(k, share & __ballot_sync(kAllLanes, bounds[k] <= limit && of * kEmdBox + lane != hint));
    }
    while (!mask.IsEmpty()) {
      int box[kBatch], price[kBatch], known_price[kBatch];
      float4 q[kBatch];
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        const int taken = mask.Take();
        const int of = __shfl_sync(kAllLanes, group, taken < 0 ? 0 : taken / kEmdBox);
        box[k] = taken < 0 ? -1 : of * kEmdBox + taken % kEmdBox;
        const int j = (taken < 0 ? hint : box[k]) * kEmdBox + lane;
        price[k] = price_of(j);
        q[k] = __ldg(pair.b + j);
        known_price[k] =
            __shfl_sync(kAllLanes, Select(prices, max(taken, 0) / kEmdBox), max(taken, 0) % kEmdBox);
      }
#pragma unroll
      for (int k = 0; k < kBatch; ++k) look(box[k], box[k] >= 0, price[k], q[k], known_price[k]);
      limit = min(limit, mine.Reduce().second_value);
      if (mask.IsEmpty()) break;
#pragma unroll
      for (int k = 0; k < kGroups; ++k) {
        mask.Keep(k, __ballot_sync(kAllLanes, bounds[k] <= limit));
      }
    }
  };
  if (!kFlat) {
    look_at_hint();
  }
  ForGroups<kFlat>(
      pair, team, pair.parent_price,
      [&](int parent, int least) { return LeastCost(p, pair.b_parents + 2 * parent) + least <= limit; },
      look_over);
  return mine.Reduce();
}

// best = min(best, cost + label) of every person but except, for object j.
template <bool kFlat>
__device__ void Push(const EmdPairOnDevice& pair, int j, int label, int except, Team team) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const float4 p = __ldg(pair.b + j);
  const unsigned share = team.Boxes(kFlat);
  const auto look_over = [&](int group, [[maybe_unused]] int parent_bound) {
    BoxMask mask;
    int most[kGroups], bounds[kGroups];
#pragma unroll
    for (int k = 0; k < kGroups; ++k) {
      const int of = __shfl_sync(kAllLanes, group, k), box = of * kEmdBox + lane;
      most[k] = -kFarValue;
      bounds[k] = 0;
      if (of >= 0 && box < pair.num_boxes) {
        most[k] = LoadShared(pair.box_best + box);
        bounds[k] = LeastCost(p, pair.a_boxes + 2 * box);
      }
    }
#pragma unroll
    for (int k = 0; k < kGroups; ++k) {
      if (!kFlat) {
        const int of = __shfl_sync(kAllLanes, group, k), largest = WarpMax(most[k]);
        if (lane == k && of >= 0 && largest < parent_bound) StoreShared(pair.parent_best + of, largest);
      }
      mask.Set(k, share & __ballot_sync(kAllLanes, bounds[k] + label < most[k]));
    }
    while (!mask.IsEmpty()) {
      int box[kBatch], old[kBatch], known_most[kBatch];
      float4 q[kBatch];
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        const int taken = mask.Take();
        const int of = __shfl_sync(kAllLanes, group, taken < 0 ? 0 : taken / kEmdBox);
        box[k] = taken < 0 ? -1 : of * kEmdBox + taken % kEmdBox;
        const int i = (taken < 0 ? 0 : box[k]) * kEmdBox + lane;
        old[k] = LoadShared(pair.best + i);
        q[k] = __ldg(pair.a + i);
        known_most[k] =
            __shfl_sync(kAllLanes, Select(most, max(taken, 0) / kEmdBox), max(taken, 0) % kEmdBox);
      }
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        const int i = box[k] * kEmdBox + lane, value = Cost(p, q[k]) + label;
        const bool lower = box[k] >= 0 && value < old[k] && i != except;
        if (lower) atomicMin(pair.best + i, value);
        const int largest = WarpMax(lower ? value : old[k]);
        if (lane == 0 && box[k] >= 0 && largest < known_most[k]) StoreShared(pair.box_best + box[k], largest);
      }
    }
  };
  ForGroups<kFlat>(
      pair, team, pair.parent_best,
      [&](int parent, int largest) { return LeastCost(p, pair.a_parents + 2 * parent) + label < largest; },
      look_over);
}

}  // namespace parallax::cuda
