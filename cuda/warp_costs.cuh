// How one warp holds the costs of one pixel.
//
// D is padded to 64 K. Word j of lane l holds the disparities d = l K + j (low half) and d + 32 K (high
// half), so that the neighbours d - 1 and d + 1 of both are the words j - 1 and j + 1, and only the first and
// last word of a lane need a shuffle. In memory a pixel's 8-bit values take 2 K bytes a lane, two words
// packed into four bytes; 16-bit values lie as the words themselves.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/stages.h"

namespace parallax::cuda {

inline constexpr unsigned kFullWarp = 0xFFFFFFFFU;
inline constexpr std::uint32_t kLowBytes = 0x00FF00FFU;
inline constexpr int kWarpSize = 32;

__device__ __forceinline__ std::uint32_t Twice(std::uint32_t value) { return value * 0x10001U; }

// kBytes of one lane, loaded and stored at once where that is possible.
template <int kBytes>
struct LaneBytes;
template <>
struct LaneBytes<2> {
  std::uint16_t v;
};
template <>
struct LaneBytes<4> {
  std::uint32_t v;
};
template <>
struct LaneBytes<8> {
  uint2 v;
};
template <>
struct LaneBytes<16> {
  uint4 v;
};
template <>
struct LaneBytes<32> {
  uint4 v[2];
};
template <>
struct LaneBytes<64> {
  uint4 v[4];
};

// The words of one lane as they lie in memory. T: std::uint8_t or std::uint16_t.
template <int K, typename T>
struct PackedLane {
  static constexpr int kBytes = 2 * K * static_cast<int>(sizeof(T));
  LaneBytes<kBytes> bytes;

  __device__ __forceinline__ void Load(const std::uint8_t* pixel, int lane) {
    bytes = *reinterpret_cast<const LaneBytes<kBytes>*>(pixel + lane * kBytes);
  }
  // The same through the read-only path, issued here and nowhere later: the compiler would otherwise move the
  // load to its first use, and the point of loading ahead would be lost.
  __device__ __forceinline__ void LoadNow(const std::uint8_t* pixel, int lane) {
    const std::uint8_t* const from = pixel + lane * kBytes;
    if constexpr (kBytes == 2) {
      asm volatile("ld.global.nc.u16 %0, [%1];" : "=h"(bytes.v) : "l"(from));
    } else if constexpr (kBytes == 4) {
      asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(bytes.v) : "l"(from));
    } else if constexpr (kBytes == 8) {
      asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(bytes.v.x), "=r"(bytes.v.y) : "l"(from));
    } else if constexpr (kBytes == 16) {
      asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(bytes.v.x), "=r"(bytes.v.y), "=r"(bytes.v.z), "=r"(bytes.v.w)
                   : "l"(from));
    } else {
      Load(pixel, lane);
    }
  }
  // The same for values that are not read again soon: they leave the second-level cache first.
  __device__ __forceinline__ void StoreOnce(std::uint8_t* pixel, int lane) const {
    std::uint8_t* const to = pixel + lane * kBytes;
    if constexpr (kBytes == 4) {
      __stcs(reinterpret_cast<unsigned*>(to), bytes.v);
    } else if constexpr (kBytes == 8) {
      __stcs(reinterpret_cast<uint2*>(to), bytes.v);
    } else {
      Store(pixel, lane);
    }
  }
  __device__ __forceinline__ void Store(std::uint8_t* pixel, int lane) const {
    *reinterpret_cast<LaneBytes<kBytes>*>(pixel + lane * kBytes) = bytes;
  }
};

template <int K>
__device__ __forceinline__ void Unpack(const PackedLane<K, std::uint8_t>& packed, std::uint32_t (&words)[K]) {
  if constexpr (K == 1) {
    words[0] = __byte_perm(packed.bytes.v, 0, 0x4140);
  } else {
    const std::uint32_t* raw = reinterpret_cast<const std::uint32_t*>(&packed.bytes);
#pragma unroll
    for (int j = 0; j < K; j += 2) {
      words[j] = raw[j / 2] & kLowBytes;
      words[j + 1] = __byte_perm(raw[j / 2], 0, 0x4341);
    }
  }
}
template <int K>
__device__ __forceinline__ void Unpack(const PackedLane<K, std::uint16_t>& packed,
                                       std::uint32_t (&words)[K]) {
  const std::uint32_t* raw = reinterpret_cast<const std::uint32_t*>(&packed.bytes);
#pragma unroll
  for (int j = 0; j < K; ++j) words[j] = raw[j];
}

// Values above the type's range (they stand in padded places only) lose their high bits.
template <int K>
__device__ __forceinline__ void Pack(const std::uint32_t (&words)[K], PackedLane<K, std::uint8_t>& packed) {
  if constexpr (K == 1) {
    packed.bytes.v = static_cast<std::uint16_t>(__byte_perm(words[0], 0, 0x4420));
  } else {
    std::uint32_t* raw = reinterpret_cast<std::uint32_t*>(&packed.bytes);
#pragma unroll
    for (int j = 0; j < K; j += 2) raw[j / 2] = __byte_perm(words[j], words[j + 1], 0x6240);
  }
}
template <int K>
__device__ __forceinline__ void Pack(const std::uint32_t (&words)[K], PackedLane<K, std::uint16_t>& packed) {
  std::uint32_t* raw = reinterpret_cast<std::uint32_t*>(&packed.bytes);
#pragma unroll
  for (int j = 0; j < K; ++j) raw[j] = words[j];
}

// Disparities of the low and the high half of word j.
template <int K>
__device__ __forceinline__ int LowDisparity(int lane, int j) {
  return lane * K + j;
}
template <int K>
__device__ __forceinline__ int HighDisparity(int lane, int j) {
  return lane * K + j + 32 * K;
}

// value in every half of every word j whose disparity is D or more, 0 elsewhere.
template <int K>
__device__ __forceinline__ void FillPadding(int lane, int num_disparities, std::uint32_t value,
                                            std::uint32_t (&words)[K]) {
#pragma unroll
  for (int j = 0; j < K; ++j) {
    words[j] = (LowDisparity<K>(lane, j) >= num_disparities ? value : 0U) |
               (HighDisparity<K>(lane, j) >= num_disparities ? value << 16 : 0U);
  }
}

// Calls function(std::integral_constant<int, K>{}) with the layout's number of words.
template <typename Function>
void WithWords(int words, Function&& function) {
  switch (words) {
    case 1:
      return function(std::integral_constant<int, 1>{});
    case 2:
      return function(std::integral_constant<int, 2>{});
    case 4:
      return function(std::integral_constant<int, 4>{});
    case 8:
      return function(std::integral_constant<int, 8>{});
    default:
      return function(std::integral_constant<int, 16>{});
  }
}

// Calls function(words, value) with the number of words and a value of the path costs' type.
template <typename Function>
void WithLayout(const VolumeLayout& layout, Function&& function) {
  WithWords(layout.words, [&](auto k) {
    if (layout.bytes_per_path_cost == 1) {
      function(k, std::uint8_t{});
    } else {
      function(k, std::uint16_t{});
    }
  });
}

}  // namespace parallax::cuda
