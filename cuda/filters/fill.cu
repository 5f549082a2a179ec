// filter, hole filling, two passes. Each pass:
//   1 MarkValuesKernel  writes which pixels have a value, a bit per pixel, 32 of a line per word: along rows,
//                       columns and both diagonals, so that the nearest value on a line is a bit operation
//                       away
//   2 FillHolesKernel   a block of pixels lists its holes; then one thread a hole finds the nearest value in
//                       eight directions and chooses among them
// A flag on the device says whether a pass has left holes, so that a second pass without work costs two empty
// launches.
#include "cuda/filters/fill.h"

#include "cuda/device/warp.cuh"
#include "cuda/filters/launch_filter.cuh"
#include "parallax/disparity_map.h"

namespace parallax::cuda {
namespace {

constexpr int kDirections = 8;
constexpr int kBand = 32;  // rows, the bits of a word
constexpr int kMarkWarps = 4;
constexpr int kThreads = 256;
constexpr int kPixelsOfThread = 4, kPixelsOfBlock = kThreads * kPixelsOfThread;

constexpr int NumOf(int count, int of_each) { return (count + of_each - 1) / of_each; }

__device__ __forceinline__ float Infinity() { return __int_as_float(0x7F800000); }

// The words of lines. Those of columns and diagonals are of a band of rows, bit i of its row i. In a band a
// diagonal has the number of the column in which it meets the band's first row (slope -1: x falls with y) or
// its last one (slope 1), counted from the first diagonal that has a pixel in it, so that numbers go from 0
// to NumDiagonals - 1; in the band below it is smaller, or larger, by kBand.
struct Lines {
  std::uint32_t *rows, *columns, *rising, *falling;  // diagonals of slope 1 and -1
  int width, height;

  Lines(std::uint32_t* words, int image_width, int image_height)
      : rows(words),
        columns(rows + static_cast<std::ptrdiff_t>(RowWords(image_width)) * image_height),
        rising(columns + static_cast<std::ptrdiff_t>(NumOf(image_height, kBand)) * image_width),
        falling(rising + static_cast<std::ptrdiff_t>(NumOf(image_height, kBand)) * (image_width + kBand - 1)),
        width(image_width),
        height(image_height) {}
  static constexpr int RowWords(int width) { return NumOf(width, kBand); }
  __device__ int NumBands() const { return NumOf(height, kBand); }
  __device__ int NumDiagonals() const { return width + kBand - 1; }
};

struct Arguments {
  float* disparity;
  std::uint8_t* validity;
  Lines lines;
  std::uint32_t* holes_left;  // one a pass: whether it has left holes
  std::uint32_t* counter;
  int pass;
};

// A warp takes a band of 32 lines next to each other; blockIdx.z: rows and columns, or one of the diagonals.
__global__ void __launch_bounds__(kWarpSize* kMarkWarps) MarkValuesKernel(const Arguments a) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  const Lines& lines = a.lines;
  const int lane = static_cast<int>(threadIdx.x), band = static_cast<int>(blockIdx.y);
  const int first = (static_cast<int>(blockIdx.x) * kMarkWarps + static_cast<int>(threadIdx.y)) * kWarpSize;
  const int number = first + lane, y_begin = band * kBand;
  if (a.pass == 0) {
    if (blockIdx.x == 0 && band == 0 && blockIdx.z == 0 && threadIdx.y == 0) {
      if (lane < 2) a.holes_left[lane] = 0;
      if (lane == 0 && a.counter != nullptr) *a.counter = 0;
    }
  } else if (a.holes_left[a.pass - 1] == 0) {
    return;
  }
  const int slope = blockIdx.z == 0 ? 0 : blockIdx.z == 1 ? 1 : -1;
  const int x_begin = slope == 0 ? number : slope == 1 ? number - (kBand - 1) : number;
  // All loads are on their way before the first one is used.
  float values[kBand];
#pragma unroll
  for (int i = 0; i < kBand; ++i) {
    const int x = x_begin + slope * i, y = y_begin + i;
    const bool inside = x >= 0 && x < lines.width && y < lines.height;
    values[i] = inside ? a.disparity[y * lines.width + x] : __int_as_float(0x7FC00000);
  }
  std::uint32_t word = 0;
#pragma unroll
  for (int i = 0; i < kBand; ++i) word |= isnan(values[i]) ? 0U : 1U << i;
  if (slope == 0) {
    if (number < lines.width) lines.columns[band * lines.width + number] = word;
    const int row_words = Lines::RowWords(lines.width);
    if (first >= lines.width) return;
    std::uint32_t of_row = 0;  // lane i: of row i
#pragma unroll
    for (int i = 0; i < kBand; ++i) {
      const std::uint32_t bits = __ballot_sync(kFullWarp, !isnan(values[i]));
      of_row = lane == i ? bits : of_row;
    }
    if (y_begin + lane < lines.height) lines.rows[(y_begin + lane) * row_words + first / kBand] = of_row;
  } else if (number < lines.NumDiagonals()) {
    (slope == 1 ? lines.rising : lines.falling)[band * lines.NumDiagonals() + number] = word;
  }
}

// Word number `own` of a line, which has the words begin .. end - 1, and those next to it, 0 beyond its ends.
struct LineWords {
  std::uint32_t own_word, before, behind;
  int own, begin, end;
  // word_of(k): word k of the line.
  template <typename WordOf>
  __device__ __forceinline__ LineWords(int number, int begin_of_line, int end_of_line, const WordOf& word_of)
      : own_word(word_of(number)),
        before(number > begin_of_line ? word_of(number - 1) : 0U),
        behind(number + 1 < end_of_line ? word_of(number + 1) : 0U),
        own(number),
        begin(begin_of_line),
        end(end_of_line) {}
};

// The nearest set bits before and behind bit `at` of the own word. Results count bits from the first bit of
// word 0; -1: no bit is set.
struct Nearest {
  int before = -1, behind = -1;
};
template <typename WordOf>
__device__ __forceinline__ Nearest FindNearest(const LineWords& line, int at, const WordOf& word_of) {
  Nearest nearest;
  int k = line.own;
  std::uint32_t word = line.own_word & ((1U << at) - 1U);
  if (word == 0 && k > line.begin) word = line.before, --k;
  while (word == 0 && k > line.begin) word = word_of(--k);
  if (word != 0) nearest.before = k * kBand + 31 - __clz(static_cast<int>(word));
  k = line.own;
  word = line.own_word & (0xFFFFFFFEU << at);
  if (word == 0 && k + 1 < line.end) word = line.behind, ++k;
  while (word == 0 && k + 1 < line.end) word = word_of(++k);
  if (word != 0) nearest.behind = k * kBand + __ffs(static_cast<int>(word)) - 1;
  return nearest;
}

// Returns whether there was a value in any direction.
__device__ __forceinline__ bool FillHole(const Arguments& a, int x, int y) {
  const Lines& lines = a.lines;
  const int width = lines.width, bands = lines.NumBands(), diagonals = lines.NumDiagonals(),
            row_words = Lines::RowWords(width), band = y / kBand, row = y % kBand;
  const std::uint32_t *const of_row = lines.rows + y * row_words, *const of_column = lines.columns + x;
  const int rising = x - row + kBand - 1, falling = x + row;
  const std::uint32_t *const of_rising = lines.rising + band * diagonals + rising, *const of_falling =
                                                                                       lines.falling +
                                                                                       band * diagonals +
                                                                                       falling;
  const auto in_row_at = [&](int k) { return of_row[k]; };
  const auto in_column_at = [&](int k) { return of_column[k * width]; };
  // In the band below, a rising diagonal's number is larger by kBand, a falling one's smaller.
  const auto in_rising_at = [&](int k) { return of_rising[(k - band) * (diagonals + kBand)]; };
  const auto in_falling_at = [&](int k) { return of_falling[(k - band) * (diagonals - kBand)]; };
  const int to_left = rising / kBand, to_right = (diagonals - 1 - rising) / kBand;  // bands in which it is
  const int up = (diagonals - 1 - falling) / kBand, down = falling / kBand;
  // All loads are on their way before the first one is used.
  const LineWords row_words_near(x / kBand, 0, row_words, in_row_at),
      column_words(band, 0, bands, in_column_at),
      rising_words(band, max(0, band - to_left), min(bands, band + to_right + 1), in_rising_at),
      falling_words(band, max(0, band - up), min(bands, band + down + 1), in_falling_at);
  const std::uint8_t validity = a.validity[y * width + x];
  const Nearest in_row = FindNearest(row_words_near, x % kBand, in_row_at),
                in_column = FindNearest(column_words, row, in_column_at),
                in_rising = FindNearest(rising_words, row, in_rising_at),
                in_falling = FindNearest(falling_words, row, in_falling_at);
  // Values found, ascending, +inf where there is none: an insertion sort in registers.
  const auto value_at = [&](bool found, int u, int v) {
    return found ? a.disparity[v * width + u] : Infinity();
  };
  const auto along = [&](int v, int slope) { return value_at(v >= 0, x + slope * (v - y), v); };
  const float met[kDirections] = {value_at(in_row.before >= 0, in_row.before, y),
                                  value_at(in_row.behind >= 0, in_row.behind, y),
                                  along(in_column.before, 0),
                                  along(in_column.behind, 0),
                                  along(in_rising.before, 1),
                                  along(in_rising.behind, 1),
                                  along(in_falling.before, -1),
                                  along(in_falling.behind, -1)};
  float values[kDirections];
  int count = 0;
#pragma unroll
  for (int i = 0; i < kDirections; ++i) {
    float value = met[i];
    count += value < Infinity() ? 1 : 0;
#pragma unroll
    for (int k = 0; k < i; ++k) {
      const float smaller = fminf(values[k], value);
      value = fmaxf(values[k], value);
      values[k] = smaller;
    }
    values[i] = value;
  }
  if (count == 0) return false;
  const bool hidden = (validity & (kOccluded | kOutOfRange)) != 0;
  const int rank = hidden ? min(1, count - 1) : (count - 1) / 2;
  float value = values[0];
#pragma unroll
  for (int k = 1; k < kDirections; ++k) value = k == rank ? values[k] : value;
  const float background = fminf(met[0], met[1]);  // the lower of the two along the row
  if (hidden && background < Infinity()) value = background;
  a.disparity[y * width + x] = value;
  a.validity[y * width + x] = static_cast<std::uint8_t>(validity | kFilled);
  return true;
}

// Holes take values of pixels that had one before the pass, so it does not matter which are filled first.
__global__ void __launch_bounds__(kThreads) FillHolesKernel(const Arguments a) {
  __shared__ std::uint16_t holes[kPixelsOfBlock];  // numbers of pixels in the block, in any order
  __shared__ int num_holes;
  WaitForKernelBefore();
  LetNextKernelBegin();
  if (a.pass > 0 && a.holes_left[a.pass - 1] == 0) return;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kWarpSize;
  const int width = a.lines.width, num_pixels = width * a.lines.height;
  const int first = static_cast<int>(blockIdx.x) * kPixelsOfBlock;
  if (thread == 0) num_holes = 0;
  bool is_hole[kPixelsOfThread];
#pragma unroll
  for (int i = 0; i < kPixelsOfThread; ++i) {
    const int pixel = first + i * kThreads + thread;
    is_hole[i] = pixel < num_pixels && isnan(a.disparity[pixel]);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kPixelsOfThread; ++i) {
    const unsigned mask = __ballot_sync(kFullWarp, is_hole[i]);
    int place = 0;
    if (lane == 0 && mask != 0) place = atomicAdd(&num_holes, __popc(mask));
    place = __shfl_sync(kFullWarp, place, 0) + __popc(mask & ((1U << lane) - 1U));
    if (is_hole[i]) holes[place] = static_cast<std::uint16_t>(i * kThreads + thread);
  }
  __syncthreads();
  bool left = false;
  for (int i = thread; i < num_holes; i += kThreads) {
    const int pixel = first + holes[i];
    if (!FillHole(a, pixel % width, pixel / width)) left = true;
  }
  // Whether there are any, not how many: every writer writes the same.
  if (left) a.holes_left[a.pass] = 1;
}

}  // namespace

std::size_t NumFillWords(int width, int height) {
  const auto w = static_cast<std::size_t>(width), h = static_cast<std::size_t>(height),
             bands = (h + kBand - 1) / kBand;
  return (w + kBand - 1) / kBand * h + bands * (w + 2 * (w + kBand - 1));
}

void FillHoles(const FillScratch& scratch, const DeviceDisparityMap& map, cudaStream_t stream) {
  const int width = map.disparity.width, height = map.disparity.height;
  Arguments a{map.disparity.data, map.validity.data, Lines(scratch.has_value, width, height),
              scratch.holes_left, scratch.counter,   0};
  const dim3 lines(static_cast<unsigned>(NumOf(width + kBand - 1, kWarpSize * kMarkWarps)),
                   static_cast<unsigned>(NumOf(height, kBand)), 3);
  const auto blocks = static_cast<unsigned>(NumOf(width * height, kPixelsOfBlock));
  for (a.pass = 0; a.pass < 2; ++a.pass) {
    LaunchFilter("MarkValuesKernel", MarkValuesKernel, lines, dim3(kWarpSize, kMarkWarps), 0, stream, a);
    LaunchFilter("FillHolesKernel", FillHolesKernel, blocks, kThreads, 0, stream, a);
  }
}

}  // namespace parallax::cuda
