// filter, hole filling, two passes. Each pass:
//   1 NearestValuesKernel  one thread follows a column or a wrapped diagonal through the image, one warp a
//   row; it
//                          leaves at every hole the last value it has met
//   2 FillHolesKernel      one thread a hole chooses among the eight values
// A flag on the device says whether a pass has left holes, so that a second pass without work costs two empty
// launches.
#include <algorithm>

#include "cuda/check.h"
#include "cuda/stages.h"
#include "pipeline/disparity_map.h"

namespace parallax::cuda {
namespace {

constexpr int kDirections = 8;
constexpr int kThreads = 128;
constexpr unsigned kFullWarp = 0xFFFFFFFFU;
constexpr int kAhead = 8;  // values on their way along a column

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

__device__ void WalkColumn(const Arguments& a, int index, int x) {
  const Walk walk = kWalks[index];
  float* const nearest =
      a.nearest + static_cast<std::size_t>(index + 2) * static_cast<std::size_t>(a.width * a.height);
  int y = walk.dy > 0 ? 0 : a.height - 1;
  float last = NoValue();
  for (int i = 0; i < a.height; i += kAhead) {
    float values[kAhead];
    int xs[kAhead];
#pragma unroll
    for (int u = 0; u < kAhead; ++u) {
      xs[u] = x;
      values[u] = i + u < a.height ? a.disparity[(y + u * walk.dy) * a.width + x] : 0.0F;
      x += walk.dx;
      x = x == a.width ? 0 : x < 0 ? a.width - 1 : x;
    }
#pragma unroll
    for (int u = 0; u < kAhead; ++u) {
      if (i + u >= a.height) break;
      // A diagonal that enters at the side has met nothing yet.
      if (walk.dx != 0 && xs[u] == (walk.dx > 0 ? 0 : a.width - 1)) last = NoValue();
      if (isnan(values[u])) {
        nearest[(y + u * walk.dy) * a.width + xs[u]] = last;
      } else {
        last = values[u];
      }
    }
    y += kAhead * walk.dy;
  }
}

// Direction 0: what lies to the left; 1: to the right. One warp a row and direction, 32 pixels at a time.
__device__ void WalkRow(const Arguments& a, int direction, int y, int lane) {
  const bool to_right = direction == 0;
  const float* const row = a.disparity + y * a.width;
  float* const nearest = a.nearest +
                         static_cast<std::size_t>(direction) * static_cast<std::size_t>(a.width * a.height) +
                         y * a.width;
  float last = NoValue();
  for (int i = 0; i < a.width; i += 32) {
    const int x = to_right ? i + lane : a.width - 1 - i - lane;
    const bool inside = i + lane < a.width;
    const float value = inside ? row[x] : NoValue();
    const unsigned have = __ballot_sync(kFullWarp, !isnan(value));
    const unsigned before = have & ((1U << lane) - 1U);
    const float met = __shfl_sync(kFullWarp, value, before != 0 ? 31 - __clz(static_cast<int>(before)) : 0);
    if (inside && isnan(value)) nearest[x] = before != 0 ? met : last;
    const float newest = __shfl_sync(kFullWarp, value, have != 0 ? 31 - __clz(static_cast<int>(have)) : 0);
    last = have != 0 ? newest : last;
  }
}

__global__ void __launch_bounds__(kThreads) NearestValuesKernel(const Arguments a) {
  if (a.pass > 0 && a.holes_left[a.pass - 1] == 0) return;
  const int thread = static_cast<int>(threadIdx.x);
  if (blockIdx.y < 6) {
    const int x = static_cast<int>(blockIdx.x) * kThreads + thread;
    if (x < a.width) WalkColumn(a, static_cast<int>(blockIdx.y), x);
  } else {
    const int y = static_cast<int>(blockIdx.x) * (kThreads / 32) + thread / 32;
    if (y < a.height) WalkRow(a, static_cast<int>(blockIdx.y) - 6, y, thread % 32);
  }
}

__global__ void __launch_bounds__(kThreads) FillHolesKernel(const Arguments a) {
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
  const int rows_a_block = kThreads / 32, num_pixels = a.width * a.height;
  const dim3 walks(static_cast<unsigned>(std::max((a.width + kThreads - 1) / kThreads,
                                                  (a.height + rows_a_block - 1) / rows_a_block)),
                   8);
  const auto pixels = static_cast<unsigned>((num_pixels + kThreads - 1) / kThreads);
  Check(cudaMemsetAsync(a.holes_left, 0, 2 * sizeof(std::uint32_t), stream), "cudaMemsetAsync");
  for (a.pass = 0; a.pass < 2; ++a.pass) {
    NearestValuesKernel<<<walks, kThreads, 0, stream>>>(a);
    CheckLaunch("NearestValuesKernel");
    FillHolesKernel<<<pixels, kThreads, 0, stream>>>(a);
    CheckLaunch("FillHolesKernel");
  }
}

}  // namespace parallax::cuda
