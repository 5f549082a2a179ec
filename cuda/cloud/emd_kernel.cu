#include "cuda/check.h"
#include "cuda/cloud/emd_kernel.h"
#include "cuda/cloud/emd_search.cuh"
#include "pipeline/cloud/emd.h"

namespace parallax::cuda {
namespace {

constexpr std::int32_t kFresh = 1 << 30;        // of object: bid for in the last round
constexpr int kDirect = 256;                    // free objects that every person is measured against
constexpr int kBlockThreads = kMostEmdThreads;  // at most
constexpr unsigned long long kLate = 1ull << 63;

// The blocks that work on one pair.
class Group {
 public:
  __device__ Group(EmdGroupControl* control, int rank, int blocks)
      : control_(control), rank_(rank), blocks_(blocks) {}

  // Waits for all threads of the group, with their writes. Returns the sum of the blocks' counts, as thread 0
  // of each gives it; late from any block's thread 0 comes back as kLate.
  __device__ unsigned long long Sync(unsigned count = 0, bool late = false) {
    __shared__ unsigned long long total;
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned long long* word = control_->arrivals[slot_];
      const int next = slot_ == 2 ? 0 : slot_ + 1;
      if (rank_ == 0) {
        StoreShared(control_->arrivals[next], 0ull);
        StoreShared(control_->largest_raise[next], 0ull);
      }
      // Releases the writes of the whole block. What is read after it is read past the own cache (see
      // LoadShared) and depends on the loop's end, so that no acquire is needed, which would empty the cache.
      asm volatile("red.release.gpu.global.add.u64 [%0], %1;"
                   :
                   : "l"(word), "l"(static_cast<unsigned long long>(count) << 32 | (late ? kLate : 0) | 1u)
                   : "memory");
      unsigned long long seen;
      do {
        seen = LoadShared(word);
      } while (static_cast<unsigned>(seen) != static_cast<unsigned>(blocks_));
      total = seen;
    }
    __syncthreads();
    slot_ = slot_ == 2 ? 0 : slot_ + 1;
    return (total & kLate) | ((total & ~kLate) >> 32);
  }
  // The same; *largest becomes the largest raise (>= 0) of all threads.
  __device__ unsigned long long SyncLargest(unsigned count, int raise, int* largest) {
    raise = WarpMax(raise);
    unsigned long long* word = control_->largest_raise[slot_];
    if (threadIdx.x % 32 == 0 && raise > 0) atomicMax(word, static_cast<unsigned long long>(raise));
    const unsigned long long sum = Sync(count);
    *largest = static_cast<int>(LoadShared(word));
    return sum;
  }

  // A counter that is zero; the one before it is no longer used.
  __device__ std::uint32_t* NextFreeCount() {
    free_slot_ ^= 1;
    if (IsFirstThread()) StoreShared(reinterpret_cast<int*>(control_->num_free[free_slot_ ^ 1]), 0);
    return control_->num_free[free_slot_];
  }

  __device__ bool IsFirstThread() const { return rank_ == 0 && threadIdx.x == 0; }
  __device__ int rank() const { return rank_; }
  __device__ int blocks() const { return blocks_; }
  __device__ int warp() const { return static_cast<int>((rank_ * blockDim.x + threadIdx.x) / 32); }
  __device__ int num_warps() const { return static_cast<int>(blocks_ * blockDim.x / 32); }

 private:
  EmdGroupControl* control_;
  int rank_, blocks_, slot_ = 0, free_slot_ = 0;
};

__device__ long long WarpSum(long long value) {
  for (int i = 16; i > 0; i /= 2) value += __shfl_xor_sync(kAllLanes, value, i);
  return value;
}

__device__ unsigned long long NanosecondsNow() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

// Persons (and objects) are dealt to blocks in turn, so that neighbours, who tend to be busy together, go to
// different ones: person k * blocks + rank is number k of block rank, and stands at rank * per_block + k in
// the arrays of persons that only the block needs.
template <bool kFlat>
class Auction {
 public:
  __device__ Auction(const EmdPairOnDevice& pair, const EmdKernelOptions& options, Group& group)
      : p_(pair),
        options_(options),
        group_(group),
        lane_(static_cast<int>(threadIdx.x % 32)),
        per_block_((pair.size + group.blocks() - 1) / group.blocks()) {}

  __device__ void Run() {
    start_ns_ = NanosecondsNow();
    const double first_mean = Begin();
    int unassigned = StartPhase(0);
    int epsilon = max(1, static_cast<int>(first_mean / 16));
    EmdStop stop = EmdStop::kGap;
    bool complete = false;
    while (true) {
      const int last = FinalEpsilon();
      epsilon = max(epsilon, last);
      const int end = epsilon == last ? 0 : static_cast<int>(options_.coarse_end * p_.size);
      if (!RunPhase(epsilon, end, unassigned, &stop)) break;
      const int next = max(1, epsilon / 4);
      const bool whole = unassigned == 0;
      if (whole) Save();
      const int phase = phase_;
      unassigned = StartPhase(next);
      if (whole) {
        complete = true;
        const double distance = static_cast<double>(LoadShared(&p_.sums[phase].distance)) / 1024;
        const bool within = distance - static_cast<double>(bound_) <= options_.gap * distance;
        if (within || epsilon == 1) {
          stop = within ? EmdStop::kGap : EmdStop::kResolution;
          break;
        }
      }
      if (phase_ >= kMostEmdPhases - 1) {
        stop = EmdStop::kResolution;
        break;
      }
      epsilon = next;
    }
    if (!complete) SaveIncomplete();
    if (group_.IsFirstThread()) {
      *p_.outcome = {static_cast<int>(stop),
                     complete ? 1 : 0,
                     bound_,
                     rounds_,
                     updates_,
                     update_rounds_,
                     bids_,
                     pushes_};
    }
  }

 private:
  __device__ const unsigned long long* Read() const { return p_.states[rounds_ & 1]; }
  __device__ unsigned long long* Write() const { return p_.states[(rounds_ + 1) & 1]; }
  static __device__ int PriceOf(unsigned long long state) { return static_cast<int>(state >> 32); }
  static __device__ unsigned long long State(int price, int owner) {
    return static_cast<unsigned long long>(price) << 32 | static_cast<unsigned>(~owner);
  }
  static __device__ bool Owns(unsigned long long state, int person) {
    return static_cast<unsigned>(state) == static_cast<unsigned>(~person);
  }
  __device__ void SetState(int j, unsigned long long state) const {
    StoreShared(p_.states[0] + j, state);
    StoreShared(p_.states[1] + j, state);
  }
  __device__ int PersonOf(int place) const {
    return (place - group_.rank() * per_block_) * group_.blocks() + group_.rank();
  }
  __device__ int PlaceOf(int person) const {
    return person % group_.blocks() * per_block_ + person / group_.blocks();
  }
  // Calls body(person, place) with one thread for each of the block's persons.
  template <typename Body>
  __device__ void ForOwn(Body body) const {
    for (int k = static_cast<int>(threadIdx.x); k < per_block_; k += static_cast<int>(blockDim.x)) {
      const int place = group_.rank() * per_block_ + k, i = PersonOf(place);
      if (i < p_.size) body(i, place);
    }
  }
  // The same; then calls work(person, place, team) with whole warps for each that passes said true for: one
  // warp each, or a team of several where there are fewer of them than warps. Then finish(person, place),
  // with the first warp of its team, after all warps of the team are done. Returns their number.
  template <typename Passes, typename Work, typename Finish>
  __device__ unsigned ForOwnThat(Passes passes, Work work, Finish finish) const {
    __shared__ int list[kBlockThreads];
    __shared__ int size;
    unsigned total = 0;
    const int warps = static_cast<int>(blockDim.x / 32), warp = static_cast<int>(threadIdx.x / 32);
    for (int first = 0; first < per_block_; first += static_cast<int>(blockDim.x)) {
      __syncthreads();
      if (threadIdx.x == 0) size = 0;
      __syncthreads();
      const int k = first + static_cast<int>(threadIdx.x), place = group_.rank() * per_block_ + k;
      if (k < per_block_ && PersonOf(place) < p_.size && passes(PersonOf(place), place)) {
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
          const Best best = Choose<kFlat>(p_, Read(), i, p_.hint[place], team);
          if (lane_ == 0) of_warps[warp] = best;
          __syncwarp();
        },
        [&](int i, int place, Team team) {
          Best best = of_warps[warp];
          if (team.size > 1) {
            LaneBest of_lane;
            if (lane_ < team.size) of_lane = LaneBest(of_warps[warp + lane_]);
            best = of_lane.Reduce();
          }
          if (lane_ == 0) finish(i, place, best);
          __syncwarp();
        });
  }

  // Every person with the object of its own number, at prices 0. Returns the mean cost.
  __device__ double Begin() {
    long long sum = 0;
    ForOwn([&](int i, int place) {
      SetState(i, State(0, i));
      p_.object[place] = i;
      p_.hint[place] = i / kEmdBox;
      p_.pushed[place] = p_.link[place] = p_.own_price[place] = p_.wish[place] = 0;
      sum += Cost(p_.a[i], p_.b[i]);
    });
    const int padded = p_.num_boxes * kEmdBox;
    for (int j = p_.size + group_.warp() * 32 + lane_; j < padded; j += 32 * group_.num_warps()) {
      SetState(j, static_cast<unsigned long long>(kFarValue) << 32);
    }
    AddToSum(&p_.sums[0].distance, sum);
    group_.Sync();
    const long long total = LoadShared(&p_.sums[0].distance);
    ++phase_;  // the sums of phase 0 are spent
    return static_cast<double>(total) / p_.size;
  }

  // Who is no longer the owner of its object gives it up.
  __device__ int CheckedObject(int i, int place) const {
    const int object = p_.object[place];
    if (object < 0) return -1;
    const int j = object & ~kFresh;
    return Owns(LoadShared(Read() + j), i) ? j : -1;
  }

  __device__ void AddToSum(long long* sum, long long value) const {
    value = WarpSum(value);
    if (lane_ == 0) {
      atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
    }
  }

  // Prices less the least, the lower bound, and only those pairs that satisfy slackness for epsilon. Returns
  // the number of unassigned persons.
  __device__ int StartPhase(int epsilon) {
    EmdPhaseSums* sums = p_.sums + phase_;
    int least = kFarValue;
    ForOwn([&](int i, int place) {
      p_.object[place] = CheckedObject(i, place);
      least = min(least, PriceOf(LoadShared(Read() + i)));
    });
    least = WarpMin(least);
    if (lane_ == 0) atomicMin(&sums->least_price, least);
    group_.Sync();
    least = LoadShared(&sums->least_price);
    long long sum = 0;
    for (int box = group_.warp(); box < p_.num_boxes; box += group_.num_warps()) {
      const int j = box * kEmdBox + lane_;
      const unsigned long long state = LoadShared(Read() + j);
      const int price = PriceOf(state) - (j < p_.size ? least : 0);
      SetState(j, static_cast<unsigned long long>(price) << 32 | static_cast<unsigned>(state));
      if (j < p_.size) sum -= price;
      const int box_least = WarpMin(price);
      if (lane_ == 0) StoreShared(p_.box_price + box, box_least);
      if (lane_ == 0 && box % kEmdBox == 0) StoreShared(p_.parent_price + box / kEmdBox, 0);
    }
    group_.Sync();
    __shared__ unsigned unassigned;
    if (threadIdx.x == 0) unassigned = 0;
    ChooseForOwnThat([](int, int) { return true; },
                     [&](int i, int place, const Best& best) {
                       sum += best.value - ((best.value >> 20) + 1);
                       p_.hint[place] = best.object / kEmdBox;
                       int object = p_.object[place];
                       if (object >= 0) {
                         const int price = PriceOf(LoadShared(Read() + object));
                         if (Cost(p_.a[i], p_.b[object]) + price > best.value + epsilon) {
                           SetState(object, static_cast<unsigned long long>(price) << 32);
                           p_.object[place] = object = -1;
                         }
                       }
                       if (object < 0) atomicAdd(&unassigned, 1u);
                     });
    AddToSum(&sums->bound, sum);
    __syncthreads();
    const unsigned long long all = group_.Sync(unassigned) & ~kLate;
    bound_ = max(bound_, LoadShared(&sums->bound));
    ++phase_;
    return static_cast<int>(all);
  }

  __device__ int FinalEpsilon() const {
    const double mean = static_cast<double>(max(bound_, 0ll)) / p_.size;
    return static_cast<int>(fmin(fmax(0.98 * options_.gap * mean - 1, 1.0), 1.0 * (1 << 24)));
  }

  // Rounds until at most end persons are unassigned. False where a limit came first.
  __device__ bool RunPhase(int epsilon, int end, int& unassigned, EmdStop* stop) {
    int rounds_since = 0;
    long long bids_since = 0;
    while (unassigned > end) {
      if (options_.max_rounds > 0 && rounds_ >= options_.max_rounds) {
        *stop = EmdStop::kRounds;
        return false;
      }
      if (rounds_since >= options_.update_rounds && bids_since >= options_.update_bids * p_.size) {
        UpdatePrices(epsilon);
        rounds_since = 0;
        bids_since = 0;
      }
      const bool late = options_.time_limit_s > 0 && group_.IsFirstThread() &&
                        static_cast<double>(NanosecondsNow() - start_ns_) > options_.time_limit_s * 1e9;
      const unsigned long long sum = group_.Sync(BidRound(epsilon), late);
      unassigned = static_cast<int>(sum & ~kLate);
      ++rounds_;
      ++rounds_since;
      bids_ += unassigned;
      bids_since += unassigned;
      if ((sum & kLate) != 0 && unassigned > 0) {
        *stop = EmdStop::kTime;
        return false;
      }
    }
    return true;
  }

  // Every unassigned person bids. Returns the number of bids of this block.
  __device__ unsigned BidRound(int epsilon) {
    const unsigned long long* read = Read();
    unsigned long long* write = Write();
    return ChooseForOwnThat(
        [&](int i, int place) {
          const int object = p_.object[place], j = object & ~kFresh;
          if (object < 0) return true;
          const unsigned long long state = LoadShared(read + j);
          if (!Owns(state, i)) return true;
          if ((object & kFresh) != 0) {
            atomicMax(write + j, state);  // the copy that did not see the winning bid
            p_.object[place] = j;
          }
          return false;
        },
        [&](int i, int place, const Best& best) {
          const int raise = min(best.second_value - best.value, kLargestRaise) + epsilon;
          atomicMax(write + best.object, State(best.price + raise, i));
          p_.object[place] = best.object | kFresh;
          p_.hint[place] = best.object / kEmdBox;
        });
  }

  // Labels are lowered in any order until none changes: what they become does not depend on it. An object's
  // label is its owner's best + link, where link is epsilon - own cost.
  __device__ void UpdatePrices(int epsilon) {
    std::uint32_t* num_free = group_.NextFreeCount();
    ChooseForOwnThat(
        [&](int i, int place) {
          const int object = CheckedObject(i, place);
          p_.object[place] = object;
          p_.pushed[place] = kFarValue;
          if (object >= 0) {
            p_.link[place] = epsilon - Cost(p_.a[i], p_.b[object]);
            p_.own_price[place] = PriceOf(LoadShared(Read() + object));
          }
          if (static_cast<unsigned>(LoadShared(Read() + i)) == 0) {
            p_.free_objects[atomicAdd(num_free, 1u)] = i;
          }
          return object < 0;
        },
        [&](int, int place, const Best& best) { p_.wish[place] = best.value; });
    group_.Sync();

    const int count = static_cast<int>(LoadShared(reinterpret_cast<const int*>(num_free)));
    int cap = ReachFromFree(min(count, kDirect));  // no raise of a price beyond this matters
    if (count > kDirect) {
      for (int k = kDirect + group_.warp(); k < count; k += group_.num_warps()) {
        const int j = LoadShared(p_.free_objects + k);
        Push<kFlat>(p_, j, PriceOf(LoadShared(Read() + j)), -1, Team());
      }
      cap = SyncCap(0).cap;
    }
    int near = max(cap >> options_.near_shift, epsilon);
    while (true) {
      const Pushed pushed = SyncCap(PushNear(min(near, cap)));
      cap = pushed.cap;
      pushes_ += pushed.count;
      ++update_rounds_;
      if (pushed.count != 0) continue;
      if (near >= cap) break;
      near *= 2;
    }
    ++updates_;

    ForOwn([&](int i, int place) {
      const int object = p_.object[place];
      if (object >= 0) {
        const int best = LoadShared(p_.best + i), price = p_.own_price[place];
        SetState(object, State(price + min(cap, best + p_.link[place] - price), i));
      }
      const unsigned long long state = LoadShared(Read() + i);
      if (static_cast<unsigned>(state) == 0) StoreShared(Write() + i, state);
    });
    group_.Sync();
  }

  // Every person's best by the first count free objects. Returns the largest raise of an unassigned person.
  __device__ int ReachFromFree(int count) {
    __shared__ float4 points[kDirect];  // w: the price's bits
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.x); k < count; k += static_cast<int>(blockDim.x)) {
      const int j = LoadShared(p_.free_objects + k);
      points[k] = p_.b[j];
      points[k].w = __int_as_float(PriceOf(LoadShared(Read() + j)));
    }
    __syncthreads();
    int raise = 0;
    for (int box = group_.warp(); box < p_.num_boxes; box += group_.num_warps()) {
      const int i = box * kEmdBox + lane_;
      const float4 p = p_.a[i];
      int best = kFarValue;
      for (int k = 0; k < count; ++k) best = min(best, Cost(p, points[k]) + __float_as_int(points[k].w));
      if (i >= p_.size) best = -kFarValue;
      StoreShared(p_.best + i, best);
      if (i < p_.size) {
        const int place = PlaceOf(i);
        if (LoadShared(p_.object + place) < 0) raise = max(raise, best - LoadShared(p_.wish + place));
      }
      const int largest = WarpMax(best);
      if (lane_ == 0) {
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
  // count: of pushes of this block; of all, in the result.
  __device__ Pushed SyncCap(unsigned count) {
    int raise = 0, cap = 0;
    ForOwn([&](int i, int place) {
      if (p_.object[place] < 0) raise = max(raise, LoadShared(p_.best + i) - p_.wish[place]);
    });
    const unsigned long long sum = group_.SyncLargest(count, raise, &cap);
    return {cap, static_cast<int>(sum & ~kLate)};
  }

  // Own objects with a new label less than limit above their price pass it on.
  __device__ unsigned PushNear(int limit) {
    unsigned count = 0;
    for (int sweep = 0; sweep < options_.sweeps; ++sweep) {
      const unsigned pushes = ForOwnThat(
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

  __device__ void Save() {
    long long sum = 0;
    ForOwn([&](int i, int place) {
      const int j = p_.object[place] & ~kFresh;
      p_.match[i] = j;
      sum += llrint(Distance(p_.a[i], p_.b[j]) * 1024);
    });
    AddToSum(&p_.sums[phase_].distance, sum);
  }

  __device__ void SaveIncomplete() {
    ForOwn([&](int i, int place) { p_.match[i] = CheckedObject(i, place); });
  }

  const EmdPairOnDevice& p_;
  const EmdKernelOptions& options_;
  Group& group_;
  const int lane_, per_block_;
  int phase_ = 0;
  long long bound_ = 0, rounds_ = 0, bids_ = 0, updates_ = 0, update_rounds_ = 0, pushes_ = 0;
  unsigned long long start_ns_ = 0;
};

template <bool kFlat>
__global__ void __launch_bounds__(kBlockThreads, 1)
    Solve(const EmdPairOnDevice* pairs, int num_pairs, int num_groups, int blocks_per_group,
          EmdGroupControl* control, EmdKernelOptions options) {
  const int index = static_cast<int>(blockIdx.x) / blocks_per_group;
  Group group(control + index, static_cast<int>(blockIdx.x) % blocks_per_group, blocks_per_group);
  __shared__ EmdPairOnDevice pair;
  for (int k = index; k < num_pairs; k += num_groups) {
    if (threadIdx.x == 0) pair = pairs[k];
    __syncthreads();
    Auction<kFlat>(pair, options, group).Run();
    __syncthreads();
  }
}

}  // namespace

int MostEmdBlocks(int block_threads) {
  int device = 0, multiprocessors = 0, flat = 0, deep = 0;
  Check(cudaGetDevice(&device), "cudaGetDevice");
  Check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  Check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&flat, Solve<true>, block_threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  Check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&deep, Solve<false>, block_threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return multiprocessors * min(flat, deep);
}

void LaunchEmd(const EmdPairOnDevice* pairs, int num_pairs, int num_groups, int blocks_per_group,
               int block_threads, bool flat, EmdGroupControl* control, const EmdKernelOptions& options,
               cudaStream_t stream) {
  EmdKernelOptions copy = options;
  void* arguments[] = {&pairs, &num_pairs, &num_groups, &blocks_per_group, &control, &copy};
  const void* kernel =
      flat ? reinterpret_cast<const void*>(Solve<true>) : reinterpret_cast<const void*>(Solve<false>);
  // Cooperative: all blocks are on the device at once, or the launch fails.
  Check(cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(num_groups * blocks_per_group)),
                                    dim3(static_cast<unsigned>(block_threads)), arguments, 0, stream),
        "cudaLaunchCooperativeKernel");
}

}  // namespace parallax::cuda
