// The persons of an auction, the points of one cloud: which block works for each, and the search for their
// objects, the points of the other cloud.
#pragma once

#include "cuda/cloud/emd/emd_group.cuh"
#include "cuda/cloud/emd/emd_search.cuh"

namespace parallax::cuda {

inline constexpr std::int32_t kFresh = 1 << 30;        // of object: bid for in the last round
inline constexpr int kBlockThreads = kMostEmdThreads;  // at most

__device__ inline long long WarpSum(long long value) {
  for (int i = 16; i > 0; i /= 2) value += __shfl_xor_sync(kFullWarp, value, i);
  return value;
}

// Persons (and objects) are dealt to the blocks in turn: neighbours, which tend to be busy at the same time,
// go to different blocks. Person k * blocks + rank is number k of block rank. In the arrays of persons that
// only the block needs it has the place rank * per_block + k.
template <bool kFlat>
struct Persons {
  const EmdPairOnDevice& pair;
  Group& group;
  const int lane, per_block;
  long long rounds = 0;  // of bidding, so far

  __device__ Persons(const EmdPairOnDevice& pair_, Group& group_)
      : pair(pair_),
        group(group_),
        lane(static_cast<int>(threadIdx.x % 32)),
        per_block((pair_.size + group_.blocks() - 1) / group_.blocks()) {}

  // The states of objects after the last round, and those of this round.
  __device__ const unsigned long long* Read() const { return pair.states[rounds & 1]; }
  __device__ unsigned long long* Write() const { return pair.states[(rounds + 1) & 1]; }
  static __device__ int PriceOf(unsigned long long state) { return static_cast<int>(state >> 32); }
  static __device__ unsigned long long State(int price, int owner) {
    return static_cast<unsigned long long>(price) << 32 | static_cast<unsigned>(~owner);
  }
  static __device__ bool Owns(unsigned long long state, int person) {
    return static_cast<unsigned>(state) == static_cast<unsigned>(~person);
  }
  __device__ void SetState(int j, unsigned long long state) const {
    StoreShared(pair.states[0] + j, state);
    StoreShared(pair.states[1] + j, state);
  }
  __device__ int PersonOf(int place) const {
    return (place - group.rank() * per_block) * group.blocks() + group.rank();
  }
  __device__ int PlaceOf(int person) const {
    return person % group.blocks() * per_block + person / group.blocks();
  }
  // Calls body(person, place) with one thread for each of the block's persons.
  template <typename Body>
  __device__ void ForOwn(Body body) const {
    for (int k = static_cast<int>(threadIdx.x); k < per_block; k += static_cast<int>(blockDim.x)) {
      const int place = group.rank() * per_block + k, i = PersonOf(place);
      if (i < pair.size) body(i, place);
    }
  }
  // The same; then calls work(person, place, team) with whole warps for each person that
  // passes: one warp each, or a team of several if there are fewer persons than warps. Then calls
  // finish(person, place) with the first warp of a team, after all its warps are done. Returns their number.
  template <typename Passes, typename Work, typename Finish>
  __device__ unsigned ForOwnThat(Passes passes, Work work, Finish finish) const {
    __shared__ int list[kBlockThreads];
    __shared__ int size;
    unsigned total = 0;
    const int warps = static_cast<int>(blockDim.x / 32), warp = static_cast<int>(threadIdx.x / 32);
    for (int first = 0; first < per_block; first += static_cast<int>(blockDim.x)) {
      __syncthreads();
      if (threadIdx.x == 0) size = 0;
      __syncthreads();
      const int k = first + static_cast<int>(threadIdx.x), place = group.rank() * per_block + k;
      if (k < per_block && PersonOf(place) < pair.size && passes(PersonOf(place), place)) {
        list[atomicAdd(&size, 1)] = place;
      }
      __syncthreads();
      const int end = size;
      total += static_cast<unsigned>(end);
      if (end == 0) continue;
      Team team;
      while (2 * team.size * end <= warps) team.size *= 2;
      team.part = warp % team.size;
      if (team.size == 1) {
        for (int at = warp; at < end; at += warps) {
          work(PersonOf(list[at]), list[at], team);
          finish(PersonOf(list[at]), list[at], team);
        }
        continue;
      }
      const int at = warp / team.size;
      if (at < end) work(PersonOf(list[at]), list[at], team);
      __syncthreads();
      if (at < end && team.part == 0) finish(PersonOf(list[at]), list[at], team);
    }
    return total;
  }
  // The same; finish(person, place, best) gets the person's choice, in lane 0.
  template <typename Passes, typename Finish>
  __device__ unsigned ChooseForOwnThat(Passes passes, Finish finish) const {
    __shared__ Best of_warps[kBlockThreads / 32];
    const int warp = static_cast<int>(threadIdx.x / 32);
    return ForOwnThat(
        passes,
        [&](int i, int place, Team team) {
          const Best best = Choose<kFlat>(pair, Read(), i, pair.hint[place], team);
          if (lane == 0) of_warps[warp] = best;
          __syncwarp();
        },
        [&](int i, int place, Team team) {
          Best best = of_warps[warp];
          if (team.size > 1) {
            LaneBest of_lane;
            if (lane < team.size) of_lane = LaneBest(of_warps[warp + lane]);
            best = of_lane.Reduce();
          }
          if (lane == 0) finish(i, place, best);
          __syncwarp();
        });
  }

  // A person that no longer owns its object gives it up.
  __device__ int CheckedObject(int i, int place) const {
    const int object = pair.object[place];
    if (object < 0) return -1;
    const int j = object & ~kFresh;
    return Owns(LoadShared(Read() + j), i) ? j : -1;
  }

  __device__ void AddToSum(long long* sum, long long value) const {
    value = WarpSum(value);
    if (lane == 0) {
      atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
    }
  }
};

}  // namespace parallax::cuda
