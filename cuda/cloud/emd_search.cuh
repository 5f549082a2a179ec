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

inline constexpr int kBatch = 4;  // boxes whose loads are under way together

struct Best {
  int object, value, price, second_value;
};

// The best two objects a lane has seen.
struct LaneBest {
  int object = 0x7FFFFFFF, value = kFarValue, price = 0, second_value = kFarValue;

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

// Best and second best object of person i, ties by the lower index, all lanes.
template <bool kFlat>
__device__ Best Choose(const EmdPairOnDevice& pair, const unsigned long long* states, int i) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const float4 p = __ldg(pair.a + i);
  LaneBest mine;
  const auto price_of = [&](int j) { return LoadShared(PriceWord(states, j)); };
  const auto look = [&](int box, int price, const float4& q) {
    if (price < kFarValue) mine.See(box * kEmdBox + lane, Cost(p, q) + price, price);
    const int least = WarpMin(price);
    if (lane == 0) StoreShared(pair.box_price + box, least);
  };
  const int hint = pair.hint[i];
  // Loads of the hint's box are under way while bounds of the others are computed.
  const int hint_price = price_of(hint * kEmdBox + lane);
  const float4 hint_point = __ldg(pair.b + hint * kEmdBox + lane);
  // Looks into the boxes first + bits of candidates, kBatch at a time.
  const auto look_into = [&](int first, unsigned candidates) {
    while (candidates != 0) {
      int box[kBatch], price[kBatch];
      float4 q[kBatch];
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        box[k] = candidates != 0 ? first + __ffs(candidates) - 1 : -1;
        candidates &= candidates - 1;
        if (box[k] < 0) continue;
        price[k] = price_of(box[k] * kEmdBox + lane);
        q[k] = __ldg(pair.b + box[k] * kEmdBox + lane);
      }
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        if (box[k] >= 0) look(box[k], price[k], q[k]);
      }
    }
  };
  if constexpr (kFlat) {
    constexpr int kMine = kFlatBoxes / 32;
    int bounds[kMine];
#pragma unroll
    for (int k = 0; k < kMine; ++k) {
      const int box = k * 32 + lane;
      bounds[k] = kFarValue + 1;
      if (box < pair.num_boxes && box != hint) {
        bounds[k] = LeastCost(p, pair.b_boxes + 2 * box) + LoadShared(pair.box_price + box);
      }
    }
    look(hint, hint_price, hint_point);
    Best best = mine.Reduce();
#pragma unroll
    for (int k = 0; k < kMine; ++k) {
      const unsigned candidates = __ballot_sync(kAllLanes, bounds[k] <= best.second_value);
      if (candidates == 0) continue;
      look_into(k * 32, candidates);
      best = mine.Reduce();
    }
    return best;
  } else {
    look(hint, hint_price, hint_point);
    Best best = mine.Reduce();
    for (int first = 0; first < pair.num_parents; first += 32) {
      const int parent = first + lane;
      int bound = kFarValue + 1;
      if (parent < pair.num_parents) {
        bound = LeastCost(p, pair.b_parents + 2 * parent) + LoadShared(pair.parent_price + parent);
      }
      while (true) {
        const int least = WarpMin(bound);
        if (least > best.second_value) break;
        const int source = __ffs(__ballot_sync(kAllLanes, bound == least)) - 1;
        if (lane == source) bound = kFarValue + 1;
        const int base = (first + source) * kEmdBox, box = base + lane;
        int box_bound = kFarValue + 1, box_price = kFarValue;
        if (box < pair.num_boxes) {
          box_price = LoadShared(pair.box_price + box);
          box_bound = LeastCost(p, pair.b_boxes + 2 * box) + box_price;
        }
        const int least_price = WarpMin(box_price);
        if (lane == 0) StoreShared(pair.parent_price + first + source, least_price);
        if (box == hint) box_bound = kFarValue + 1;
        const int near = WarpMin(box_bound) + 1;
        unsigned candidates = __ballot_sync(kAllLanes, box_bound <= min(best.second_value, near));
        if (candidates == 0) continue;
        look_into(base, candidates);
        best = mine.Reduce();
        candidates = __ballot_sync(kAllLanes, box_bound <= best.second_value && box_bound > near);
        if (candidates == 0) continue;
        look_into(base, candidates);
        best = mine.Reduce();
      }
    }
    return best;
  }
}

// best = min(best, cost + label) of every person but except, for object j.
template <bool kFlat>
__device__ void Push(const EmdPairOnDevice& pair, int j, int label, int except) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const float4 p = __ldg(pair.b + j);
  const auto lower_boxes = [&](int first, unsigned candidates) {
    while (candidates != 0) {
      int box[kBatch], old[kBatch];
      float4 q[kBatch];
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        box[k] = candidates != 0 ? first + __ffs(candidates) - 1 : -1;
        candidates &= candidates - 1;
        if (box[k] < 0) continue;
        old[k] = LoadShared(pair.best + box[k] * kEmdBox + lane);
        q[k] = __ldg(pair.a + box[k] * kEmdBox + lane);
      }
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        if (box[k] < 0) continue;
        const int i = box[k] * kEmdBox + lane, value = Cost(p, q[k]) + label;
        const bool lower = value < old[k] && i != except;
        if (lower) atomicMin(pair.best + i, value);
        const int largest = WarpMax(lower ? value : old[k]);
        if (lane == 0) StoreShared(pair.box_best + box[k], largest);
      }
    }
  };
  if constexpr (kFlat) {
    constexpr int kMine = kFlatBoxes / 32;
    unsigned candidates[kMine];
#pragma unroll
    for (int k = 0; k < kMine; ++k) {
      const int box = k * 32 + lane;
      bool reaches = false;
      if (box < pair.num_boxes) {
        reaches = LeastCost(p, pair.a_boxes + 2 * box) + label < LoadShared(pair.box_best + box);
      }
      candidates[k] = __ballot_sync(kAllLanes, reaches);
    }
#pragma unroll
    for (int k = 0; k < kMine; ++k) lower_boxes(k * 32, candidates[k]);
  } else {
    for (int first = 0; first < pair.num_parents; first += 32) {
      const int parent = first + lane;
      bool reaches = false;
      if (parent < pair.num_parents) {
        reaches = LeastCost(p, pair.a_parents + 2 * parent) + label < LoadShared(pair.parent_best + parent);
      }
      for (unsigned parents = __ballot_sync(kAllLanes, reaches); parents != 0; parents &= parents - 1) {
        const int source = first + __ffs(parents) - 1, base = source * kEmdBox, box = base + lane;
        int most = -kFarValue;
        reaches = false;
        if (box < pair.num_boxes) {
          most = LoadShared(pair.box_best + box);
          reaches = LeastCost(p, pair.a_boxes + 2 * box) + label < most;
        }
        const int largest = WarpMax(most);
        if (lane == 0) StoreShared(pair.parent_best + source, largest);
        lower_boxes(base, __ballot_sync(kAllLanes, reaches));
      }
    }
  }
}

}  // namespace parallax::cuda
