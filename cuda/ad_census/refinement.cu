#include "cuda/ad_census/refinement.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "cuda/ad_census/color.cuh"
#include "cuda/device/check.h"
#include "cuda/device/warp.cuh"
#include "pipeline/ad_census_tables.h"
#include "pipeline/disparity_map.h"
#include "pipeline/pixel_math.h"

namespace parallax::cuda::ad_census {
namespace {

constexpr unsigned kThreads = 256;

// An index in the map that is filled in place: of the disparity, and above it the round of voting that gave
// it, 0 where none did. Who votes in a round looks past what others get in the same round.
constexpr int kIndexBits = 10, kMaxRounds = 16, kInterpolated = kMaxRounds + 1;
static_assert((kInterpolated + 1) << kIndexBits <= INT16_MAX + 1);
__device__ __forceinline__ int IndexIn(int entry) { return entry & ((1 << kIndexBits) - 1); }
__device__ __forceinline__ bool IsFrom(int entry, int before_round) {
  return static_cast<unsigned>(entry) < static_cast<unsigned>(before_round) << kIndexBits;
}

unsigned BlocksFor(std::size_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

__global__ void __launch_bounds__(kThreads)
    ReadMapKernel(const float* disparity, std::uint32_t num_pixels, int min_disparity, std::int16_t* index,
                  std::uint32_t* ballots) {
  const std::uint32_t pixel = blockIdx.x * kThreads + threadIdx.x;
  if (pixel >= num_pixels) return;
  const float value = disparity[pixel];
  index[pixel] = isnan(value) ? kNoIndex : static_cast<std::int16_t>(static_cast<int>(value) - min_disparity);
  if (ballots != nullptr) ballots[pixel] = 0;
}

// --- region voting ---------------------------------------------------------------------------------------
// A warp has some rows of a column. The regions of its pixels consist of the same rows, each pixel's of those
// that its vertical arms reach: from one pixel without a value to the next, the ballot loses some rows and
// gains others. It is two counters a disparity in shared memory, of the rows that came and of those that
// went. Whoever was not elected asks again only where he would be if all votes that are new in his region
// agreed, and never again where not even those that are missing yet could help.
constexpr std::uint32_t kHopeless = 0xFFFFFFFFU;
constexpr int kVoters = 4, kVotingRows = 8;  // warps of a block, rows of a warp
constexpr int kLongestArm = kMaxArmSpan_px / 2;
constexpr int kReachedRows = kVotingRows + 2 * kLongestArm;

struct VotingArguments {
  const std::uint16_t *row_arms, *column_arms;
  std::int16_t* index;
  std::uint8_t* validity;
  // Of pixels without a value: the votes of the last ballot, and + 2^16 those for one disparity, at most;
  // kHopeless where nobody can be elected any more.
  std::uint32_t* ballots;
  // Bit x of a row: whether the last round gave the pixel its value, and whether this one does.
  const std::uint32_t* last_news;
  std::uint32_t* news;
  int width, height, num_disparities, min_votes, min_percent;
  int round;  // 1, 2, ...
};

__device__ __forceinline__ int WarpSum(int value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(kFullWarp, value);
#else
  for (int i = kWarpSize / 2; i > 0; i /= 2) value += __shfl_xor_sync(kFullWarp, value, i);
  return value;
#endif
}

__device__ __forceinline__ bool IsElected(const VotingArguments& a, int num_votes, int most) {
  return num_votes > a.min_votes && most * 100 > num_votes * a.min_percent;
}

// Bits first .. last of a row, at most kMaxArmSpan_px.
__device__ __forceinline__ int CountBits(const std::uint32_t* row, int first, int last) {
  constexpr int kWords = kMaxArmSpan_px / 32 + 2;
  std::uint32_t bits[kWords];
#pragma unroll
  for (int i = 0; i < kWords; ++i) bits[i] = first / 32 + i <= last / 32 ? row[first / 32 + i] : 0;
  bits[0] &= 0xFFFFFFFFU << (first % 32);
  int count = 0;
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    if (first / 32 + i == last / 32) bits[i] &= 0xFFFFFFFFU >> (31 - last % 32);
    count += __popc(bits[i]);
  }
  return count;
}

// Rows of a column that come into a ballot, or go out of it.
struct Rows {
  int first, count;
  std::uint32_t* counters;
};

// Counts the votes of kAtOnce rows, from number v on, of two runs of rows, at pixels `at` of the column and
// arms around them; all are loaded together. Returns this lane's.
template <int kAtOnce>
__device__ __forceinline__ int CountRows(const VotingArguments& a, const std::int16_t* at,
                                         const std::uint16_t* arms, const Rows& one, const Rows& other,
                                         const std::uint32_t* gone, int v) {
  constexpr int kTimes = kMaxArmSpan_px / kWarpSize + 1;
  const int lane = static_cast<int>(threadIdx.x);
  int entry[kAtOnce][kTimes], span[kAtOnce], longest = 0, num_votes = 0;
  const std::int16_t* from[kAtOnce];
  std::uint32_t* counters[kAtOnce];
#pragma unroll
  for (int r = 0; r < kAtOnce; ++r) {
    const bool is_of_one = v + r < one.count;
    const int row = min(is_of_one ? one.first + v + r : other.first + v + r - one.count, kReachedRows - 1);
    const int back = arms[row] & 0xFF;
    span[r] = v + r < one.count + other.count ? 1 + back + (arms[row] >> 8) : 0;
    longest = max(longest, span[r]);
    from[r] = at + static_cast<std::int64_t>(row) * a.width - back + lane;
    counters[r] = is_of_one ? one.counters : other.counters;
    entry[r][0] = lane < span[r] ? from[r][0] : kNoIndex;
  }
  const auto count = [&](int r, int k) {
    if (!IsFrom(entry[r][k], a.round)) return;
    atomicAdd(&counters[r][IndexIn(entry[r][k])], 1U);
    num_votes += counters[r] == gone ? -1 : 1;
  };
  if (longest > kWarpSize) {
#pragma unroll
    for (int k = 1; k < kTimes; ++k) {
#pragma unroll
      for (int r = 0; r < kAtOnce; ++r)
        entry[r][k] = lane + k * kWarpSize < span[r] ? from[r][k * kWarpSize] : kNoIndex;
    }
#pragma unroll
    for (int k = 1; k < kTimes; ++k) {
#pragma unroll
      for (int r = 0; r < kAtOnce; ++r) count(r, k);
    }
  }
#pragma unroll
  for (int r = 0; r < kAtOnce; ++r) count(r, 0);
  return num_votes;
}

// Those of all rows of two runs.
__device__ __forceinline__ int CountVotes(const VotingArguments& a, const std::int16_t* at,
                                          const std::uint16_t* arms, const Rows& one, const Rows& other,
                                          const std::uint32_t* gone) {
  const int num_rows = one.count + other.count;
  int num_votes = 0, v = 0;
  for (; v + 2 < num_rows; v += 4) num_votes += CountRows<4>(a, at, arms, one, other, gone, v);
  if (v < num_rows) num_votes += CountRows<2>(a, at, arms, one, other, gone, v);
  return num_votes;
}

__global__ void __launch_bounds__(kWarpSize* kVoters) VotingKernel(const VotingArguments a) {
  extern __shared__ std::uint32_t counters[];
  __shared__ std::uint16_t arms_of[kVoters][kReachedRows];
  __shared__ std::uint32_t before_of[kVoters][kReachedRows + 1];
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int x = static_cast<int>(blockIdx.x) * kVoters + warp, y = static_cast<int>(blockIdx.y) * kVotingRows;
  if (x >= a.width) return;
  const int top = y - kLongestArm;  // row 0 of those that are reached
  const auto pixel_at = [&](int row) { return static_cast<std::int64_t>(row) * a.width + x; };
  bool is_hole = lane < kVotingRows && y + lane < a.height;
  std::uint32_t ballot = 0;
  if (is_hole) {
    ballot = a.ballots[pixel_at(y + lane)];
    is_hole = a.index[pixel_at(y + lane)] == kNoIndex && ballot != kHopeless;
  }
  if (!__any_sync(kFullWarp, is_hole)) return;

  // Pixels of the reached rows' arms, and + 2^16 those of them that are new; those of the rows before each.
  std::uint16_t* const arms = arms_of[warp];
  std::uint32_t* const before = before_of[warp];
  const int num_words = NewsWords(a.width);
  std::uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < (kReachedRows + kWarpSize - 1) / kWarpSize; ++i) {
    const int v = i * kWarpSize + lane, row = top + v;
    std::uint32_t pixels = 0;
    if (v < kReachedRows && row >= 0 && row < a.height) {
      const std::uint32_t of_row = a.row_arms[pixel_at(row)];
      const int back = static_cast<int>(of_row & 0xFFU), ahead = static_cast<int>(of_row >> 8);
      arms[v] = static_cast<std::uint16_t>(of_row);
      pixels = static_cast<std::uint32_t>(1 + back + ahead);
      if (a.round > 1) {
        const std::uint32_t* const news = a.last_news + static_cast<std::int64_t>(row) * num_words;
        pixels |= static_cast<std::uint32_t>(CountBits(news, x - back, x + ahead)) << 16;
      }
    }
    std::uint32_t up_to = pixels;
    for (int step = 1; step < kWarpSize; step *= 2) {
      const std::uint32_t other = __shfl_up_sync(kFullWarp, up_to, step);
      if (lane >= step) up_to += other;
    }
    up_to += sum;
    if (v < kReachedRows) before[v + 1] = up_to;
    sum = __shfl_sync(kFullWarp, up_to, kWarpSize - 1);
  }
  if (lane == 0) before[0] = 0;
  __syncwarp();

  // Who is to be elected, a lane each. first, last: its rows.
  int first = 0, last = 0;
  bool has_ballot = false;
  if (is_hole) {
    const std::int64_t pixel = pixel_at(y + lane);
    const std::uint32_t across = a.column_arms[pixel];
    first = kLongestArm + lane - static_cast<int>(across & 0xFFU);
    last = kLongestArm + lane + static_cast<int>(across >> 8);
    const std::uint32_t region = before[last + 1] - before[first];
    if (a.round == 1) {
      has_ballot = static_cast<int>(region & 0xFFFFU) > a.min_votes;  // there are no more votes than pixels
      if (!has_ballot) a.ballots[pixel] = kHopeless;
    } else if (region >> 16 != 0) {
      // As if all that are new were for the same one.
      ballot += (region >> 16) * 0x10001U;
      has_ballot = IsElected(a, static_cast<int>(ballot & 0xFFFFU), static_cast<int>(ballot >> 16));
      if (!has_ballot) a.ballots[pixel] = ballot;
    }
  }
  unsigned to_elect = __ballot_sync(kFullWarp, has_ballot);
  if (to_elect == 0) return;

  std::uint32_t* const came = counters + warp * 2 * a.num_disparities;
  std::uint32_t* const gone = came + a.num_disparities;
  const std::int16_t* const at = a.index + pixel_at(top);
  int num_votes = 0;      // this lane's
  int from = 0, to = -1;  // rows that the ballot has; none at first
  bool is_empty = true;
  for (; to_elect != 0; to_elect &= to_elect - 1) {
    const int pixel_lane = __ffs(static_cast<int>(to_elect)) - 1;
    const int wanted_from = __shfl_sync(kFullWarp, first, pixel_lane),
              wanted_to = __shfl_sync(kFullWarp, last, pixel_lane);
    const int kept = max(min(to, wanted_to) - max(from, wanted_from) + 1, 0);
    Rows above{wanted_from, wanted_to - wanted_from + 1, came}, below{0, 0, came};
    if (is_empty || to - from + 1 > 2 * kept) {  // fewer rows to count anew
      for (int d = lane; d < 2 * a.num_disparities; d += kWarpSize) came[d] = 0;
      num_votes = 0;
      is_empty = false;
      __syncwarp();
    } else {
      above = wanted_from < from ? Rows{wanted_from, from - wanted_from, came}
                                 : Rows{from, wanted_from - from, gone};
      below = wanted_to > to ? Rows{to + 1, wanted_to - to, came} : Rows{wanted_to + 1, to - wanted_to, gone};
    }
    num_votes += CountVotes(a, at, arms, above, below, gone);
    from = wanted_from;
    to = wanted_to;
    __syncwarp();
    // The most votes, of equal ones the lowest disparity: at most 4489 votes, at most 1024 disparities.
    std::uint32_t best = 0;
    for (int d = lane; d < a.num_disparities; d += kWarpSize)
      best = max(best, (came[d] - gone[d]) << 10 | static_cast<std::uint32_t>(1023 - d));
    best = WarpMax(best);
    const int all_votes = WarpSum(num_votes), most = static_cast<int>(best >> 10);
    __syncwarp();
    if (lane != 0) continue;
    const std::int64_t pixel = pixel_at(y + pixel_lane);
    if (!IsElected(a, all_votes, most)) {
      const int size = static_cast<int>((before[to + 1] - before[from]) & 0xFFFFU);
      a.ballots[pixel] = IsElected(a, size, most + size - all_votes)
                             ? static_cast<std::uint32_t>(all_votes) | static_cast<std::uint32_t>(most) << 16
                             : kHopeless;
      continue;
    }
    a.index[pixel] = static_cast<std::int16_t>((1023 - (best & 1023U)) | static_cast<std::uint32_t>(a.round)
                                                                             << kIndexBits);
    a.validity[pixel] = static_cast<std::uint8_t>(a.validity[pixel] | kFilled);
    atomicOr(&a.news[static_cast<std::int64_t>(y + pixel_lane) * num_words + x / 32], 1U << (x % 32));
  }
}

// --- interpolation -----------------------------------------------------------------------------------------
// A block looks at kListed pixels and lists those without a value. A thread has one of them and kDirections
// of the sixteen directions, its neighbours the pixels beside it and the same directions.
__constant__ const std::int8_t kHalfSteps[16][2] = {{2, 0},  {2, 1},  {2, 2},  {1, 2},   {0, 2},   {-1, 2},
                                                    {-2, 2}, {-2, 1}, {-2, 0}, {-2, -1}, {-2, -2}, {-1, -2},
                                                    {0, -2}, {1, -2}, {2, -2}, {2, -1}};

// The last k of a direction whose pixel k d / 2, towards zero, is within `room`.
__device__ __forceinline__ int LastStep(int d, int room) {
  return d == 0 ? INT_MAX : abs(d) == 2 ? room : 2 * room + 1;
}

constexpr int kListed = 64, kDirections = 16 * kListed / static_cast<int>(kThreads);

// The nearest pixel with a value along a direction, as a key of which the lowest is best, above the
// disparity.
__device__ __forceinline__ std::uint32_t LookAlong(int direction, std::uint32_t pixel, int x, int y,
                                                   int width, int height, const std::int16_t* index,
                                                   const std::uint32_t* color, bool is_hidden) {
  constexpr int kAtOnce = 8;  // pixels that are looked at together
  const int dx = kHalfSteps[direction][0], dy = kHalfSteps[direction][1];
  // Pixel k lies k / 2 strides away, and for odd k a half more.
  const std::ptrdiff_t stride = dx + static_cast<std::ptrdiff_t>(dy) * width,
                       half = dx / 2 + static_cast<std::ptrdiff_t>(dy / 2) * width;
  const int last = min(LastStep(dx, dx > 0 ? width - 1 - x : x), LastStep(dy, dy > 0 ? height - 1 - y : y));
  std::ptrdiff_t at = pixel;  // of the even pixel before those that are looked at
  for (int k = 1; k <= last; k += kAtOnce, at += kAtOnce / 2 * stride) {
    const auto place = [&](int i) { return at + (i + 1) / 2 * stride + (i % 2 == 0 ? half : 0); };
    int entries[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) entries[i] = k + i <= last ? index[place(i)] : kNoIndex;
    int value = kNoIndex;
    std::ptrdiff_t where = 0;
#pragma unroll
    for (int i = kAtOnce - 1; i >= 0; --i) {
      if (!IsFrom(entries[i], kInterpolated)) continue;
      value = IndexIn(entries[i]);
      where = place(i);
    }
    if (value == kNoIndex) continue;
    const int key = is_hidden ? 0 : ColorDistance(color[where], color[pixel]) << 4 | direction;
    return static_cast<std::uint32_t>(key) << 16 | static_cast<std::uint32_t>(value);
  }
  return 0xFFFFFFFFU;
}

__global__ void __launch_bounds__(kThreads)
    InterpolationKernel(const std::uint32_t* color, int width, int height, std::int16_t* index,
                        std::uint8_t* validity) {
  __shared__ std::uint32_t holes[kListed], best[kListed];
  __shared__ int num_holes;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kWarpSize;
  if (thread == 0) num_holes = 0;
  __syncthreads();
  if (thread < kListed) {
    const std::int64_t pixel = static_cast<std::int64_t>(blockIdx.x) * kListed + thread;
    const bool is_hole = pixel < static_cast<std::int64_t>(width) * height && index[pixel] == kNoIndex;
    const unsigned all = __ballot_sync(kFullWarp, is_hole);
    int place = 0;
    if (lane == 0 && all != 0) place = atomicAdd(&num_holes, __popc(all));
    place = __shfl_sync(kFullWarp, place, 0) + __popc(all & ((1U << lane) - 1));
    if (is_hole) holes[place] = static_cast<std::uint32_t>(pixel);
    best[thread] = 0xFFFFFFFFU;
  }
  __syncthreads();
  const int hole = thread % kListed, first = thread / kListed * kDirections;
  const bool has_hole = hole < num_holes;
  const std::uint32_t pixel = has_hole ? holes[hole] : 0;
  if (has_hole) {
    const int x = static_cast<int>(pixel % static_cast<std::uint32_t>(width)),
              y = static_cast<int>(pixel / static_cast<std::uint32_t>(width));
    const bool is_hidden = (validity[pixel] & kOccluded) != 0;
    std::uint32_t lowest = 0xFFFFFFFFU;
#pragma unroll 1
    for (int i = 0; i < kDirections; ++i)
      lowest = min(lowest, LookAlong(first + i, pixel, x, y, width, height, index, color, is_hidden));
    atomicMin(&best[hole], lowest);
  }
  __syncthreads();
  if (thread >= kListed || !has_hole || best[hole] == 0xFFFFFFFFU) return;
  index[pixel] = static_cast<std::int16_t>((best[hole] & 0xFFFFU) | kInterpolated << kIndexBits);
  validity[pixel] = static_cast<std::uint8_t>(validity[pixel] | kFilled);
}

// --- discontinuities, sub-pixel ---------------------------------------------
__device__ __forceinline__ int SumAt(const PathSums& sums, std::size_t at) {
  return sums.rows[at] + (sums.columns != nullptr ? sums.columns[at] : 0);
}

__global__ void __launch_bounds__(kThreads)
    DiscontinuityKernel(const PathSums sums, const CostShape shape, const std::int16_t* before,
                        std::int16_t* after) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (x >= shape.width) return;
  const std::size_t pixel = static_cast<std::size_t>(blockIdx.y) * static_cast<std::size_t>(shape.width) + x;
  const auto index_at = [&](std::size_t at) {
    const int entry = before[at];
    return entry == kNoIndex ? kNoIndex : IndexIn(entry);
  };
  const int d = index_at(pixel);
  const int beside[2] = {x > 0 ? index_at(pixel - 1) : kNoIndex,
                         x + 1 < shape.width ? index_at(pixel + 1) : kNoIndex};
  const auto is_edge = [&](int other) { return other != kNoIndex && abs(other - d) > 1; };
  int chosen = d;
  if (d != kNoIndex && (is_edge(beside[0]) || is_edge(beside[1]))) {
    const std::size_t cell = pixel * static_cast<std::size_t>(shape.padded);
    int cost = SumAt(sums, cell + static_cast<std::size_t>(d));
    for (const int other : beside) {
      if (other == kNoIndex) continue;
      const int cost_there = SumAt(sums, cell + static_cast<std::size_t>(other));
      if (cost_there < cost) chosen = other, cost = cost_there;
    }
  }
  after[pixel] = static_cast<std::int16_t>(chosen);
}

// kRefined: with the sub-pixel offset.
template <bool kRefined>
__global__ void __launch_bounds__(kThreads)
    WriteKernel(const PathSums sums, const CostShape shape, const std::int16_t* index, Subpixel method,
                float* disparity) {
  const std::size_t pixel = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (pixel >= shape.num_pixels()) return;
  if (index[pixel] == kNoIndex) {
    disparity[pixel] = __int_as_float(0x7FC00000);
    return;
  }
  const int d = IndexIn(index[pixel]);
  float value = static_cast<float>(shape.min_disparity + d);
  if (kRefined && d > 0 && d + 1 < shape.num_disparities) {
    const std::size_t cell = pixel * static_cast<std::size_t>(shape.padded) + static_cast<std::size_t>(d);
    const int lowest = SumAt(sums, cell), before = SumAt(sums, cell - 1) - lowest,
              after = SumAt(sums, cell + 1) - lowest;
    if (before >= 0 && after >= 0) value = __fadd_rn(value, SubpixelOffset(lowest, before, after, method));
  }
  disparity[pixel] = value;
}

}  // namespace

RefinementMemory RefinementMemory::Take(Arena& arena, const Parameters& parameters, int width, int height) {
  const std::size_t num_pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const std::size_t num_rounds = static_cast<std::size_t>(parameters.ad_census.voting_iterations);
  RefinementMemory memory;
  memory.index = arena.Take<std::int16_t>(num_pixels);
  memory.adjusted = arena.Take<std::int16_t>(num_pixels);
  if (num_rounds > 0) {
    memory.ballots = arena.Take<std::uint32_t>(num_pixels);
    memory.news = arena.Take<std::uint32_t>(num_rounds * static_cast<std::size_t>(NewsWords(width)) *
                                            static_cast<std::size_t>(height));
  }
  return memory;
}

void Refinement::ReadMap(const DeviceDisparityMap& map, cudaStream_t stream) {
  ReadMapKernel<<<BlocksFor(shape_.num_pixels()), kThreads, 0, stream>>>(
      map.disparity.data, static_cast<std::uint32_t>(shape_.num_pixels()), shape_.min_disparity,
      memory_.index, memory_.ballots);
  CheckLaunch("ReadMapKernel");
}

void Refinement::VoteInRegions(const DeviceDisparityMap& map, cudaStream_t stream) {
  const AdCensusParameters& p = parameters_.ad_census;
  if (p.voting_iterations == 0) return;
  const std::size_t num_news =
      static_cast<std::size_t>(NewsWords(shape_.width)) * static_cast<std::size_t>(shape_.height);
  Check(cudaMemsetAsync(memory_.news, 0,
                        static_cast<std::size_t>(p.voting_iterations) * num_news * sizeof(std::uint32_t),
                        stream),
        "cudaMemsetAsync");
  const dim3 grid(static_cast<unsigned>((shape_.width + kVoters - 1) / kVoters),
                  static_cast<unsigned>((shape_.height + kVotingRows - 1) / kVotingRows));
  const std::size_t shared_bytes =
      kVoters * 2 * static_cast<std::size_t>(shape_.num_disparities) * sizeof(std::uint32_t);
  for (int round = 1; round <= p.voting_iterations; ++round) {
    std::uint32_t* const news = memory_.news + static_cast<std::size_t>(round - 1) * num_news;
    const VotingArguments a{left_.row_arms,
                            left_.column_arms,
                            memory_.index,
                            map.validity.data,
                            memory_.ballots,
                            round > 1 ? news - num_news : nullptr,
                            news,
                            shape_.width,
                            shape_.height,
                            shape_.num_disparities,
                            p.voting_min_votes,
                            p.voting_min_percent,
                            round};
    VotingKernel<<<grid, dim3(kWarpSize, kVoters), shared_bytes, stream>>>(a);
    CheckLaunch("VotingKernel");
  }
}

void Refinement::Interpolate(const DeviceDisparityMap& map, cudaStream_t stream) {
  const auto num_blocks = static_cast<unsigned>((shape_.num_pixels() + kListed - 1) / kListed);
  InterpolationKernel<<<num_blocks, kThreads, 0, stream>>>(left_.color, shape_.width, shape_.height,
                                                           memory_.index, map.validity.data);
  CheckLaunch("InterpolationKernel");
}

void Refinement::AdjustDiscontinuities(cudaStream_t stream) {
  const dim3 grid(BlocksFor(static_cast<std::size_t>(shape_.width)), static_cast<unsigned>(shape_.height));
  DiscontinuityKernel<<<grid, kThreads, 0, stream>>>(sums_, shape_, memory_.index, memory_.adjusted);
  CheckLaunch("DiscontinuityKernel");
  std::swap(memory_.index, memory_.adjusted);
}

void Refinement::RefineSubpixel(const DeviceDisparityMap& map, cudaStream_t stream) {
  WriteKernel<true><<<BlocksFor(shape_.num_pixels()), kThreads, 0, stream>>>(
      sums_, shape_, memory_.index, parameters_.selection.subpixel, map.disparity.data);
  CheckLaunch("WriteKernel");
}

void Refinement::WriteMap(const DeviceDisparityMap& map, cudaStream_t stream) {
  WriteKernel<false><<<BlocksFor(shape_.num_pixels()), kThreads, 0, stream>>>(
      sums_, shape_, memory_.index, Subpixel::kNone, map.disparity.data);
  CheckLaunch("WriteKernel");
}

}  // namespace parallax::cuda::ad_census
