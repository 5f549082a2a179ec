// The global price update of an auction (Goldberg & Kennedy 1995): every price is raised by the shortest path
// to a free object.
#pragma once

#include "cuda/cloud/emd/emd_persons.cuh"

namespace parallax::cuda {

// The sums of price updates over an auction.
struct PriceUpdateCounts {
  long long updates = 0, rounds = 0, pushes = 0;
};

template <bool kFlat>
class PriceUpdate {
 public:
  __device__ PriceUpdate(Persons<kFlat>& persons, const EmdKernelOptions& options)
      : persons_(persons), p_(persons.pair), group_(persons.group), options_(options) {}

  // Labels are lowered in any order until none changes; the result does not depend on the order. An object's
  // label is its owner's best + link, where link is epsilon - own cost.
  __device__ void Run(int epsilon, PriceUpdateCounts& counts) {
    std::uint32_t* num_free = group_.NextFreeCount();
    persons_.ChooseForOwnThat(
        [&](int i, int place) {
          const int object = persons_.CheckedObject(i, place);
          p_.object[place] = object;
          p_.pushed[place] = kFarValue;
          if (object >= 0) {
            p_.link[place] = epsilon - Cost(p_.a[i], p_.b[object]);
            p_.own_price[place] = persons_.PriceOf(LoadShared(persons_.Read() + object));
          }
          if (static_cast<unsigned>(LoadShared(persons_.Read() + i)) == 0) {
            p_.free_objects[atomicAdd(num_free, 1u)] = i;
          }
          return object < 0;
        },
        [&](int, int place, const Best& best) { p_.wish[place] = best.value; });
    group_.Sync();

    const int count = static_cast<int>(LoadShared(reinterpret_cast<const int*>(num_free)));
    int cap = ReachFromFree(min(count, kDirect));  // no larger raise of a price matters
    if (count > kDirect) {
      for (int k = kDirect + group_.warp(); k < count; k += group_.num_warps()) {
        const int j = LoadShared(p_.free_objects + k);
        Push<kFlat>(p_, j, persons_.PriceOf(LoadShared(persons_.Read() + j)), -1, Team());
      }
      cap = SyncCap(0).cap;
    }
    int near = max(cap >> options_.near_shift, epsilon);
    while (true) {
      const Pushed pushed = SyncCap(PushNear(min(near, cap)));
      cap = pushed.cap;
      counts.pushes += pushed.count;
      ++counts.rounds;
      if (pushed.count != 0) continue;
      if (near >= cap) break;
      near *= 2;
    }
    ++counts.updates;

    persons_.ForOwn([&](int i, int place) {
      const int object = p_.object[place];
      if (object >= 0) {
        const int best = LoadShared(p_.best + i), price = p_.own_price[place];
        persons_.SetState(object, persons_.State(price + min(cap, best + p_.link[place] - price), i));
      }
      const unsigned long long state = LoadShared(persons_.Read() + i);
      if (static_cast<unsigned>(state) == 0) StoreShared(persons_.Write() + i, state);
    });
    group_.Sync();
  }

 private:
  static constexpr int kDirect = 256;  // free objects against which every person is measured

  // Every person's best among the first count free objects. Returns the largest raise of an unassigned one.
  __device__ int ReachFromFree(int count) {
    __shared__ float4 points[kDirect];  // w: the price's bits
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.x); k < count; k += static_cast<int>(blockDim.x)) {
      const int j = LoadShared(p_.free_objects + k);
      points[k] = p_.b[j];
      points[k].w = __int_as_float(persons_.PriceOf(LoadShared(persons_.Read() + j)));
    }
    __syncthreads();
    int raise = 0;
    for (int box = group_.warp(); box < p_.num_boxes; box += group_.num_warps()) {
      const int i = box * kEmdBox + persons_.lane;
      const float4 p = p_.a[i];
      int best = kFarValue;
      for (int k = 0; k < count; ++k) best = min(best, Cost(p, points[k]) + __float_as_int(points[k].w));
      if (i >= p_.size) best = -kFarValue;
      StoreShared(p_.best + i, best);
      if (i < p_.size) {
        const int place = persons_.PlaceOf(i);
        if (LoadShared(p_.object + place) < 0) raise = max(raise, best - LoadShared(p_.wish + place));
      }
      const int largest = WarpMax(best);
      if (persons_.lane == 0) {
        StoreShared(p_.box_best + box, largest);
        if (box % kEmdBox == 0) StoreShared(p_.parent_best + box / kEmdBox, kFarValue);
      }
    }
    int cap = 0;
    group_.SyncLargest(0, raise, &cap);
    return cap;
  }

  struct Pushed {
    int cap, count;
  };
  // count: pushes of this block; the result: of all blocks.
  __device__ Pushed SyncCap(unsigned count) {
    int raise = 0, cap = 0;
    persons_.ForOwn([&](int i, int place) {
      if (p_.object[place] < 0) raise = max(raise, LoadShared(p_.best + i) - p_.wish[place]);
    });
    const unsigned long long sum = group_.SyncLargest(count, raise, &cap);
    return {cap, static_cast<int>(sum & ~kLate)};
  }

  // Passes on own objects whose new label is less than `limit` above their price.
  __device__ unsigned PushNear(int limit) {
    unsigned count = 0;
    for (int sweep = 0; sweep < options_.sweeps; ++sweep) {
      const unsigned pushes = persons_.ForOwnThat(
          [&](int i, int place) {
            if (p_.object[place] < 0) return false;
            const int best = LoadShared(p_.best + i);
            if (best >= p_.pushed[place] || best + p_.link[place] - p_.own_price[place] >= limit)
              return false;
            p_.pushed[place] = best;
            return true;
          },
          [&](int i, int place, Team team) {
            Push<kFlat>(p_, p_.object[place], p_.pushed[place] + p_.link[place], i, team);
          },
          [](int, int, Team) {});
      count += pushes;
      if (pushes == 0) break;
    }
    return count;
  }

  Persons<kFlat>& persons_;
  const EmdPairOnDevice& p_;
  Group& group_;
  const EmdKernelOptions& options_;
};

}  // namespace parallax::cuda
