// filter, hole filling, two passes. Each pass:
//   1 NearestValuesKernel  a thread follows a segment of a column or a wrapped diagonal, a warp a row; it
//   leaves
//                          at every hole the last value it has met
//   2 FillHolesKernel      one thread a hole chooses among the eight values
// A flag on the device says whether a pass has left holes, so that a second pass without work costs two empty
// launches.
#include "cuda/filters/fill.h"

#include <algorithm>

#include "cuda/device/dependent_launch.cuh"
#include "pipeline/disparity_map.h"

namespace parallax::cuda {
namespace {

constexpr int kDirections = 8;
constexpr int kThreads = 128;
constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xFFFFFFFFU;
constexpr int kAhead = 8;      // values on their way along a line
constexpr int kSegments = 16;  // of a line
constexpr int kWalkThreads = kWarpSize * kSegments;

__device__ __forceinline__ float NoValue() { return __int_as_float(0x7FC00000); }

struct Arguments {
  float* disparity;
  std::uint8_t* validity;
  float* nearest;             // eight images
  std::uint32_t* holes_left;  // one a pass: whether it has left holes
  int width, height, pass;
};

// Directions 2 .. 7: vertical and diagonal, as (dx, dy) of the walk. What a walk down meets lies above the
// hole.
struct Walk {
  int dx, dy;
};
__constant__ constexpr Walk kWalks[] = {{0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};

// Calls visit(value, place, enters) for the pixels begin .. end - 1 of the line that starts at x = `line`, in
// the direction of the walk. enters: a diagonal comes in from the side here and has met nothing yet.
template <typename Visit>
__device__ __forceinline__ void FollowLine(const Arguments& a, Walk walk, int line, int begin, int end,
                                           const Visit& visit) {
  const int first = walk.dx > 0 ? 0 : a.width - 1, step = walk.dy * a.width;
  int x = (line + walk.dx * begin) % a.width;
  x += x < 0 ? a.width : 0;
  int row = (walk.dy > 0 ? begin : a.height - 1 - begin) * a.width;
  for (int i = begin; i < end; i += kAhead) {
    float values[kAhead];
    int places[kAhead];
    unsigned enters = 0;
#pragma unroll
    for (int u = 0; u < kAhead; ++u) {
      places[u] = row + x;
      values[u] = i + u < end ? a.disparity[places[u]] : 0.0F;
      enters |= walk.dx != 0 && x == first ? 1U << u : 0U;
      row += step;
      x += walk.dx;
      x = x == a.width ? 0 : x < 0 ? a.width - 1 : x;
    }
#pragma unroll
    for (int u = 0; u < kAhead; ++u) {
      if (i + u < end) visit(values[u], places[u], (enters >> u & 1U) != 0);
    }
  }
}

// Where a warp's walk through its segment of 32 lines has ended: the last value met, NaN where a line came in
// from the side since; known: not to be asked for in the segment before.
struct Ends {
  float value[kSegments][kWarpSize];
  bool known[kSegments][kWarpSize];
};

// A warp takes one segment of the lines x .. x + 31: it looks for what the segment leaves to the next, then,
// when all have, goes through it with what the ones before have left.
__device__ void WalkLines(const Arguments& a, int index, int line, int segment, int lane, Ends& ends) {
  const Walk walk = kWalks[index];
  float* const nearest =
      a.nearest + static_cast<std::size_t>(index + 2) * static_cast<std::size_t>(a.width * a.height);
  const int length = (a.height + kSegments - 1) / kSegments;
  const int begin = min(segment * length, a.height),
            end = line < a.width ? min(begin + length, a.height) : begin;
  float last = NoValue();
  bool known = false;
  FollowLine(a, walk, line, begin, end, [&](float value, int, bool enters) {
    const bool is_value = !isnan(value);
    known = known || enters || is_value;
    if (is_value || enters) last = value;
  });
  ends.value[segment][lane] = last;
  ends.known[segment][lane] = known;
  __syncthreads();
  last = NoValue();
  for (int before = segment - 1; before >= 0; --before) {
    if (!ends.known[before][lane]) continue;
    last = ends.value[before][lane];
    break;
  }
  FollowLine(a, walk, line, begin, end, [&](float value, int place, bool enters) {
    if (enters) last = NoValue();
    if (isnan(value)) {
      nearest[place] = last;
    } else {
      last = value;
    }
  });
}

// Direction 0: what lies to the left; 1: to the right. One warp a row and direction, 32 pixels at a time.
__device__ void WalkRow(const Arguments& a, int direction, int y, int lane) {
  const bool to_right = direction == 0;
  const float* const row = a.disparity + y * a.width;
  float* const nearest = a.nearest +
                         static_cast<std::size_t>(direction) * static_cast<std::size_t>(a.width * a.height) +
                         y * a.width;
  const auto place = [&](int i) { return to_right ? i + lane : a.width - 1 - i - lane; };
  float last = NoValue();
  for (int begin = 0; begin < a.width; begin += kWarpSize * kAhead) {
    float values[kAhead];
#pragma unroll
    for (int u = 0; u < kAhead; ++u) {
      const int i = begin + u * kWarpSize;
      values[u] = i + lane < a.width ? row[place(i)] : NoValue();
    }
#pragma unroll
    for (int u = 0; u < kAhead; ++u) {
      const int i = begin + u * kWarpSize;
      const unsigned have = __ballot_sync(kFullWarp, !isnan(values[u]));
      const unsigned before = have & ((1U << lane) - 1U);
      const float met =
          __shfl_sync(kFullWarp, values[u], before != 0 ? 31 - __clz(static_cast<int>(before)) : 0);
      if (i + lane < a.width && isnan(values[u])) nearest[place(i)] = before != 0 ? met : last;
      const float newest =
          __shfl_sync(kFullWarp, values[u], have != 0 ? 31 - __clz(static_cast<int>(have)) : 0);
      last = have != 0 ? newest : last;
    }
  }
}

// Blocks with blockIdx.y < 6 take 32 lines, the others kSegments rows.
__global__ void __launch_bounds__(kWalkThreads) NearestValuesKernel(const Arguments a) {
  __shared__ Ends ends;
  WaitForKernelBefore();
  LetNextKernelBegin();
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int block = static_cast<int>(blockIdx.x), direction = static_cast<int>(blockIdx.y);
  if (a.pass == 0) {
    if (block == 0 && direction == 0 && warp == 0 && lane < 2) a.holes_left[lane] = 0;
  } else if (a.holes_left[a.pass - 1] == 0) {
    return;
  }
  if (direction < 6) {
    WalkLines(a, direction, block * kWarpSize + lane, warp, lane, ends);
  } else {
    const int y = block * kSegments + warp;
    if (y < a.height) WalkRow(a, direction - 6, y, lane);
  }
}

__global__ void __launch_bounds__(kThreads) FillHolesKernel(const Arguments a) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  if (a.pass > 0 && a.holes_left[a.pass - 1] == 0) return;
  const int num_pixels = a.width * a.height;
  const int pixel = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  bool left = false;
  if (pixel < num_pixels && isnan(a.disparity[pixel])) {
    // Values found, ascending, +inf where there is none: an insertion sort in registers.
    float values[kDirections];
    float background = __int_as_float(0x7F800000);  // the lower of the two along the row
    int count = 0;
#pragma unroll
    for (int i = 0; i < kDirections; ++i) {
      float value = a.nearest[static_cast<std::size_t>(i) * static_cast<std::size_t>(num_pixels) +
                              static_cast<std::size_t>(pixel)];
      count += isnan(value) ? 0 : 1;
      value = isnan(value) ? __int_as_float(0x7F800000) : value;
      if (i < 2) background = fminf(background, value);
#pragma unroll
      for (int k = 0; k < i; ++k) {
        const float smaller = fminf(values[k], value);
        value = fmaxf(values[k], value);
        values[k] = smaller;
      }
      values[i] = value;
    }
    left = count == 0;
    if (count > 0) {
      const std::uint8_t validity = a.validity[pixel];
      const bool hidden = (validity & (kOccluded | kOutOfRange)) != 0;
      const int rank = hidden ? min(1, count - 1) : (count - 1) / 2;
      float value = values[0];
#pragma unroll
      for (int k = 1; k < kDirections; ++k) value = k == rank ? values[k] : value;
      if (hidden && background < __int_as_float(0x7F800000)) value = background;
      a.disparity[pixel] = value;
      a.validity[pixel] = static_cast<std::uint8_t>(validity | kFilled);
    }
  }
  // Whether there are any, not how many: every writer writes the same.
  if (left) a.holes_left[a.pass] = 1;
}

}  // namespace

void FillHoles(const FillScratch& scratch, const DeviceDisparityMap& map, cudaStream_t stream) {
  Arguments a{};
  a.disparity = map.disparity.data;
  a.validity = map.validity.data;
  a.nearest = scratch.nearest;
  a.holes_left = scratch.holes_left;
  a.width = map.disparity.width;
  a.height = map.disparity.height;
  const int num_pixels = a.width * a.height;
  const dim3 walks(static_cast<unsigned>(std::max((a.width + kWarpSize - 1) / kWarpSize,
                                                  (a.height + kSegments - 1) / kSegments)),
                   8);
  const auto pixels = static_cast<unsigned>((num_pixels + kThreads - 1) / kThreads);
  for (a.pass = 0; a.pass < 2; ++a.pass) {
    LaunchDependent("NearestValuesKernel", NearestValuesKernel, walks, dim3(kWarpSize, kSegments), 0, stream,
                    a);
    LaunchDependent("FillHolesKernel", FillHolesKernel, pixels, kThreads, 0, stream, a);
  }
}

}  // namespace parallax::cuda
