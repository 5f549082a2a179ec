// filter, speckle removal: islands of pixels whose neighbours differ little, by union-find, first within
// tiles of the image, then between them. The part of an island that hangs together within a tile is a patch.
//   1 LabelTilesKernel   a block per tile, in shared memory: a pixel's label is the first pixel of its patch,
//                        which keeps the patch's number of pixels
//   2 JoinTilesKernel    one thread a pixel at the border of two tiles: joins the trees of its patch and of
//   the
//                        patch beyond the border, the larger root below the smaller one
//   3 CountPixelsKernel  one thread some pixels: the first pixel of a patch adds the patch's size to its root
//   4 RemoveSpecklesKernel
// Two trees that each hold a patch of enough pixels need not be joined: both islands stay. So large islands,
// whose trees would be deep, are hardly joined at all; a tree without such a patch is its whole island. Sizes
// are integers: what is removed does not depend on how the threads run.
#include "cuda/filters/cuda_speckle.h"

#include "cuda/device/warp.cuh"
#include "cuda/filters/launch_filter.cuh"
#include "parallax/disparity_map.h"

namespace parallax::cuda {
namespace {

constexpr int kTile = 32, kTileHeight = 16;  // px; width: a warp's lanes
constexpr int kTileWarps = 4;
constexpr int kRowsOfWarp = kTileHeight / kTileWarps;
constexpr int kThreads = 256;
constexpr int kPixelsOfThread = 2;

// A NaN on either side fails the comparison.
__device__ __forceinline__ bool Joined(float a, float b, float range) { return fabsf(b - a) <= range; }

// Joins the trees of a and b: the larger root points to the smaller one. read(i): reads label i, which other
// threads may be changing.
template <typename Read>
__device__ __forceinline__ void Join(std::uint32_t* labels, std::uint32_t a, std::uint32_t b,
                                     const Read& read) {
  const auto root_of = [&](std::uint32_t root) {
    for (std::uint32_t next = read(root); next != root; next = read(root)) root = next;
    return root;
  };
  while (true) {
    a = root_of(a);
    b = root_of(b);
    if (a == b) return;
    if (a < b) {
      const std::uint32_t swap = a;
      a = b;
      b = swap;
    }
    const std::uint32_t before = atomicMin(&labels[a], b);
    if (before == a) return;  // a was still a root
    a = before;               // another thread has moved it: join what it points to as well
  }
}

struct LabelImages {
  std::uint32_t *labels, *sizes;  // sizes: of a patch, at its first pixel; 0 at others, and of holes
};

// A warp labels a strip of kRowsOfWarp rows; then strips are joined two by two, which keeps trees flat.
__global__ void __launch_bounds__(kTile* kTileWarps)
    LabelTilesKernel(const float* disparity, int width, int height, float range, LabelImages images) {
  __shared__ float last_values[kTileWarps][kTile];  // of each strip's last row
  __shared__ unsigned last_starts[kTileWarps];
  __shared__ std::uint32_t labels[kTile * kTileHeight], counts[kTile * kTileHeight];  // in the tile
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int x = static_cast<int>(blockIdx.x) * kTile + lane,
            y_begin = static_cast<int>(blockIdx.y) * kTileHeight + warp * kRowsOfWarp;
  const int first_pixel = warp * kRowsOfWarp * kTile + lane;
  WaitForKernelBefore();
  LetNextKernelBegin();
  float values[kRowsOfWarp];
#pragma unroll
  for (int i = 0; i < kRowsOfWarp; ++i) {
    const int y = y_begin + i;
    values[i] = x < width && y < height ? disparity[y * width + x] : __int_as_float(0x7FC00000);
  }
  // Runs of a row: a label is the first pixel of the run.
  unsigned starts[kRowsOfWarp];  // a bit for each pixel that is not joined to the one before it
#pragma unroll
  for (int i = 0; i < kRowsOfWarp; ++i) {
    const float before = __shfl_up_sync(kFullWarp, values[i], 1);
    starts[i] = __ballot_sync(kFullWarp, lane == 0 || !Joined(before, values[i], range));
    const int first = 31 - __clz(static_cast<int>(starts[i] & (kFullWarp >> (31 - lane))));
    labels[first_pixel + i * kTile] = static_cast<std::uint32_t>(first_pixel + i * kTile - lane + first);
    counts[first_pixel + i * kTile] = 0;
  }
  last_values[warp][lane] = values[kRowsOfWarp - 1];
  if (lane == 0) last_starts[warp] = starts[kRowsOfWarp - 1];
  // Joins the runs that touch in a row and the one above, once for each pair of them.
  const auto join_rows = [&](int pixel, float above, float here, unsigned starts_above,
                             unsigned starts_here) {
    const unsigned touch = __ballot_sync(kFullWarp, Joined(above, here, range));
    const unsigned repeated = touch << 1 & ~starts_above & ~starts_here;
    if (((touch & ~repeated) >> lane & 1U) == 0) return;
    Join(labels, static_cast<std::uint32_t>(pixel), static_cast<std::uint32_t>(pixel - kTile),
         // An atomic read: others lower labels meanwhile.
         [&](std::uint32_t label) { return atomicMin(&labels[label], 0xFFFFFFFFU); });
  };
  __syncwarp();
#pragma unroll
  for (int i = 1; i < kRowsOfWarp; ++i) {
    join_rows(first_pixel + i * kTile, values[i - 1], values[i], starts[i - 1], starts[i]);
  }
#pragma unroll
  for (int strips = 1; strips < kTileWarps; strips *= 2) {
    __syncthreads();
    if (warp % (2 * strips) == strips) {
      join_rows(first_pixel, last_values[warp - 1][lane], values[0], last_starts[warp - 1], starts[0]);
    }
  }
  __syncthreads();
  std::uint32_t roots[kRowsOfWarp];
#pragma unroll
  for (int i = 0; i < kRowsOfWarp; ++i) {
    std::uint32_t root = labels[first_pixel + i * kTile];
    while (labels[root] != root) root = labels[root];
    roots[i] = root;
    if ((starts[i] >> lane & 1U) == 0 || isnan(values[i])) continue;
    const unsigned behind = lane == 31 ? 0U : starts[i] >> (lane + 1);
    const int length = behind != 0 ? __ffs(static_cast<int>(behind)) : kTile - lane;
    atomicAdd(&counts[root], static_cast<std::uint32_t>(length));
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kRowsOfWarp; ++i) {
    const int y = y_begin + i;
    if (x >= width || y >= height) continue;
    const int root_x = x - lane + static_cast<int>(roots[i] % kTile),
              root_y = static_cast<int>(blockIdx.y) * kTileHeight + static_cast<int>(roots[i] / kTile);
    images.labels[y * width + x] = static_cast<std::uint32_t>(root_y * width + root_x);
    images.sizes[y * width + x] = counts[first_pixel + i * kTile];  // nothing is added but at roots
  }
}

// The first threads take the rows below borders between tiles, the others the columns to the right of them.
__global__ void JoinTilesKernel(const float* disparity, int width, int height, float range,
                                std::uint32_t enough, LabelImages images) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int num_below = (height - 1) / kTileHeight * width, num_right = (width - 1) / kTile * height;
  if (i >= num_below + num_right) return;
  const bool is_below = i < num_below;
  int along, pixel, across,
      step;  // along: the border, in its tile; across, step: pixels from one to the next
  if (is_below) {
    along = i % width % kTile, across = width, step = 1;
    pixel = (i / width + 1) * kTileHeight * width + i % width;
  } else {
    i -= num_below;
    along = i % height % kTileHeight, across = 1, step = width;
    pixel = i % height * width + (i / height + 1) * kTile;
  }
  const int beyond = pixel - across;
  const float here = disparity[pixel], there = disparity[beyond];
  if (!Joined(there, here, range)) return;
  if (along != 0) {  // the same patches meet at the pixel before
    const float here_before = disparity[pixel - step], there_before = disparity[beyond - step];
    if (Joined(there_before, here_before, range) && Joined(there_before, there, range) &&
        Joined(here_before, here, range)) {
      return;
    }
  }
  const auto read = [&](std::uint32_t label) { return __ldcg(&images.labels[label]); };
  const std::uint32_t a = read(static_cast<std::uint32_t>(pixel)),
                      b = read(static_cast<std::uint32_t>(beyond));
  if (images.sizes[a] >= enough && images.sizes[b] >= enough) return;
  Join(images.labels, a, b, read);
}

__device__ __forceinline__ std::uint32_t RootOf(const std::uint32_t* labels, std::uint32_t root) {
  for (std::uint32_t next = __ldcg(&labels[root]); next != root; next = __ldcg(&labels[root])) root = next;
  return root;
}

// The thread's pixel number i.
__device__ __forceinline__ std::uint32_t PixelOf(int i) {
  return (blockIdx.x * kPixelsOfThread + static_cast<std::uint32_t>(i)) * kThreads + threadIdx.x;
}

// sizes of roots: pixels of the tree, or any number >= enough. In both kernels below, what all of a thread's
// pixels need is on its way before the first one is looked at.
__global__ void CountPixelsKernel(std::uint32_t num_pixels, std::uint32_t enough, LabelImages images) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  std::uint32_t sizes[kPixelsOfThread], labels[kPixelsOfThread];
#pragma unroll
  for (int i = 0; i < kPixelsOfThread; ++i) {
    const std::uint32_t pixel = PixelOf(i);
    sizes[i] = pixel < num_pixels ? __ldcg(&images.sizes[pixel]) : 0;
    labels[i] = pixel < num_pixels ? __ldcg(&images.labels[pixel]) : pixel;
  }
#pragma unroll
  for (int i = 0; i < kPixelsOfThread; ++i) {
    // Only the first pixel of a patch adds; a root keeps its own pixels.
    if (sizes[i] == 0 || labels[i] == PixelOf(i)) continue;
    const std::uint32_t root = RootOf(images.labels, labels[i]);
    images.labels[PixelOf(i)] = root;  // shortens the way for others; the root stays the same
    if (__ldcg(&images.sizes[root]) < enough) atomicAdd(&images.sizes[root], sizes[i]);
  }
}

__global__ void RemoveSpecklesKernel(std::uint32_t num_pixels, std::uint32_t enough, LabelImages images,
                                     float* disparity, std::uint8_t* validity) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  std::uint32_t labels[kPixelsOfThread];
  bool has_value[kPixelsOfThread], is_small[kPixelsOfThread];
#pragma unroll
  for (int i = 0; i < kPixelsOfThread; ++i) {
    const std::uint32_t pixel = PixelOf(i);
    labels[i] = pixel < num_pixels ? images.labels[pixel] : 0;
    has_value[i] = pixel < num_pixels && !isnan(disparity[pixel]);
  }
  // What is above a pixel in its tree is large enough, or a part of the island that may be.
#pragma unroll
  for (int i = 0; i < kPixelsOfThread; ++i) is_small[i] = images.sizes[labels[i]] < enough;
#pragma unroll
  for (int i = 0; i < kPixelsOfThread; ++i) {
    if (!has_value[i] || !is_small[i]) continue;
    if (images.sizes[RootOf(images.labels, labels[i])] >= enough) continue;
    const std::uint32_t pixel = PixelOf(i);
    disparity[pixel] = __int_as_float(0x7FC00000);
    validity[pixel] = static_cast<std::uint8_t>(validity[pixel] | kSpeckle);
  }
}

}  // namespace

void RemoveSpeckles(const FilterParameters& parameters, const SpeckleScratch& scratch,
                    const DeviceDisparityMap& map, cudaStream_t stream) {
  if (parameters.speckle_size <= 1) return;
  const int width = map.disparity.width, height = map.disparity.height, num_pixels = width * height;
  const auto blocks_of = [](int count, int of_block) {
    return static_cast<unsigned>((count + of_block - 1) / of_block);
  };
  const unsigned blocks = blocks_of(num_pixels, kThreads * kPixelsOfThread);
  const auto enough = static_cast<std::uint32_t>(parameters.speckle_size),
             num_pixels_u = static_cast<std::uint32_t>(num_pixels);
  const float range = parameters.speckle_range;
  float* const disparity = map.disparity.data;
  const LabelImages images{scratch.labels.data, scratch.sizes.data};
  LaunchFilter("LabelTilesKernel", LabelTilesKernel,
               dim3(blocks_of(width, kTile), blocks_of(height, kTileHeight)), dim3(kTile, kTileWarps), 0,
               stream, disparity, width, height, range, images);
  const int num_at_borders = (height - 1) / kTileHeight * width + (width - 1) / kTile * height;
  if (num_at_borders > 0) {
    LaunchFilter("JoinTilesKernel", JoinTilesKernel, blocks_of(num_at_borders, kThreads), kThreads, 0, stream,
                 disparity, width, height, range, enough, images);
    LaunchFilter("CountPixelsKernel", CountPixelsKernel, blocks, kThreads, 0, stream, num_pixels_u, enough,
                 images);
  }
  LaunchFilter("RemoveSpecklesKernel", RemoveSpecklesKernel, blocks, kThreads, 0, stream, num_pixels_u,
               enough, images, disparity, map.validity.data);
}

}  // namespace parallax::cuda
