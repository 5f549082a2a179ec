// A warp has some rows of a column. The regions of its pixels consist of the same rows, each pixel's of those
// that its vertical arms reach: from one pixel without a value to the next, the ballot loses some rows and
// gains others. It is two counters a disparity in shared memory, of the rows that came and of those that
// went. Whoever was not elected asks again only where he would be if all votes that are new in his region
// agreed, and never again where not even those that are missing yet could help. The first round lists where
// such pixels are left; the later ones look only there.
#include "cuda/ad_census/region_voting.h"

#include <algorithm>

#include "cuda/ad_census/index_entry.cuh"
#include "cuda/device/check.h"
#include "cuda/device/warp.cuh"
#include "parallax/disparity_map.h"
#include "pipeline/rules/ad_census_tables.h"

namespace parallax::cuda::ad_census {
namespace {

constexpr std::uint32_t kHopeless = 0xFFFFFFFFU;
constexpr int kVoters = 4, kVotingRows = 8;  // warps of a block, rows of a warp
constexpr int kColumnsAWarp = 2;             // of the later rounds; most are not open
constexpr int kLongestArm = kMaxArmSpan_px / 2;
constexpr int kReachedRows = kVotingRows + 2 * kLongestArm;
constexpr int kRowsALane = (kReachedRows + kWarpSize - 1) / kWarpSize;
constexpr int kNewsReached = kMaxArmSpan_px / 32 + 2;  // words of news that an arm span may lie in

constexpr int NewsWords(int width) { return (width + 31) / 32; }
constexpr int NumBands(int height) { return (height + kVotingRows - 1) / kVotingRows; }

struct VotingArguments {
  const std::uint16_t *row_arms_by_column, *column_arms;
  std::int16_t* index;
  std::uint8_t* validity;
  // The last ballot of each pixel without a value: its votes + 2^16 * the most votes for one disparity;
  // kHopeless if no disparity can win any more.
  std::uint32_t* ballots;
  // Columns of each band of rows where pixels may get a value after the first round, in any order.
  std::uint32_t *open_columns, *num_open;
  // Bit x % 32 of number y of word column x / 32: whether the last round gave the pixel its value, and
  // whether this one does.
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

// The number of bits that are set from bit first to bit last of the words.
__device__ __forceinline__ int CountBits(const std::uint32_t (&words)[kNewsReached], int first, int last) {
  int count = 0;
#pragma unroll
  for (int i = 0; i < kNewsReached; ++i) {
    const int from = first - 32 * i, to = last - 32 * i;
    if (from > 31 || to < 0) continue;
    count += __popc(words[i] & 0xFFFFFFFFU << max(from, 0) & 0xFFFFFFFFU >> (31 - min(to, 31)));
  }
  return count;
}

// Rows of a column that come into a ballot, or go out of it.
struct Rows {
  int first, count;
  std::uint32_t* counters;
};

// Counts the votes of kAtOnce rows, from number v on, of two runs of rows, at pixels `at` of the column and
// arms around them; all are loaded together.
template <int kAtOnce>
__device__ __forceinline__ void CountRows(const VotingArguments& a, const std::int16_t* at,
                                          const std::uint16_t* arms, const Rows& one, const Rows& other,
                                          int v) {
  constexpr int kTimes = kMaxArmSpan_px / kWarpSize + 1;
  const int lane = static_cast<int>(threadIdx.x);
  int entry[kAtOnce][kTimes], span[kAtOnce], longest = 0;
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
    if (IsFrom(entry[r][k], a.round)) atomicAdd(&counters[r][IndexIn(entry[r][k])], 1U);
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
}

// Counts the votes of two runs of rows.
__device__ __forceinline__ void CountVotes(const VotingArguments& a, const std::int16_t* at,
                                           const std::uint16_t* arms, const Rows& one, const Rows& other) {
  const int num_rows = one.count + other.count;
  int v = 0;
  for (; v + 2 < num_rows; v += 4) CountRows<4>(a, at, arms, one, other, v);
  if (v < num_rows) CountRows<2>(a, at, arms, one, other, v);
}

// Elects disparities for the pixels of column x in a band. Returns whether a pixel got none that may get one in a
// later round. came, arms, before: shared memory of this warp alone.
template <bool kFirst>
__device__ __forceinline__ bool VoteInColumn(const VotingArguments& a, int x, int band, std::uint32_t* came,
                                             std::uint16_t* arms, std::uint32_t* before) {
  const int lane = static_cast<int>(threadIdx.x);
  const int y = band * kVotingRows;
  const int top = y - kLongestArm;  // row 0 of those that are reached
  const auto pixel_at = [&](int row) { return static_cast<std::int64_t>(row) * a.width + x; };
  bool is_hole = lane < kVotingRows && y + lane < a.height;
  std::uint32_t ballot = 0, across = 0;
  if (is_hole) {
    across = a.column_arms[pixel_at(y + lane)];
    if constexpr (!kFirst) ballot = a.ballots[pixel_at(y + lane)];
    is_hole = a.index[pixel_at(y + lane)] == kNoIndex && ballot != kHopeless;
  }
  // The pixels around that got a value in the last round, in the rows that a lane looks at.
  const int first_word = max(x - kLongestArm, 0) / 32;
  std::uint32_t news[kRowsALane][kNewsReached];
  std::uint32_t any_news = 0;
  if constexpr (!kFirst) {
    const int num_words = NewsWords(a.width);
#pragma unroll
    for (int i = 0; i < kRowsALane; ++i) {
      const int v = i * kWarpSize + lane, row = top + v;
      const bool is_reached = v < kReachedRows && row >= 0 && row < a.height;
#pragma unroll
      for (int k = 0; k < kNewsReached; ++k) {
        const bool is_near =
            is_reached && first_word + k < num_words && 32 * (first_word + k) <= x + kLongestArm;
        news[i][k] = is_near ? a.last_news[static_cast<std::int64_t>(first_word + k) * a.height + row] : 0;
        any_news |= news[i][k];
      }
    }
  }
  if (!__any_sync(kFullWarp, is_hole)) return false;
  if constexpr (!kFirst) {
    if (!__any_sync(kFullWarp, any_news != 0)) return false;
  }

  // Pixels of the reached rows' arms, and + 2^16 those of them that are new; those of the rows before each.
  std::uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < kRowsALane; ++i) {
    const int v = i * kWarpSize + lane, row = top + v;
    std::uint32_t pixels = 0;
    if (v < kReachedRows && row >= 0 && row < a.height) {
      const std::uint32_t of_row = a.row_arms_by_column[static_cast<std::int64_t>(x) * a.height + row];
      const int back = static_cast<int>(of_row & 0xFFU), ahead = static_cast<int>(of_row >> 8);
      arms[v] = static_cast<std::uint16_t>(of_row);
      pixels = static_cast<std::uint32_t>(1 + back + ahead);
      if constexpr (!kFirst) {
        const int at = x - 32 * first_word;
        pixels |= static_cast<std::uint32_t>(CountBits(news[i], at - back, at + ahead)) << 16;
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
  __syncwarp();  // all lanes have read what is overwritten below

  // Each lane has one pixel to elect for. first, last: the rows of its region.
  int first = 0, last = 0;
  bool has_ballot = false;
  if (is_hole) {
    const std::int64_t pixel = pixel_at(y + lane);
    first = kLongestArm + lane - static_cast<int>(across & 0xFFU);
    last = kLongestArm + lane + static_cast<int>(across >> 8);
    const std::uint32_t region = before[last + 1] - before[first];
    if constexpr (kFirst) {
      has_ballot = static_cast<int>(region & 0xFFFFU) > a.min_votes;  // there are no more votes than pixels
      if (!has_ballot) a.ballots[pixel] = kHopeless;
    } else if (region >> 16 != 0) {
      // At most all new votes are for the same disparity.
      ballot += (region >> 16) * 0x10001U;
      has_ballot = IsElected(a, static_cast<int>(ballot & 0xFFFFU), static_cast<int>(ballot >> 16));
      if (!has_ballot) a.ballots[pixel] = ballot;
    }
  }
  unsigned to_elect = __ballot_sync(kFullWarp, has_ballot);
  if (to_elect == 0) return false;

  std::uint32_t* const gone = came + a.num_disparities;
  const std::int16_t* const at = a.index + pixel_at(top);
  int from = 0, to = -1;  // rows that the ballot has; none at first
  bool is_empty = true, any_open = false;
  for (; to_elect != 0; to_elect &= to_elect - 1) {
    const int pixel_lane = __ffs(static_cast<int>(to_elect)) - 1;
    const int wanted_from = __shfl_sync(kFullWarp, first, pixel_lane),
              wanted_to = __shfl_sync(kFullWarp, last, pixel_lane);
    const int kept = max(min(to, wanted_to) - max(from, wanted_from) + 1, 0);
    Rows above{wanted_from, wanted_to - wanted_from + 1, came}, below{0, 0, came};
    if (is_empty || to - from + 1 > 2 * kept) {  // fewer rows to count anew
      for (int d = lane; d < 2 * a.num_disparities; d += kWarpSize) came[d] = 0;
      is_empty = false;
      __syncwarp();
    } else {
      above = wanted_from < from ? Rows{wanted_from, from - wanted_from, came}
                                 : Rows{from, wanted_from - from, gone};
      below = wanted_to > to ? Rows{to + 1, wanted_to - to, came} : Rows{wanted_to + 1, to - wanted_to, gone};
    }
    CountVotes(a, at, arms, above, below);
    from = wanted_from;
    to = wanted_to;
    __syncwarp();
    // The most votes, of equal ones the lowest disparity: at most 4489 votes, at most 1024 disparities.
    std::uint32_t best = 0;
    int all_votes = 0;
    for (int d = lane; d < a.num_disparities; d += kWarpSize) {
      const std::uint32_t votes = came[d] - gone[d];
      best = max(best, votes << 10 | static_cast<std::uint32_t>(1023 - d));
      all_votes += static_cast<int>(votes);
    }
    best = WarpMax(best);
    all_votes = WarpSum(all_votes);
    const int most = static_cast<int>(best >> 10);
    __syncwarp();
    const bool is_elected = IsElected(a, all_votes, most);
    const int size = static_cast<int>((before[to + 1] - before[from]) & 0xFFFFU);
    const bool is_hopeless = !IsElected(a, size, most + size - all_votes);
    any_open = any_open || (!is_elected && !is_hopeless);
    if (lane != 0) continue;
    const std::int64_t pixel = pixel_at(y + pixel_lane);
    if (!is_elected) {
      a.ballots[pixel] = is_hopeless
                             ? kHopeless
                             : static_cast<std::uint32_t>(all_votes) | static_cast<std::uint32_t>(most) << 16;
      continue;
    }
    a.index[pixel] = static_cast<std::int16_t>((1023 - (best & 1023U)) | static_cast<std::uint32_t>(a.round)
                                                                             << kIndexBits);
    a.validity[pixel] = static_cast<std::uint8_t>(a.validity[pixel] | kFilled);
    atomicOr(&a.news[static_cast<std::int64_t>(x / 32) * a.height + y + pixel_lane], 1U << (x % 32));
  }
  return any_open;
}

// The first round: a warp has a column of the grid's band.
__global__ void __launch_bounds__(kWarpSize* kVoters) FirstVotingKernel(const VotingArguments a) {
  extern __shared__ std::uint32_t counters[];
  __shared__ std::uint16_t arms[kVoters][kReachedRows];
  __shared__ std::uint32_t before[kVoters][kReachedRows + 1];
  const int warp = static_cast<int>(threadIdx.y), band = static_cast<int>(blockIdx.y);
  const int x = static_cast<int>(blockIdx.x) * kVoters + warp;
  if (x >= a.width) return;
  const bool is_open =
      VoteInColumn<true>(a, x, band, counters + warp * 2 * a.num_disparities, arms[warp], before[warp]);
  if (is_open && threadIdx.x == 0) {
    const std::uint32_t place = atomicAdd(&a.num_open[band], 1U);
    a.open_columns[static_cast<std::int64_t>(band) * a.width + place] = static_cast<std::uint32_t>(x);
  }
}

// Later rounds: a warp takes one of the band's open columns at a time.
__global__ void __launch_bounds__(kWarpSize* kVoters) VotingKernel(const VotingArguments a) {
  extern __shared__ std::uint32_t counters[];
  __shared__ std::uint16_t arms[kVoters][kReachedRows];
  __shared__ std::uint32_t before[kVoters][kReachedRows + 1];
  const int warp = static_cast<int>(threadIdx.y), band = static_cast<int>(blockIdx.y);
  const int num_open = static_cast<int>(a.num_open[band]);
  for (int i = static_cast<int>(blockIdx.x) * kVoters + warp; i < num_open;
       i += static_cast<int>(gridDim.x) * kVoters) {
    const auto x = static_cast<int>(a.open_columns[static_cast<std::int64_t>(band) * a.width + i]);
    VoteInColumn<false>(a, x, band, counters + warp * 2 * a.num_disparities, arms[warp], before[warp]);
    __syncwarp();
  }
}

}  // namespace

VotingMemory VotingMemory::Take(Arena& arena, int num_rounds, int width, int height) {
  VotingMemory memory;
  if (num_rounds == 0) return memory;
  const auto bands = static_cast<std::size_t>(NumBands(height));
  const std::size_t num_news = static_cast<std::size_t>(num_rounds) *
                               static_cast<std::size_t>(NewsWords(width)) * static_cast<std::size_t>(height);
  memory.ballots =
      arena.Take<std::uint32_t>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  memory.open_columns = arena.Take<std::uint32_t>(static_cast<std::size_t>(width) * bands);
  memory.news = arena.Take<std::uint32_t>(num_news + bands);
  return memory;
}

void VoteInRegions(const View& left, int width, int height, int num_disparities,
                   const AdCensusParameters& parameters, const VotingMemory& memory, std::int16_t* index,
                   std::uint8_t* validity, cudaStream_t stream) {
  const int num_rounds = parameters.voting_iterations, num_bands = NumBands(height);
  if (num_rounds == 0) return;
  const std::size_t num_news = static_cast<std::size_t>(NewsWords(width)) * static_cast<std::size_t>(height),
                    all_news = static_cast<std::size_t>(num_rounds) * num_news;
  Check(cudaMemsetAsync(memory.news, 0,
                        (all_news + static_cast<std::size_t>(num_bands)) * sizeof(std::uint32_t), stream),
        "cudaMemsetAsync");
  const std::size_t counter_bytes =
      kVoters * 2 * static_cast<std::size_t>(num_disparities) * sizeof(std::uint32_t);
  const dim3 block(kWarpSize, kVoters);
  for (int round = 1; round <= num_rounds; ++round) {
    std::uint32_t* const news = memory.news + static_cast<std::size_t>(round - 1) * num_news;
    const bool is_first = round == 1;
    const VotingArguments a{left.row_arms_by_column,
                            left.column_arms,
                            index,
                            validity,
                            memory.ballots,
                            memory.open_columns,
                            memory.news + all_news,
                            is_first ? nullptr : news - num_news,
                            news,
                            width,
                            height,
                            num_disparities,
                            parameters.voting_min_votes,
                            parameters.voting_min_percent,
                            round};
    const int columns_a_block = kVoters * (is_first ? 1 : kColumnsAWarp);
    const dim3 grid(static_cast<unsigned>((width + columns_a_block - 1) / columns_a_block),
                    static_cast<unsigned>(num_bands));
    (is_first ? FirstVotingKernel : VotingKernel)<<<grid, block, counter_bytes, stream>>>(a);
    CheckLaunch("VotingKernel");
  }
}

}  // namespace parallax::cuda::ad_census
