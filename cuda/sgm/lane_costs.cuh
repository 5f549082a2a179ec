// A warp's layout of one pixel's costs: D is padded to lanes * K, and lane l holds the disparities l K .. l K
// + K - 1. If not all 32 lanes hold values, the others run the same steps on what follows the pixel's values,
// store nothing, and are ignored in exchanges between lanes. In memory a pixel's values are in the order of
// d, so a lane reads and writes neighbouring bytes.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/device/warp.cuh"
#include "cuda/sgm/volume_layout.h"

namespace parallax::cuda {

// 8 bits of a sum of path costs that leaves the matching costs out (VolumeLayout::leaves_costs_out).
struct NoCostByte {
  std::uint8_t value;
};

// a * b + c on the multiplication units, where those for comparing and counting are busy. For a sum, b is a 1
// that the compiler must not know.
__device__ __forceinline__ std::uint32_t MultiplyAdd(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t sum;
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  return sum;
}

__host__ __device__ __forceinline__ std::uint32_t InBothHalves(std::uint32_t value) {
  return value * 0x10001U;
}

// Load or store kBytes (2, 4, 8 or a multiple of 16). The address is a multiple of min(kBytes, 16).
template <int kBytes>
__device__ __forceinline__ void LoadBytes(const std::uint8_t* from, std::uint32_t* to) {
  if constexpr (kBytes == 2) {
    to[0] = *reinterpret_cast<const std::uint16_t*>(from);
  } else if constexpr (kBytes == 4) {
    to[0] = *reinterpret_cast<const std::uint32_t*>(from);
  } else if constexpr (kBytes == 8) {
    const uint2 v = *reinterpret_cast<const uint2*>(from);
    to[0] = v.x, to[1] = v.y;
  } else {
#pragma unroll
    for (int i = 0; i < kBytes / 16; ++i) {
      const uint4 v = reinterpret_cast<const uint4*>(from)[i];
      to[4 * i] = v.x, to[4 * i + 1] = v.y, to[4 * i + 2] = v.z, to[4 * i + 3] = v.w;
    }
  }
}
template <int kBytes>
__device__ __forceinline__ void StoreBytes(std::uint8_t* to, const std::uint32_t* from) {
  if constexpr (kBytes == 2) {
    *reinterpret_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(from[0]);
  } else if constexpr (kBytes == 4) {
    *reinterpret_cast<std::uint32_t*>(to) = from[0];
  } else if constexpr (kBytes == 8) {
    *reinterpret_cast<uint2*>(to) = make_uint2(from[0], from[1]);
  } else {
#pragma unroll
    for (int i = 0; i < kBytes / 16; ++i) {
      reinterpret_cast<uint4*>(to)[i] =
          make_uint4(from[4 * i], from[4 * i + 1], from[4 * i + 2], from[4 * i + 3]);
    }
  }
}

// The same, 4 bytes or more, issued exactly here: the compiler would otherwise move the load to its first use
// and undo the loading ahead.
template <int kBytes>
__device__ __forceinline__ void LoadBytesNow(const std::uint8_t* from, std::uint32_t* to) {
  if constexpr (kBytes == 4) {
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(to[0]) : "l"(from));
  } else if constexpr (kBytes == 8) {
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "l"(from));
  } else {
#pragma unroll
    for (int i = 0; i < kBytes / 4; i += 4) {
      asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(to[i]), "=r"(to[i + 1]), "=r"(to[i + 2]), "=r"(to[i + 3])
                   : "l"(from + 4 * i));
    }
  }
}
__device__ __forceinline__ std::uint32_t LoadWordNow(const std::uint32_t* from) {
  std::uint32_t word;
  LoadBytesNow<4>(reinterpret_cast<const std::uint8_t*>(from), &word);
  return word;
}
// Which values stay in the second-level cache when others need room: half of a volume, since the whole is
// larger than that cache.
class KeptShare {
 public:
  __device__ __forceinline__ KeptShare() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(policy_));
#endif
  }
  template <int kBytes>
  __device__ __forceinline__ void Store(std::uint8_t* to, const std::uint32_t* from) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (kBytes == 4) {
      asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(to), "r"(from[0]), "l"(policy_)
                   : "memory");
      return;
    } else if constexpr (kBytes == 8) {
      asm volatile("st.global.L2::cache_hint.v2.u32 [%0], {%1, %2}, %3;" ::"l"(to), "r"(from[0]),
                   "r"(from[1]), "l"(policy_)
                   : "memory");
      return;
    }
#endif
    StoreBytes<kBytes>(to, from);
  }

 private:
  std::uint64_t policy_ = 0;
};
// A barrier for threads of a block that all reach a BlockBarrier, but not all at the same place in the code.
template <int kThreads>
__device__ __forceinline__ void BlockBarrier() {
  asm volatile("bar.sync 1, %0;" ::"n"(kThreads) : "memory");
}

// A lane's K values of one pixel, as in memory.
template <int K, typename T>
struct LaneValues {
  static constexpr int kBytes = K * static_cast<int>(sizeof(T));
  static constexpr int kWords = kBytes < 4 ? 1 : kBytes / 4;
  std::uint32_t words[kWords];
  __device__ __forceinline__ void Load(const std::uint8_t* pixel, int lane) {
    LoadBytes<kBytes>(pixel + lane * kBytes, words);
  }
  // Loads from the lane's place through the read-only path, at exactly this point, as LoadBytesNow does.
  __device__ __forceinline__ void LoadNow(const std::uint8_t* from) {
    if constexpr (kBytes == 2) {
      std::uint16_t value;
      asm volatile("ld.global.nc.u16 %0, [%1];" : "=h"(value) : "l"(from));
      words[0] = value;
    } else if constexpr (kBytes == 4) {
      asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(words[0]) : "l"(from));
    } else if constexpr (kBytes == 8) {
      asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(words[0]), "=r"(words[1]) : "l"(from));
    } else {
#pragma unroll
      for (int i = 0; i < kWords; i += 4) {
        asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(words[i]), "=r"(words[i + 1]), "=r"(words[i + 2]), "=r"(words[i + 3])
                     : "l"(from + 4 * i));
      }
    }
  }
  __device__ __forceinline__ void Store(std::uint8_t* pixel, int lane) const {
    StoreBytes<kBytes>(pixel + lane * kBytes, words);
  }
  __device__ __forceinline__ void StoreToKeep(std::uint8_t* pixel, int lane, const KeptShare& kept) const {
    kept.Store<kBytes>(pixel + lane * kBytes, words);
  }
  // The same for values that are not read again soon: the second-level cache evicts them first.
  __device__ __forceinline__ void StoreOnce(std::uint8_t* pixel, int lane) const {
    std::uint8_t* const to = pixel + lane * kBytes;
    if constexpr (kBytes == 4) {
      __stcs(reinterpret_cast<unsigned*>(to), words[0]);
    } else if constexpr (kBytes == 8) {
      __stcs(reinterpret_cast<uint2*>(to), make_uint2(words[0], words[1]));
    } else {
      Store(pixel, lane);
    }
  }
};

// The number of values in a lane, and of lanes that hold values.
template <int kValues, int kNumLanes>
struct LaneShape {
  static constexpr int K = kValues, kLanes = kNumLanes;
  static constexpr int kPadded = kLanes * K;
  static constexpr bool kAllLanes = kLanes == kWarpSize;
  static __device__ __forceinline__ bool HasValues(int lane) { return kAllLanes || lane < kLanes; }
};

// Calls function(shape) with the layout's LaneShape.
template <typename Function>
void WithShape(const VolumeLayout& layout, Function&& function) {
  switch (layout.values_per_lane) {
    case 2:
      return function(LaneShape<2, 32>{});
    case 4:
      return function(LaneShape<4, 32>{});
    case 8:
      return layout.lanes == 24 ? function(LaneShape<8, 24>{}) : function(LaneShape<8, 32>{});
    case 16:
      return function(LaneShape<16, 32>{});
    default:
      return function(LaneShape<32, 32>{});
  }
}

// Calls function(shape, value) also with a value of the path sums' type.
template <typename Function>
void WithLayout(const VolumeLayout& layout, Function&& function) {
  WithShape(layout, [&](auto shape) {
    if (layout.leaves_costs_out) {
      function(shape, NoCostByte{});
    } else if (layout.bytes_per_sum == 1) {
      function(shape, std::uint8_t{});
    } else {
      function(shape, std::uint16_t{});
    }
  });
}

}  // namespace parallax::cuda
