// The auction of one pair of clouds by a group of blocks (pipeline/cloud/emd/emd_auction.h has the method).
#pragma once

#include "cuda/cloud/emd/emd_price_update.cuh"
#include "pipeline/cloud/emd/emd.h"

namespace parallax::cuda {

__device__ inline unsigned long long NanosecondsNow() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

template <bool kFlat>
class Auction {
 public:
  __device__ Auction(const EmdPairOnDevice& pair, const EmdKernelOptions& options, Group& group)
      : persons_(pair, group), p_(pair), options_(options), group_(group) {}

  __device__ void Run() {
    start_ns_ = NanosecondsNow();
    const double first_mean = Begin();
    int unassigned = StartPhase(0);
    int epsilon = emd::FirstEpsilon(first_mean);
    EmdStop stop = EmdStop::kGap;
    bool complete = false;
    while (true) {
      const int last = FinalEpsilon();
      epsilon = max(epsilon, last);
      const int end = epsilon == last ? 0 : static_cast<int>(options_.coarse_end * p_.size);
      if (!RunPhase(epsilon, end, unassigned, &stop)) break;
      const int next = max(1, epsilon / emd::kEpsilonDivisor);
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
      *p_.outcome = {static_cast<int>(stop), complete ? 1 : 0, bound_, persons_.rounds,
                     updates_.updates,       updates_.rounds,  bids_,  updates_.pushes};
    }
  }

 private:
  // Assigns every person the object with the same number, at prices 0. Returns the mean cost.
  __device__ double Begin() {
    long long sum = 0;
    persons_.ForOwn([&](int i, int place) {
      persons_.SetState(i, persons_.State(0, i));
      p_.object[place] = i;
      p_.hint[place] = i / kEmdBox;
      p_.pushed[place] = p_.link[place] = p_.own_price[place] = p_.wish[place] = 0;
      sum += Cost(p_.a[i], p_.b[i]);
    });
    const int padded = p_.num_boxes * kEmdBox;
    for (int j = p_.size + group_.warp() * 32 + persons_.lane; j < padded; j += 32 * group_.num_warps()) {
      persons_.SetState(j, static_cast<unsigned long long>(kFarValue) << 32);
    }
    persons_.AddToSum(&p_.sums[0].distance, sum);
    group_.Sync();
    const long long total = LoadShared(&p_.sums[0].distance);
    ++phase_;  // the sums of phase 0 are no longer needed
    return static_cast<double>(total) / p_.size;
  }

  // Subtracts the least price, computes the lower bound, and keeps only pairs that satisfy slackness for
  // epsilon. Returns the number of unassigned persons.
  __device__ int StartPhase(int epsilon) {
    EmdPhaseSums* sums = p_.sums + phase_;
    int least = kFarValue;
    persons_.ForOwn([&](int i, int place) {
      p_.object[place] = persons_.CheckedObject(i, place);
      least = min(least, persons_.PriceOf(LoadShared(persons_.Read() + i)));
    });
    least = WarpMin(least);
    if (persons_.lane == 0) atomicMin(&sums->least_price, least);
    group_.Sync();
    least = LoadShared(&sums->least_price);
    long long sum = 0;
    for (int box = group_.warp(); box < p_.num_boxes; box += group_.num_warps()) {
      const int j = box * kEmdBox + persons_.lane;
      const unsigned long long state = LoadShared(persons_.Read() + j);
      const int price = persons_.PriceOf(state) - (j < p_.size ? least : 0);
      persons_.SetState(j, static_cast<unsigned long long>(price) << 32 | static_cast<unsigned>(state));
      if (j < p_.size) sum -= price;
      const int box_least = WarpMin(price);
      if (persons_.lane == 0) StoreShared(p_.box_price + box, box_least);
      if (persons_.lane == 0 && box % kEmdBox == 0) StoreShared(p_.parent_price + box / kEmdBox, 0);
    }
    group_.Sync();
    __shared__ unsigned unassigned;
    if (threadIdx.x == 0) unassigned = 0;
    persons_.ChooseForOwnThat([](int, int) { return true; },
                              [&](int i, int place, const Best& best) {
                                sum += best.value - ((best.value >> 20) + 1);
                                p_.hint[place] = best.object / kEmdBox;
                                int object = p_.object[place];
                                if (object >= 0) {
                                  const int price = persons_.PriceOf(LoadShared(persons_.Read() + object));
                                  if (Cost(p_.a[i], p_.b[object]) + price > best.value + epsilon) {
                                    persons_.SetState(object, static_cast<unsigned long long>(price) << 32);
                                    p_.object[place] = object = -1;
                                  }
                                }
                                if (object < 0) atomicAdd(&unassigned, 1u);
                              });
    persons_.AddToSum(&sums->bound, sum);
    __syncthreads();
    const unsigned long long all = group_.Sync(unassigned) & ~kLate;
    bound_ = max(bound_, LoadShared(&sums->bound));
    ++phase_;
    return static_cast<int>(all);
  }

  __device__ int FinalEpsilon() const {
    const double mean = static_cast<double>(max(bound_, 0ll)) / p_.size;
    return emd::FinalEpsilon(mean, options_.gap);
  }

  // Rounds until at most `end` persons are unassigned. False if a limit came first.
  __device__ bool RunPhase(int epsilon, int end, int& unassigned, EmdStop* stop) {
    int rounds_since = 0;
    long long bids_since = 0;
    while (unassigned > end) {
      if (options_.max_rounds > 0 && persons_.rounds >= options_.max_rounds) {
        *stop = EmdStop::kRounds;
        return false;
      }
      if (rounds_since >= options_.update_rounds && bids_since >= options_.update_bids * p_.size) {
        PriceUpdate<kFlat>(persons_, options_).Run(epsilon, updates_);
        rounds_since = 0;
        bids_since = 0;
      }
      const bool late = options_.time_limit_s > 0 && group_.IsFirstThread() &&
                        static_cast<double>(NanosecondsNow() - start_ns_) > options_.time_limit_s * 1e9;
      const unsigned long long sum = group_.Sync(BidRound(epsilon), late);
      unassigned = static_cast<int>(sum & ~kLate);
      ++persons_.rounds;
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
    const unsigned long long* read = persons_.Read();
    unsigned long long* write = persons_.Write();
    return persons_.ChooseForOwnThat(
        [&](int i, int place) {
          const int object = p_.object[place], j = object & ~kFresh;
          if (object < 0) return true;
          const unsigned long long state = LoadShared(read + j);
          if (!persons_.Owns(state, i)) return true;
          if ((object & kFresh) != 0) {
            atomicMax(write + j, state);  // the copy without the winning bid
            p_.object[place] = j;
          }
          return false;
        },
        [&](int i, int place, const Best& best) {
          const int raise = min(best.second_value - best.value, emd::kLargestRaise) + epsilon;
          atomicMax(write + best.object, persons_.State(best.price + raise, i));
          p_.object[place] = best.object | kFresh;
          p_.hint[place] = best.object / kEmdBox;
        });
  }

  __device__ void Save() {
    long long sum = 0;
    persons_.ForOwn([&](int i, int place) {
      const int j = p_.object[place] & ~kFresh;
      p_.match[i] = j;
      sum += llrint(Distance(p_.a[i], p_.b[j]) * 1024);
    });
    persons_.AddToSum(&p_.sums[phase_].distance, sum);
  }

  __device__ void SaveIncomplete() {
    persons_.ForOwn([&](int i, int place) { p_.match[i] = persons_.CheckedObject(i, place); });
  }

  Persons<kFlat> persons_;
  const EmdPairOnDevice& p_;
  const EmdKernelOptions& options_;
  Group& group_;
  int phase_ = 0;
  long long bound_ = 0, bids_ = 0;
  PriceUpdateCounts updates_;
  unsigned long long start_ns_ = 0;
};

}  // namespace parallax::cuda
