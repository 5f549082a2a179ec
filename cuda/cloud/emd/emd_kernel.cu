#include "cuda/cloud/emd/emd_auction.cuh"
#include "cuda/cloud/emd/emd_kernel.h"
#include "cuda/device/check.h"

namespace parallax::cuda {
namespace {

template <bool kFlat>
__global__ void __launch_bounds__(kBlockThreads, 1)
    Solve(const EmdPairOnDevice* pairs, int num_pairs, int num_groups, int blocks_per_group,
          EmdGroupControl* control, EmdKernelOptions options) {
  const int index = static_cast<int>(blockIdx.x) / blocks_per_group;
  Group group(control + index, static_cast<int>(blockIdx.x) % blocks_per_group, blocks_per_group);
  __shared__ EmdPairOnDevice pair;
  for (int k = index; k < num_pairs; k += num_groups) {
    if (threadIdx.x == 0) pair = pairs[k];
    __syncthreads();
    Auction<kFlat>(pair, options, group).Run();
    __syncthreads();
  }
}

}  // namespace

int MostEmdBlocks(int block_threads) {
  int device = 0, multiprocessors = 0, flat = 0, deep = 0;
  Check(cudaGetDevice(&device), "cudaGetDevice");
  Check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  Check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&flat, Solve<true>, block_threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  Check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&deep, Solve<false>, block_threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return multiprocessors * min(flat, deep);
}

void LaunchEmd(const EmdPairOnDevice* pairs, int num_pairs, int num_groups, int blocks_per_group,
               int block_threads, bool flat, EmdGroupControl* control, const EmdKernelOptions& options,
               cudaStream_t stream) {
  EmdKernelOptions copy = options;
  void* arguments[] = {&pairs, &num_pairs, &num_groups, &blocks_per_group, &control, &copy};
  const void* kernel =
      flat ? reinterpret_cast<const void*>(Solve<true>) : reinterpret_cast<const void*>(Solve<false>);
  // Cooperative: all blocks are on the device at once, or the launch fails.
  Check(cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(num_groups * blocks_per_group)),
                                    dim3(static_cast<unsigned>(block_threads)), arguments, 0, stream),
        "cudaLaunchCooperativeKernel");
}

}  // namespace parallax::cuda
