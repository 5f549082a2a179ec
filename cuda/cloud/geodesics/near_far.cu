// Shortest paths by a frontier in buckets: near-far after Davidson, Baxter, Garland & Owens 2014,
// "Work-efficient parallel GPU methods for single-source shortest paths", a delta stepping (Meyer & Sanders
// 2003) with two buckets. One block searches from one source.
//
// A step expands all nodes of the near list, which stands in shared memory: kRowLanes lanes a node, one edge
// a lane. A node whose distance falls joins the near list of the next step where it is below the bucket's
// end, else the far list. Where the near list is empty the far list is read: entries whose node has since
// come nearer are dropped, those below the next bucket's end become near. The lists hold (node, distance at
// the time), so that an entry is out of date exactly where the distance differs. The width of the buckets
// follows the frontier: a bucket should take most of what waits, or the steps are too many, but not all of
// it, or nodes are expanded more than once.
//
// A bucket that turns out too wide is cut short: lengths differ from place to place, on a depth map many
// times over.
//
// The order of the nodes depends on chance; the distances do not (parallax/cloud_measures.h).
#include <algorithm>

#include "cuda/cloud/geodesics/geodesic_kernels.h"
#include "cuda/cloud/geodesics/near_far_lists.cuh"
#include "cuda/device/check.h"

namespace parallax::cuda {
namespace {

// A bucket that still has more than so many nodes after so many steps is cut short: it is so wide that nodes
// are expanded again and again.
constexpr int kMostSteps = 8;
constexpr std::uint32_t kFewNodes = 128;

struct SharedState {
  uint2 near[2][kNear];
  std::uint32_t num_near[3];  // of this step, the next, and the one after it
  std::uint32_t num_far, num_kept;
  std::uint32_t nearest;  // of the far list, bits
};

template <bool kPadded, bool kFew>
__global__ void __launch_bounds__(kNearFarThreads, kFew ? 1 : 2)
    NearFarKernel(GeodesicBatch batch, NearFarOptions options, FarList far_list,
                  std::uint32_t* steps_of_sources) {
  __shared__ SharedState shared;
  uint2* far = far_list.entries + blockIdx.x * far_list.capacity;
  for (int row = static_cast<int>(blockIdx.x); row < batch.num_sources; row += static_cast<int>(gridDim.x)) {
    float* distances = batch.distances + static_cast<std::size_t>(row) * batch.graph.num_nodes;
    const std::int32_t source = batch.sources[row];
    __syncthreads();
    if (threadIdx.x == 0) {
      distances[source] = 0;
      shared.near[0][0] = make_uint2(static_cast<std::uint32_t>(source), 0);
      shared.num_near[0] = 1;
      shared.num_near[1] = shared.num_near[2] = 0;
      shared.num_far = shared.num_kept = 0;
      shared.nearest = kInfinityBits;
    }
    __syncthreads();
    const auto wished = static_cast<std::uint32_t>(options.most_near);
    const float least_delta = options.first_delta / 4096;
    float delta = options.first_delta, end = delta;
    float known = 0;  // all that waits is at least as far
    std::int32_t next_target = 0;
    std::uint32_t step = 0;
    std::uint32_t num_near = 1;
    bool done = false;
    while (!done) {
      int bucket_steps = 0;
      bool too_wide = false;
      while (num_near != 0) {
        if (threadIdx.x == 0) shared.num_near[(step + 2) % 3] = 0;
        ExpandNear<kPadded, kFew>(batch.graph, distances, batch.range, shared.near[step % 2], num_near,
                                  {.end = end,
                                   .near = shared.near[(step + 1) % 2],
                                   .num_near = &shared.num_near[(step + 1) % 3],
                                   .far = far,
                                   .num_far = &shared.num_far});
        // Any thread's view will do: who added last saw the whole.
        const bool is_full = __syncthreads_or(shared.num_far > far_list.full) != 0;
        ++step;
        ++bucket_steps;
        const std::uint32_t came_near = shared.num_near[step % 3];
        num_near = min(came_near, std::uint32_t{kNear});
        too_wide = came_near > wished + wished / 2 || (bucket_steps >= kMostSteps && came_near > kFewNodes);
        if (too_wide || is_full) break;
      }
      std::uint32_t num_far = shared.num_far;
      if (too_wide) {
        delta = fmaxf(delta / 2, least_delta);
        end = known + delta;
      } else if (num_near == 0) {
        end += delta;
      }
      // A bucket that is cut short: its nodes wait with the far ones, which are thinned out.
      for (std::uint32_t i = threadIdx.x; i < num_near; i += kNearFarThreads) {
        far[num_far + i] = shared.near[step % 2][i];
      }
      num_far += num_near;
      num_near = 0;
      while (num_far != 0) {
        __syncthreads();
        if (threadIdx.x == 0) {
          shared.num_near[step % 3] = 0;
          shared.num_kept = 0;
          shared.nearest = kInfinityBits;
        }
        __syncthreads();
        SplitFar(distances, num_far,
                 {.end = end,
                  .near = shared.near[step % 2],
                  .num_near = &shared.num_near[step % 3],
                  .far = far,
                  .num_far = &shared.num_kept},
                 &shared.nearest);
        num_near = min(shared.num_near[step % 3], std::uint32_t{kNear});
        num_far = shared.num_kept;
        if (num_near != 0) break;
        const float nearest = __uint_as_float(shared.nearest);
        end = fmaxf(nearest + delta, __uint_as_float(shared.nearest + 1));
      }
      if (num_near != 0) known = __uint_as_float(shared.nearest);
      __syncthreads();
      if (threadIdx.x == 0) {
        shared.num_far = num_far;
        shared.num_near[(step + 1) % 3] = 0;
      }
      if (batch.num_targets != 0 && num_near != 0) {
        next_target = SkipKnownTargets(batch, distances, known, next_target);
      }
      done = num_near == 0 || (batch.num_targets != 0 && next_target >= batch.num_targets);
      const std::uint32_t waiting = num_near + num_far;
      if (num_near > wished ||
          (waiting > 128 &&
           num_near * 100 > waiting * static_cast<std::uint32_t>(options.shrink_above_percent))) {
        delta *= 0.8F;
      } else if (num_near * 2 < wished && delta < 1e30F &&
                 num_near * 100 < waiting * static_cast<std::uint32_t>(options.grow_below_percent)) {
        delta *= 1.25F;
      }
      __syncthreads();
    }
    if (threadIdx.x == 0 && steps_of_sources != nullptr) steps_of_sources[row] = step;
    // Nodes farther than the farthest target count as unreached.
    if (batch.num_targets != 0) {
      std::uint32_t farthest = 0;
      for (std::int32_t i = static_cast<std::int32_t>(threadIdx.x); i < batch.num_targets;
           i += kNearFarThreads) {
        farthest = max(farthest, __float_as_uint(__ldcg(&distances[batch.targets[i]])));
      }
      farthest = WarpMax(farthest);
      if (threadIdx.x == 0) shared.nearest = 0;
      __syncthreads();
      if (threadIdx.x % 32 == 0) atomicMax(&shared.nearest, farthest);
      __syncthreads();
      if (threadIdx.x == 0) batch.limits[row] = fminf(batch.range, __uint_as_float(shared.nearest));
    } else if (threadIdx.x == 0) {
      batch.limits[row] = batch.range;
    }
  }
}

using Kernel = void (*)(GeodesicBatch, NearFarOptions, FarList, std::uint32_t*);

Kernel KernelOf(bool padded, bool few) {
  if (padded) return few ? NearFarKernel<true, true> : NearFarKernel<true, false>;
  return few ? NearFarKernel<false, true> : NearFarKernel<false, false>;
}

}  // namespace

int NearFarBlocks(bool padded_rows, bool few) {
  int device = 0, multiprocessors = 0, blocks = 0;
  Check(cudaGetDevice(&device), "cudaGetDevice");
  Check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  Check(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, KernelOf(padded_rows, few), kNearFarThreads, 0),
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks * multiprocessors;
}

FarList SizeOfFarList(std::int32_t num_nodes, std::int64_t num_edges, std::int32_t max_degree) {
  // When the far list has just been read each node waits at most once. A step expands each node at most once.
  const std::int64_t a_step = std::min(num_edges, std::int64_t{kNear} * max_degree);
  const std::int64_t full = std::int64_t{num_nodes} + a_step;
  return {.capacity = static_cast<std::size_t>(full + a_step + kNear),
          .full = static_cast<std::size_t>(full)};
}

void NearFar(const GeodesicBatch& batch, const NearFarOptions& options, int blocks, FarList far,
             std::uint32_t* steps, cudaStream_t stream) {
  const Kernel kernel = KernelOf(batch.graph.first_edge == nullptr, options.few);
  kernel<<<static_cast<unsigned>(blocks), kNearFarThreads, 0, stream>>>(batch, options, far, steps);
  CheckLaunch("NearFarKernel");
}

}  // namespace parallax::cuda
