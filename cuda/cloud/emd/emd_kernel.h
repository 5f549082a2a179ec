// The auction on the device (pipeline/cloud/emd/emd_auction.h has the method): one launch solves many pairs,
// each by a group of blocks that stays on the device until the pair is done.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "pipeline/cloud/emd/emd_schedule.h"

namespace parallax::cuda {

inline constexpr int kEmdBox = emd::kBoxSize;  // points of a box; boxes of a parent box
inline constexpr int kMostEmdPhases = 64;      // epsilon falls by 4, so there are about 12
inline constexpr int kMostEmdThreads = 512;    // of a block
inline constexpr int kFlatBoxes = 256;         // up to this many boxes are searched without their parents

// The answer is the same in every run and for any number of blocks. Rounds see only the bids of earlier
// rounds, prices are integers, and a price update ends in the only state in which no label can fall.

// The sums of one group over its blocks in one phase. Starts as zero, least_price as 2^30.
struct EmdPhaseSums {
  std::int32_t least_price;
  std::int32_t unused;
  long long bound;     // sum over persons of least cost + price, less the prices; units
  long long distance;  // of the complete match; 2^-10 units
};

struct EmdOutcome {
  std::int32_t stop;      // EmdStop
  std::int32_t complete;  // 1: match is a bijection, 0: holds -1 for unmatched persons
  long long bound;        // best of all phases
  long long rounds, updates, update_rounds, bids, pushes;
};

// One pair in device memory. Points are float4 (w unused) in units and curve order, padded to whole boxes
// with the last point; boxes, and the parents of 32 boxes each, are pairs of float4, low and high corner.
struct EmdPairOnDevice {
  int size, num_boxes, num_parents;
  const float4 *a, *b, *a_boxes, *b_boxes, *a_parents, *b_parents;
  // Two copies of the objects: price << 32 | ~owner (0 = free). Rounds read one and bid in the other.
  unsigned long long* states[2];
  std::int32_t *box_price, *parent_price;  // at most the least price
  // One per person. All but best and match are in the order of blocks (emd_kernel.cu), plus one per block.
  std::int32_t *object, *hint, *best, *pushed, *link, *own_price, *wish, *match;
  std::int32_t *box_best, *parent_best;  // at least the largest best
  std::int32_t* free_objects;            // listed by a price update
  EmdPhaseSums* sums;                    // kMostEmdPhases
  EmdOutcome* outcome;
};

// The counters of one group of blocks; start as zero. Words are 128 bytes apart.
struct EmdGroupControl {
  unsigned long long arrivals[3][16];
  unsigned long long largest_raise[3][16];
  std::uint32_t num_free[2][32];
};

struct EmdKernelOptions {
  double gap = 0.005;
  double time_limit_s = 0;
  long long max_rounds = 0;
  int update_rounds = 20;    // a global price update after this many rounds...
  float update_bids = 0.1f;  // ... and this many bids, times the number of persons
  float coarse_end = 0.01f;
  int sweeps = 1;
  int near_shift = 4;  // a price update first looks at raises below the largest / 2^this
};

// Number of blocks of block_threads threads that fit on the current device at the same time.
int MostEmdBlocks(int block_threads);

// Runs the auctions of all pairs. pairs, control (of num_groups groups): device memory. blocks_per_group *
// num_groups blocks of block_threads threads must fit on the device at the same time.
void LaunchEmd(const EmdPairOnDevice* pairs, int num_pairs, int num_groups, int blocks_per_group,
               int block_threads, bool flat, EmdGroupControl* control, const EmdKernelOptions& options,
               cudaStream_t stream);

}  // namespace parallax::cuda
