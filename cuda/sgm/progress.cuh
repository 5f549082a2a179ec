// The progress of aggregation, for selection: a counter for each band of rows. Every aggregation warp raises
// it once, when it has written everything it writes there. So selection begins with the first rows while the
// last are still aggregated, and finds their sums in the second-level cache.
//
// Selection's blocks start when all those of aggregation have started: a waiting block never keeps the
// awaited one from starting.
#pragma once

#include "cuda/sgm/lane_costs.cuh"

namespace parallax::cuda {

// Called by all lanes of a warp once they have written everything to the bands begin .. end - 1.
__device__ __forceinline__ void RaiseBands(std::uint32_t* bands_done, int begin, int end, int lane) {
  __syncwarp();  // the writes of all lanes are visible with each lane's release
#pragma unroll 1
  for (int band = begin + lane; band < end; band += kWarpSize) {
#if __CUDA_ARCH__ >= 700
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(bands_done + band) : "memory");
#else
    __threadfence();
    atomicAdd(bands_done + band, 1U);
#endif
  }
}

// Called by one thread of a block; the others may read the band after a barrier with it.
__device__ __forceinline__ void WaitForBand(const std::uint32_t* bands_done, int band, std::uint32_t raises) {
  while (true) {
    std::uint32_t raised = 0;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(raised) : "l"(bands_done + band) : "memory");
    if (raised >= raises) return;
    __nanosleep(200);
  }
}

}  // namespace parallax::cuda
