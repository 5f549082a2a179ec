// The work of one warp for one person or object of an auction: it searches the boxes of the other cloud that
// matter, 32 points at a time, one for each lane.
#pragma once

#include <cstdint>

#include "cuda/cloud/emd/emd_boxes.cuh"

namespace parallax::cuda {

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
  // The best object of all lanes, and the second best value, which bounds the search.
  __device__ Best Reduce() const {
    Best best;
    best.value = WarpMin(value);
    best.object = WarpMin(value == best.value ? object : 0x7FFFFFFF);
    const bool is_mine = value == best.value && object == best.object;
    best.second_value = WarpMin(is_mine ? second_value : value);
    best.price = __shfl_sync(kFullWarp, price, __ffs(__ballot_sync(kFullWarp, is_mine)) - 1);
    return best;
  }
};

// Best and second best object of person i among the team's share of objects, ties by the lower index; all
// lanes. hint: the box to search first.
template <bool kFlat>
__device__ Best Choose(const EmdPairOnDevice& pair, const unsigned long long* states, int i, int hint,
                       Team team) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const float4 p = __ldg(pair.a + i);
  LaneBest mine;
  const auto price_of = [&](int j) { return LoadShared(PriceWord(states, j)); };
  // All multiprocessors read these bounds; they are written only when they change.
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
    LookOverBoxes(p, group, pair.b_boxes, pair.num_boxes, pair.box_price, kFarValue, prices, bounds);
    if (is_first) {  // its loads were in flight with those above
      look_at_hint();
    }
    BoxMask mask;
#pragma unroll
    for (int k = 0; k < kGroups; ++k) {
      const int of = __shfl_sync(kFullWarp, group, k);
      if (!kFlat) {
        const int least = WarpMin(prices[k]);
        if (lane == k && of >= 0 && least != parent_bound) StoreShared(pair.parent_price + of, least);
      }
      bounds[k] += prices[k] < kFarValue ? prices[k] : 0;
      mask.Set(k, share & __ballot_sync(kFullWarp, bounds[k] <= limit && of * kEmdBox + lane != hint));
    }
    while (!mask.IsEmpty()) {
      int box[kBatch], price[kBatch], known_price[kBatch];
      float4 q[kBatch];
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        const TakenBox taken(mask, group, prices);
        box[k] = taken.box;
        known_price[k] = taken.bound;
        const int j = (taken.box < 0 ? hint : taken.box) * kEmdBox + lane;
        price[k] = price_of(j);
        q[k] = __ldg(pair.b + j);
      }
#pragma unroll
      for (int k = 0; k < kBatch; ++k) look(box[k], box[k] >= 0, price[k], q[k], known_price[k]);
      limit = min(limit, mine.Reduce().second_value);
      if (mask.IsEmpty()) break;
#pragma unroll
      for (int k = 0; k < kGroups; ++k) {
        mask.Keep(k, __ballot_sync(kFullWarp, bounds[k] <= limit));
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

// best = min(best, cost + label) over every person but `except`, for object j.
template <bool kFlat>
__device__ void Push(const EmdPairOnDevice& pair, int j, int label, int except, Team team) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const float4 p = __ldg(pair.b + j);
  const unsigned share = team.Boxes(kFlat);
  const auto look_over = [&](int group, [[maybe_unused]] int parent_bound) {
    BoxMask mask;
    int most[kGroups], bounds[kGroups];
    LookOverBoxes(p, group, pair.a_boxes, pair.num_boxes, pair.box_best, -kFarValue, most, bounds);
#pragma unroll
    for (int k = 0; k < kGroups; ++k) {
      if (!kFlat) {
        const int of = __shfl_sync(kFullWarp, group, k), largest = WarpMax(most[k]);
        if (lane == k && of >= 0 && largest < parent_bound) StoreShared(pair.parent_best + of, largest);
      }
      mask.Set(k, share & __ballot_sync(kFullWarp, bounds[k] + label < most[k]));
    }
    while (!mask.IsEmpty()) {
      int box[kBatch], old[kBatch], known_most[kBatch];
      float4 q[kBatch];
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        const TakenBox taken(mask, group, most);
        box[k] = taken.box;
        known_most[k] = taken.bound;
        const int i = max(taken.box, 0) * kEmdBox + lane;
        old[k] = LoadShared(pair.best + i);
        q[k] = __ldg(pair.a + i);
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
