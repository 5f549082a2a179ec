// Distances from products, |a - b|^2 = |a|^2 + |b|^2 - 2ab, on the tensor cores, the root taken before
// anything is written.
//
// A float is split into two TF32 numbers, x = high + low + about 2^-22 x, and ab = high high + high low + low
// high; sums of 32 dimensions are made by the tensor cores, which truncate, and added up with rounding
// outside (Ootomo & Yokota 2022, "Recovering single precision accuracy from Tensor Cores while surpassing the
// FP32 theoretical peak performance"). That is as exact as a product in fp32 (docs/clouds.md).
#include "cuda/cloud/distances/distance_rows.h"
#include "cuda/cloud/distances/root.cuh"
#include "cuda/device/check.h"

namespace parallax::cuda {
namespace {

constexpr int kRows = kProductTileRows, kColumns = kProductTileColumns;
constexpr int kDepth = 32, kPitch = kDepth + 4;  // dimensions a stage; without bank conflicts
constexpr int kStages = 3, kThreads = 256;
constexpr int kStageFloats = (kRows + kColumns) * kPitch;
constexpr std::size_t kSharedBytes = sizeof(float) * kStages * kStageFloats;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

// 8 rows of 4 floats in the lanes' registers, four times (an instruction for 16-bit numbers that moves any).
__device__ void LoadFragments(std::uint32_t address, std::uint32_t (&to)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

// sums += a b, 16 x 8 x 8. The hardware leaves out the low 13 bits of the operands.
__device__ void MultiplyAdd(float (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                            std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
      "%1, %2, "
      "%3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// 32 x 32 x 8.
__device__ void MultiplyAddAll(float (&sums)[2][4][4], const std::uint32_t (&a)[2][4],
                               const std::uint32_t (&b)[2][4]) {
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int n = 0; n < 4; ++n) MultiplyAdd(sums[m][n], a[m], b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
  }
}

// x becomes the nearest TF32 number; what is left of it is returned.
__device__ std::uint32_t Split(std::uint32_t& x) {
  const std::uint32_t high = (x + 0x1000u) & 0xFFFFE000u;
  const std::uint32_t low = __float_as_uint(__fsub_rn(__uint_as_float(x), __uint_as_float(high)));
  x = high;
  return low;
}

__device__ void CopyAsync16(std::uint32_t to, const float* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

#endif

// kTerms: 3, or 1 for TF32. A block goes from tile to tile, the copies of the next one under way while it
// writes.
template <int kTerms>
__global__ void __launch_bounds__(kThreads, 2)
    ProductDistances(const ProductOperand a, const ProductOperand b, int dims, float* distances,
                     std::int64_t stride, std::int64_t column_blocks, std::int64_t num_tiles, bool vectors) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  extern __shared__ __align__(16) float shared[];
  const auto shared_address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int num_stages = (dims + kDepth - 1) / kDepth;

  // The copies run ahead of the products: their own tile and stage.
  std::int64_t copy_tile = blockIdx.x;
  int copy_stage = 0, copy_slot = 0;
  const auto copy_next = [&] {
    if (copy_tile < num_tiles) {
      const float* const from_a = a.rows + copy_tile / column_blocks * kRows * dims;
      const float* const from_b = b.rows + copy_tile % column_blocks * kColumns * dims;
      const std::uint32_t to = shared_address + static_cast<std::uint32_t>(copy_slot * kStageFloats * 4);
#pragma unroll
      for (int i = 0; i < (kRows + kColumns) * kDepth / 4 / kThreads; ++i) {
        const int at = thread + i * kThreads, row = at / (kDepth / 4);
        const int dim = copy_stage * kDepth + at % (kDepth / 4) * 4;
        if (dim < dims) {
          const float* const from = row < kRows ? from_a + static_cast<std::int64_t>(row) * dims
                                                : from_b + static_cast<std::int64_t>(row - kRows) * dims;
          CopyAsync16(to + static_cast<std::uint32_t>((row * kPitch + at % (kDepth / 4) * 4) * 4),
                      from + dim);
        }
      }
      if (++copy_stage == num_stages) {
        copy_stage = 0;
        copy_tile += gridDim.x;
      }
      copy_slot = copy_slot + 1 == kStages ? 0 : copy_slot + 1;
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  for (int i = 0; i < kStages - 1; ++i) copy_next();

  // A warp: 32 x 32; of 4 x 2 warps.
  const int warp_row = warp % 4 * 32, warp_column = warp / 4 * 32;
  // Where this lane's row of a fragment begins: a goes rows, rows + 8, then 4 dimensions on; b dimensions
  // first.
  const std::uint32_t lane_a =
      static_cast<std::uint32_t>(((warp_row + lane % 16) * kPitch + lane / 16 * 4) * 4);
  const std::uint32_t lane_b = static_cast<std::uint32_t>(
      ((kRows + warp_column + lane % 8 + lane / 16 * 8) * kPitch + lane / 8 % 2 * 4) * 4);
  int slot = 0;
  for (std::int64_t tile = blockIdx.x; tile < num_tiles; tile += gridDim.x) {
    float totals[2][4][4] = {};
    for (int stage = 0; stage < num_stages; ++stage) {
      asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
      __syncthreads();
      copy_next();
      const std::uint32_t base = shared_address + static_cast<std::uint32_t>(slot * kStageFloats * 4);
      slot = slot + 1 == kStages ? 0 : slot + 1;
      float sums[2][4][4] = {};
      const auto step = [&](int k) {
        std::uint32_t of_a[2][4], of_b[2][4];
        const std::uint32_t at = base + static_cast<std::uint32_t>(k * kProductStep * 4);
#pragma unroll
        for (int m = 0; m < 2; ++m) {
          LoadFragments(at + lane_a + static_cast<std::uint32_t>(m * 16 * kPitch * 4), of_a[m]);
          LoadFragments(at + lane_b + static_cast<std::uint32_t>(m * 16 * kPitch * 4), of_b[m]);
        }
        if constexpr (kTerms == 3) {
          std::uint32_t low_a[2][4], low_b[2][4];
#pragma unroll
          for (int m = 0; m < 2; ++m) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
              low_a[m][j] = Split(of_a[m][j]);
              low_b[m][j] = Split(of_b[m][j]);
            }
          }
          MultiplyAddAll(sums, low_a, of_b);
          MultiplyAddAll(sums, of_a, low_b);
        }
        MultiplyAddAll(sums, of_a, of_b);
      };
      const int steps = min(kDepth, dims - stage * kDepth) / kProductStep;
      if (steps == kDepth / kProductStep) {
#pragma unroll
        for (int k = 0; k < kDepth / kProductStep; ++k) step(k);
      } else {
        for (int k = 0; k < steps; ++k) step(k);
      }
#pragma unroll
      for (int m = 0; m < 2; ++m) {
#pragma unroll
        for (int n = 0; n < 4; ++n) {
#pragma unroll
          for (int i = 0; i < 4; ++i) totals[m][n][i] = __fadd_rn(totals[m][n][i], sums[m][n][i]);
        }
      }
    }

    const std::int64_t first_row = tile / column_blocks * kRows + warp_row + lane / 4;
    const std::int64_t first_column = tile % column_blocks * kColumns + warp_column + lane % 4 * 2;
    const auto squared = [](float square_a, float square_b, float product) {
      const float value = __fmaf_rn(-2.0f, product, __fadd_rn(square_a, square_b));
      return value < 0 ? 0.0f : value;  // keeps NaN
    };
    float2 squares[4];
#pragma unroll
    for (int n = 0; n < 4; ++n)
      squares[n] = *reinterpret_cast<const float2*>(b.squares + first_column + n * 8);
#pragma unroll
    for (int m = 0; m < 2; ++m) {
      const std::int64_t row = first_row + m * 16;
      const float upper = a.squares[row], lower = a.squares[row + 8];
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const float* const t = totals[m][n];
        const float4 roots =
            Roots(make_float4(squared(upper, squares[n].x, t[0]), squared(upper, squares[n].y, t[1]),
                              squared(lower, squares[n].x, t[2]), squared(lower, squares[n].y, t[3])));
        const std::int64_t column = first_column + n * 8;
        float* const to = distances + row * stride + column;
        if (vectors && column + 1 < b.count) {
          if (row < a.count) __stcs(reinterpret_cast<float2*>(to), make_float2(roots.x, roots.y));
          if (row + 8 < a.count)
            __stcs(reinterpret_cast<float2*>(to + 8 * stride), make_float2(roots.z, roots.w));
        } else {
          if (row < a.count && column < b.count) to[0] = roots.x;
          if (row < a.count && column + 1 < b.count) to[1] = roots.y;
          if (row + 8 < a.count && column < b.count) to[8 * stride] = roots.z;
          if (row + 8 < a.count && column + 1 < b.count) to[8 * stride + 1] = roots.w;
        }
      }
    }
  }
#else
  __trap();  // ChooseDistanceMethod and DistanceRows keep away from here
#endif
}

// A warp a row.
__global__ void __launch_bounds__(256) PadRows(const MatrixView set, std::int64_t padded_rows,
                                               int padded_dims, bool round, float* padded, float* squares) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * 8 + threadIdx.x / 32;
  if (row >= padded_rows) return;
  double sum = 0;
  for (int d = static_cast<int>(threadIdx.x % 32); d < padded_dims; d += 32) {
    float value = row < set.rows && d < set.dims ? set.data[row * set.stride + d] : 0.0f;
    // The length belongs to what is multiplied.
    if (round && isfinite(value))
      value = __uint_as_float((__float_as_uint(value) + 0x0FFFu + (__float_as_uint(value) >> 13 & 1u)) &
                              0xFFFFE000u);
    padded[row * padded_dims + d] = value;
    sum += static_cast<double>(value) * value;
  }
  for (int i = 16; i > 0; i /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, i);
  if (threadIdx.x % 32 == 0) squares[row] = static_cast<float>(sum);
}

}  // namespace

void LaunchPadRows(const MatrixView& set, std::int64_t padded_rows, int padded_dims, bool round,
                   float* padded, float* squares, cudaStream_t stream) {
  PadRows<<<static_cast<unsigned>((padded_rows + 7) / 8), 256, 0, stream>>>(set, padded_rows, padded_dims,
                                                                            round, padded, squares);
  CheckLaunch("PadRows");
}

void LaunchProductDistances(const ProductOperand& a, const ProductOperand& b, int padded_dims, bool tf32,
                            float* distances, std::int64_t stride, cudaStream_t stream) {
  const bool vectors = reinterpret_cast<std::uintptr_t>(distances) % 8 == 0 && stride % 2 == 0;
  const std::int64_t column_blocks = (b.count + kColumns - 1) / kColumns;
  const std::int64_t num_tiles = (a.count + kRows - 1) / kRows * column_blocks;
  const auto kernel = tf32 ? ProductDistances<1> : ProductDistances<3>;
  int device = 0, num_multiprocessors = 0;
  Check(cudaGetDevice(&device), "cudaGetDevice");
  Check(cudaDeviceGetAttribute(&num_multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  Check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
        "cudaFuncSetAttribute");
  const auto blocks =
      static_cast<unsigned>(num_tiles < 2 * num_multiprocessors ? num_tiles : 2 * num_multiprocessors);
  kernel<<<blocks, kThreads, kSharedBytes, stream>>>(a, b, padded_dims, distances, stride, column_blocks,
                                                     num_tiles, vectors);
  CheckLaunch("ProductDistances");
}

}  // namespace parallax::cuda
