// Units and arithmetic of the earth mover's kernels: costs, reductions over a warp, words that blocks share.
#pragma once

#include <cstdint>

#include "cuda/device/warp.cuh"
#include "pipeline/cloud/emd/emd_schedule.h"

namespace parallax::cuda {

inline constexpr int kFarValue = emd::kFar;

__device__ inline float ApproximateRoot(float square) {
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(square));
  return root;
}

__device__ inline int CostOf(float dx, float dy, float dz) {
  return static_cast<int>(ApproximateRoot(fmaf(dx, dx, fmaf(dy, dy, dz * dz))));
}
__device__ inline int Cost(const float4& p, const float4& q) {
  return CostOf(p.x - q.x, p.y - q.y, p.z - q.z);
}
__device__ inline double Distance(const float4& p, const float4& q) {
  const double dx = static_cast<double>(p.x) - q.x, dy = static_cast<double>(p.y) - q.y,
               dz = static_cast<double>(p.z) - q.z;
  return sqrt(dx * dx + dy * dy + dz * dz);
}
// A lower bound for the cost of all points of the box.
__device__ inline int LeastCost(const float4& p, const float4* box) {
  const float4 low = __ldg(box), high = __ldg(box + 1);
  const float dx = fmaxf(0.0f, fmaxf(low.x - p.x, p.x - high.x));
  const float dy = fmaxf(0.0f, fmaxf(low.y - p.y, p.y - high.y));
  const float dz = fmaxf(0.0f, fmaxf(low.z - p.z, p.z - high.z));
  return static_cast<int>(ApproximateRoot(fmaf(dx, dx, fmaf(dy, dy, dz * dz))) * (1 - 1e-6f)) - 1;
}

// Reads and writes of words that other blocks change during the launch bypass the multiprocessor's cache. A
// barrier then need not empty that cache, and constant data stays in it.
__device__ inline int LoadShared(const int* word) {
  int value;
  asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(word));
  return value;
}
__device__ inline unsigned long long LoadShared(const unsigned long long* word) {
  unsigned long long value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word));
  return value;
}
__device__ inline long long LoadShared(const long long* word) {
  return static_cast<long long>(LoadShared(reinterpret_cast<const unsigned long long*>(word)));
}
__device__ inline void StoreShared(int* word, int value) {
  asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" : : "l"(word), "r"(value));
}
__device__ inline void StoreShared(unsigned long long* word, unsigned long long value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(word), "l"(value));
}
// The price of a state: the upper half of its word.
__device__ inline const int* PriceWord(const unsigned long long* states, int j) {
  return reinterpret_cast<const int*>(states + j) + 1;
}

}  // namespace parallax::cuda
