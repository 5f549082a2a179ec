#include "cuda/sgm/penalty_jumps.h"

#include "cuda/device/dependent_launch.cuh"

namespace parallax::cuda {
namespace {

// One thread for each pixel. It needs no result of the preceding kernel and waits
// for it only as its last step.
__global__ void PenaltyJumpsKernel(const std::uint8_t* guide, const std::uint16_t* table, VolumeLayout layout,
                                   std::uint32_t* jumps) {
  LetNextKernelBegin();
  const int width = layout.width, num_pixels = width * layout.height;
  const int pixel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) - 1;
  const auto gray = [&](int of) -> std::uint32_t { return guide[min(max(of, 0), num_pixels - 1)]; };
  if (pixel <= num_pixels) {
#pragma unroll
    for (int v = 0; v < 4; ++v) {
      if (v >= layout.num_volumes) break;
      const int step = v == 0 ? 1 : width + (v == 1 ? 0 : v == 2 ? 1 : -1);
      const int to_second_line = v > 0 ? 1 : layout.pairs_rows ? width : 0;
      const auto jump_to = [&](int to) -> std::uint32_t {
        return table[(v == 1 ? 256U : 0U) + __usad(gray(to), gray(to - step), 0U)];
      };
      jumps[static_cast<std::size_t>(v) * (static_cast<std::size_t>(num_pixels) + 2) +
            static_cast<std::size_t>(pixel + 1)] = jump_to(pixel) | jump_to(pixel + to_second_line) << 16;
    }
  }
  EndAfterKernelBefore();
}

}  // namespace

bool HasJumps(const VolumeLayout& layout, const MatchingTables& tables) {
  return layout.bytes_per_sum == 2 || layout.leaves_costs_out || IsAdaptive(tables) || HasOwnColumns(tables);
}

JumpTable MakeJumpTable(const MatchingTables& tables) {
  JumpTable table;
  for (std::size_t i = 0; i < 256; ++i) {
    table[i] = static_cast<std::uint16_t>(tables.p2[i] - tables.p1);
    table[256 + i] = static_cast<std::uint16_t>(tables.p2_vertical[i] - tables.p1_ground);
  }
  return table;
}

void FindJumps(DeviceImageView<const std::uint8_t> guide, const std::uint16_t* table,
               const VolumeLayout& layout, std::uint32_t* jumps, cudaStream_t stream) {
  constexpr unsigned kThreads = 256;
  const auto blocks = static_cast<unsigned>((NumJumpWords(layout) + kThreads - 1) / kThreads);
  LaunchDependent("PenaltyJumpsKernel", PenaltyJumpsKernel, blocks, kThreads, 0, stream, guide.data, table,
                  layout, jumps);
}

}  // namespace parallax::cuda
