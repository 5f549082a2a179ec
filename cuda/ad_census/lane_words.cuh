// The words of a lane: K successive words of two disparities each, with as few loads and stores as possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/device/warp.cuh"

namespace parallax::cuda::ad_census {

template <int K>
__device__ __forceinline__ void LoadWords(const std::uint32_t* from, std::uint32_t (&words)[K]) {
  if constexpr (K % 4 == 0) {
#pragma unroll
    for (int i = 0; i < K / 4; ++i) {
      const uint4 v = reinterpret_cast<const uint4*>(from)[i];
      words[4 * i] = v.x, words[4 * i + 1] = v.y, words[4 * i + 2] = v.z, words[4 * i + 3] = v.w;
    }
  } else if constexpr (K % 2 == 0) {
#pragma unroll
    for (int i = 0; i < K / 2; ++i) {
      const uint2 v = reinterpret_cast<const uint2*>(from)[i];
      words[2 * i] = v.x, words[2 * i + 1] = v.y;
    }
  } else {
#pragma unroll
    for (int i = 0; i < K; ++i) words[i] = from[i];
  }
}

template <int K>
__device__ __forceinline__ void StoreWords(const std::uint32_t (&words)[K], std::uint32_t* to) {
  if constexpr (K % 4 == 0) {
#pragma unroll
    for (int i = 0; i < K / 4; ++i)
      reinterpret_cast<uint4*>(to)[i] = {words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]};
  } else if constexpr (K % 2 == 0) {
#pragma unroll
    for (int i = 0; i < K / 2; ++i) reinterpret_cast<uint2*>(to)[i] = {words[2 * i], words[2 * i + 1]};
  } else {
#pragma unroll
    for (int i = 0; i < K; ++i) to[i] = words[i];
  }
}

// Calls launch with the number of words of a lane as a constant.
template <typename Launch>
void WithLaneWords(int padded, const Launch& launch) {
  switch (padded / 64) {
    case 1:
      return launch(std::integral_constant<int, 1>{});
    case 2:
      return launch(std::integral_constant<int, 2>{});
    case 3:
      return launch(std::integral_constant<int, 3>{});
    case 4:
      return launch(std::integral_constant<int, 4>{});
    case 6:
      return launch(std::integral_constant<int, 6>{});
    case 8:
      return launch(std::integral_constant<int, 8>{});
    case 12:
      return launch(std::integral_constant<int, 12>{});
    default:
      return launch(std::integral_constant<int, 16>{});
  }
}

}  // namespace parallax::cuda::ad_census
