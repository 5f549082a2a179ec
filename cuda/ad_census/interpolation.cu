// Where pixels have values stands in bits, once more for each slope of the directions, so that the nearest
// one along a direction is the first bit set in a line of words. A direction with a half step (2, 1) goes
// along two lines in turns: its odd pixels lie on one, its even ones on the other.
#include "cuda/ad_census/interpolation.h"

#include <algorithm>

#include "cuda/ad_census/color.cuh"
#include "cuda/ad_census/index_entry.cuh"
#include "cuda/device/check.h"
#include "cuda/device/warp.cuh"
#include "parallax/disparity_map.h"

namespace parallax::cuda::ad_census {
namespace {

constexpr int kThreads = 256;

// Lines of one slope. Bit b of line n is pixel (n - shift + b step_x, parity + b step_y), or of rows (b, n);
// word b / 32 of line n is number b / 32 * num_lines + n.
struct Lines {
  int step_x, step_y, parity, shift, num_lines, num_words;
  std::size_t first_word;
  unsigned first_block;  // of MakeLinesKernel

  __host__ __device__ __forceinline__ bool are_rows() const { return step_y == 0; }
};
// Slopes as halves of a direction's steps (see kDirections); those with parities for rows 0, 2, .. and 1, 3,
// ...
enum Slope {
  kRows,
  kColumns,
  kDown1,
  kUp1,
  kDown2,
  kUp2,
  kDownHalf,
  kUpHalf = kDownHalf + 2,
  kNumSlopes = kUpHalf + 2
};
struct AllLines {
  Lines of[kNumSlopes];
  std::size_t num_words;
  unsigned num_blocks;
};

AllLines MakeAllLines(int width, int height) {
  AllLines all{};
  // Called in the order of slopes.
  const auto add = [&](int slope, int step_x, int step_y, int parity) {
    Lines& lines = all.of[slope];
    const bool are_rows = step_y == 0;
    const int num_bits = are_rows ? width : (height - parity + step_y - 1) / step_y;
    const int sheared = std::abs(step_x) * std::max(num_bits - 1, 0);
    lines.step_x = step_x;
    lines.step_y = step_y;
    lines.parity = parity;
    lines.shift = step_x > 0 && !are_rows ? sheared : 0;
    lines.num_lines = are_rows ? height : width + sheared;
    lines.num_words = (num_bits + 31) / 32;
    lines.first_word = all.num_words;
    lines.first_block = all.num_blocks;
    const int num_words = lines.num_lines * lines.num_words;
    all.num_words += static_cast<std::size_t>(num_words);
    all.num_blocks += static_cast<unsigned>((num_words + kThreads - 1) / kThreads);
  };
  add(kRows, 1, 0, 0);
  add(kColumns, 0, 1, 0);
  add(kDown1, 1, 1, 0);
  add(kUp1, -1, 1, 0);
  add(kDown2, 2, 1, 0);
  add(kUp2, -2, 1, 0);
  for (const int parity : {0, 1}) add(kDownHalf + parity, 1, 2, parity);
  for (const int parity : {0, 1}) add(kUpHalf + parity, -1, 2, parity);
  return all;
}

// A thread makes a word.
__global__ void __launch_bounds__(kThreads) MakeLinesKernel(const AllLines all, int width, int height,
                                                            const std::int16_t* index, std::uint32_t* words) {
  int slope = 0;
  for (int i = 1; i < kNumSlopes; ++i) slope = blockIdx.x >= all.of[i].first_block ? i : slope;
  const Lines& lines = all.of[slope];
  const int at = static_cast<int>((blockIdx.x - lines.first_block) * kThreads + threadIdx.x);
  if (at >= lines.num_lines * lines.num_words) return;
  const int line = at % lines.num_lines, first_bit = at / lines.num_lines * 32;
  const bool are_rows = lines.are_rows();
  const int step_x = lines.step_x, step_y = lines.step_y;
  const int x = are_rows ? first_bit : line - lines.shift + first_bit * step_x;
  const int y = are_rows ? line : lines.parity + first_bit * step_y;
  const std::int16_t* const from = index + static_cast<std::int64_t>(y) * width + x;
  const std::int64_t step = step_x + static_cast<std::int64_t>(step_y) * width;
  std::int16_t entries[32];
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    const bool is_inside =
        static_cast<unsigned>(x + i * step_x) < static_cast<unsigned>(width) && y + i * step_y < height;
    entries[i] = is_inside ? from[i * step] : kNoIndex;
  }
  std::uint32_t bits = 0;
#pragma unroll
  for (int i = 0; i < 32; ++i) bits |= entries[i] != kNoIndex ? 1U << i : 0U;
  words[lines.first_word + static_cast<std::size_t>(at)] = bits;
}

struct Direction {
  std::int8_t x, y;  // halves of a step
  std::int8_t slope;
};
__constant__ const Direction kDirections[16] = {
    {2, 0, kRows},     {2, 1, kDown2},   {2, 2, kDown1},   {1, 2, kDownHalf},
    {0, 2, kColumns},  {-1, 2, kUpHalf}, {-2, 2, kUp1},    {-2, 1, kUp2},
    {-2, 0, kRows},    {-2, -1, kDown2}, {-2, -2, kDown1}, {-1, -2, kDownHalf},
    {0, -2, kColumns}, {1, -2, kUpHalf}, {2, -2, kUp1},    {2, -1, kUp2}};

constexpr int kNever = 1 << 20;

// Looks along a line of bits, from one of them on, for the first that is set.
struct Look {
  const std::uint32_t* at = nullptr;  // the word it is at
  std::uint32_t bits = 0;             // of that word, from the first one on
  int word = 0, num_words = 0, word_step = 0, first = 0;

  __device__ __forceinline__ void Begin(const Lines& lines, const std::uint32_t* words, int line, int bit,
                                        bool upwards) {
    word = bit / 32;
    first = bit;
    num_words = lines.num_words;
    word_step = lines.num_lines;
    at = words + lines.first_word + static_cast<std::int64_t>(word) * word_step + line;
    bits = *at & (upwards ? 0xFFFFFFFFU << (bit % 32) : 0xFFFFFFFFU >> (31 - bit % 32));
  }
  // How far the first one is, or kNever.
  __device__ __forceinline__ int End(bool upwards) {
    while (bits == 0) {
      word += upwards ? 1 : -1;
      if (static_cast<unsigned>(word) >= static_cast<unsigned>(num_words)) return kNever;
      at += upwards ? word_step : -word_step;
      bits = *at;
    }
    const int found =
        word * 32 + (upwards ? __ffs(static_cast<int>(bits)) - 1 : 31 - __clz(static_cast<int>(bits)));
    return abs(found - first);
  }
};

// The k of the nearest pixel with a value along a direction, k / 2 times whose steps it is away.
__device__ __forceinline__ int NearestAlong(const Direction& direction, const AllLines& all,
                                            const std::uint32_t* words, int x, int y, int width, int height) {
  const int stride = direction.x % 2 != 0 || direction.y % 2 != 0 ? 2 : 1;
  const bool upwards = direction.y != 0 ? direction.y > 0 : direction.x > 0;
  const bool has_parities = direction.slope >= kDownHalf;
  Look looks[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int at_x = x + (i + 1) * direction.x / 2, at_y = y + (i + 1) * direction.y / 2;
    if (i >= stride || static_cast<unsigned>(at_x) >= static_cast<unsigned>(width) ||
        static_cast<unsigned>(at_y) >= static_cast<unsigned>(height))
      continue;
    const Lines& lines = all.of[direction.slope + (has_parities ? at_y & 1 : 0)];
    const int bit = lines.are_rows() ? at_x : has_parities ? at_y >> 1 : at_y;
    const int line = lines.are_rows() ? at_y : at_x + lines.shift - bit * lines.step_x;
    looks[i].Begin(lines, words, line, bit, upwards);
  }
  int nearest = kNever;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int bits = looks[i].End(upwards);
    if (bits < kNever) nearest = min(nearest, i + 1 + stride * bits);
  }
  return nearest;
}

// A block looks at as many pixels as it has threads, and lists those without a value. Each of its warps has
// one of the directions.
constexpr int kLookers = 16 * kWarpSize;

__global__ void __launch_bounds__(kLookers)
    InterpolationKernel(const AllLines all, const std::uint32_t* words, const std::uint32_t* color, int width,
                        int height, std::int16_t* index, std::uint8_t* validity) {
  __shared__ std::uint32_t holes[kLookers], best[kLookers];
  __shared__ int num_holes;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kWarpSize, warp = thread / kWarpSize;
  if (thread == 0) num_holes = 0;
  __syncthreads();
  {
    const std::int64_t pixel = static_cast<std::int64_t>(blockIdx.x) * kLookers + thread;
    const bool is_hole = pixel < static_cast<std::int64_t>(width) * height && index[pixel] == kNoIndex;
    const unsigned all_holes = __ballot_sync(kFullWarp, is_hole);
    int place = 0;
    if (lane == 0 && all_holes != 0) place = atomicAdd(&num_holes, __popc(all_holes));
    place = __shfl_sync(kFullWarp, place, 0) + __popc(all_holes & ((1U << lane) - 1));
    if (is_hole) holes[place] = static_cast<std::uint32_t>(pixel);
    best[thread] = 0xFFFFFFFFU;
  }
  __syncthreads();
  const Direction direction = kDirections[warp];
  for (int hole = lane; hole < num_holes; hole += kWarpSize) {
    const std::uint32_t pixel = holes[hole];
    const int x = static_cast<int>(pixel % static_cast<std::uint32_t>(width)),
              y = static_cast<int>(pixel / static_cast<std::uint32_t>(width));
    const int k = NearestAlong(direction, all, words, x, y, width, height);
    if (k == kNever) continue;
    const std::int64_t where =
        static_cast<std::int64_t>(y + k * direction.y / 2) * width + x + k * direction.x / 2;
    // A mismatched pixel takes the direction of the most similar colour; among equals the first.
    const bool is_hidden = (validity[pixel] & kOccluded) != 0;
    const int key = is_hidden ? 0 : ColorDistance(color[where], color[pixel]) << 4 | warp;
    atomicMin(&best[hole],
              static_cast<std::uint32_t>(key) << 16 | static_cast<std::uint32_t>(IndexIn(index[where])));
  }
  __syncthreads();
  if (thread >= num_holes || best[thread] == 0xFFFFFFFFU) return;
  const std::uint32_t pixel = holes[thread];
  index[pixel] = static_cast<std::int16_t>(best[thread] & 0xFFFFU);
  validity[pixel] = static_cast<std::uint8_t>(validity[pixel] | kFilled);
}

}  // namespace

std::size_t NumLineWords(int width, int height) { return MakeAllLines(width, height).num_words; }

void Interpolate(const std::uint32_t* color, int width, int height, std::uint32_t* line_words,
                 std::int16_t* index, std::uint8_t* validity, cudaStream_t stream) {
  const AllLines all = MakeAllLines(width, height);
  MakeLinesKernel<<<all.num_blocks, kThreads, 0, stream>>>(all, width, height, index, line_words);
  CheckLaunch("MakeLinesKernel");
  const std::size_t num_pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  InterpolationKernel<<<static_cast<unsigned>((num_pixels + kLookers - 1) / kLookers), kLookers, 0, stream>>>(
      all, line_words, color, width, height, index, validity);
  CheckLaunch("InterpolationKernel");
}

}  // namespace parallax::cuda::ad_census
