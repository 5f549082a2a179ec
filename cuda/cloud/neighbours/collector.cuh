// The best candidates of each lane of a warp, for each lane alone.
#pragma once

#include "cuda/cloud/neighbours/warp_list.cuh"

namespace parallax::cuda {

// One comparison for both; the compiler would make two.
__device__ inline void Order(NeighbourKey& a, NeighbourKey& b) {
  std::uint32_t low_index, low, high_index, high;
  asm("{\n\t.reg .pred p;\n\t"
      "setp.lt.u64 p, %5, %4;\n\t"
      "selp.b32 %0, %8, %6, p;\n\t"
      "selp.b32 %1, %9, %7, p;\n\t"
      "selp.b32 %2, %6, %8, p;\n\t"
      "selp.b32 %3, %7, %9, p;\n\t}"
      : "=r"(low_index), "=r"(low), "=r"(high_index), "=r"(high)
      : "l"(a), "l"(b), "r"(static_cast<std::uint32_t>(a)), "r"(static_cast<std::uint32_t>(a >> 32)),
        "r"(static_cast<std::uint32_t>(b)), "r"(static_cast<std::uint32_t>(b >> 32)));
  a = static_cast<NeighbourKey>(low) << 32 | low_index;
  b = static_cast<NeighbourKey>(high) << 32 | high_index;
}
__device__ inline void Order(float& a, float& b) {
  const float low = fminf(a, b);
  b = fmaxf(a, b);
  a = low;
}
__device__ inline NeighbourKey Least(NeighbourKey a, NeighbourKey b) { return a < b ? a : b; }
__device__ inline float Least(float a, float b) { return fminf(a, b); }

// Batcher's odd-even merge sort of 8.
template <typename Key>
__device__ inline void Sort8(Key (&c)[8]) {
  Order(c[0], c[1]), Order(c[2], c[3]), Order(c[4], c[5]), Order(c[6], c[7]);
  Order(c[0], c[2]), Order(c[1], c[3]), Order(c[4], c[6]), Order(c[5], c[7]);
  Order(c[1], c[2]), Order(c[5], c[6]);
  Order(c[0], c[4]), Order(c[1], c[5]), Order(c[2], c[6]), Order(c[3], c[7]);
  Order(c[2], c[4]), Order(c[3], c[5]);
  Order(c[1], c[2]), Order(c[3], c[4]), Order(c[5], c[6]);
}

// best, ascending, becomes the kSize least of itself and 8 more.
template <int kSize, typename Key>
__device__ inline void Merge8(Key (&best)[kSize], Key (&more)[8]) {
  static_assert(kSize >= 8 && (kSize & (kSize - 1)) == 0);
  Sort8(more);
#pragma unroll
  for (int i = 0; i < 8; ++i) best[kSize - 8 + i] = Least(best[kSize - 8 + i], more[7 - i]);
#pragma unroll
  for (int half = kSize / 2; half > 0; half /= 2) {
#pragma unroll
    for (int i = 0; i < kSize; ++i) {
      if ((i & half) == 0) Order(best[i], best[i + half]);
    }
  }
}

template <int kSize>
__device__ inline void Insert(float (&best)[kSize], float key) {
#pragma unroll
  for (int i = 0; i < kSize; ++i) Order(best[i], key);
}
template <int kSize>
__device__ inline void Insert(NeighbourKey (&best)[kSize], NeighbourKey key) {
  if (key >= best[kSize - 1]) return;
  best[kSize - 1] = key;
#pragma unroll
  for (int i = kSize - 1; i > 0; --i) Order(best[i - 1], best[i]);
}

// Words of shared memory by their shared-memory address: generic addresses cost several instructions for each
// candidate.
__device__ inline void StoreShared(std::uint32_t address, NeighbourKey key) {
  asm volatile("st.shared.u64 [%0], %1;" ::"r"(address), "l"(key) : "memory");
}
__device__ inline void StoreShared(std::uint32_t address, float key) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(key) : "memory");
}
__device__ inline void StoreShared(std::uint32_t address, std::uint32_t word) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(word) : "memory");
}
__device__ inline void LoadShared(std::uint32_t address, std::uint32_t& word) {
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
}
__device__ inline void LoadShared(std::uint32_t address, NeighbourKey& key) {
  asm volatile("ld.shared.u64 %0, [%1];" : "=l"(key) : "r"(address) : "memory");
}
__device__ inline void LoadShared(std::uint32_t address, float& key) {
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(key) : "r"(address) : "memory");
}

// A lane's candidates and what it does with new ones. Key: NeighbourKey, or float where only the distances
// matter. Up to 4 are kept by insertion. More are put on a stack of 16 for each lane and merged 8 at a time,
// since some lane wants nearly every candidate and a merge costs little more than an insertion.
template <int kSize, typename Key>
struct Collector {
  static constexpr bool kIndices = sizeof(Key) == 8;
  static constexpr bool kBuffered = kSize > 4;
  static constexpr std::uint32_t kRow = 32 * sizeof(Key);  // one entry of each lane
  static constexpr int kBufferSize = kBuffered ? 16 * 32 : 1;

  Key best[kSize];            // ascending; the first kSize - k lie below every candidate
  float worst;                // squared distance above which candidates are ignored
  std::uint32_t bottom, end;  // of the stack, in shared memory

  __device__ static Key None() {
    if constexpr (kIndices) {
      return MakeKey(__int_as_float(0x7F800000), kNoPoint);
    } else {
      return __int_as_float(0x7F800000);
    }
  }
  __device__ static Key Lowest() {
    if constexpr (kIndices) {
      return 0;
    } else {
      return -1.0f;
    }
  }

  __device__ void Start(int k, bool active, Key* lane_buffer) {
    bottom = end = static_cast<std::uint32_t>(__cvta_generic_to_shared(lane_buffer));
#pragma unroll
    for (int i = 0; i < kSize; ++i) best[i] = active && i >= kSize - k ? None() : Lowest();
    worst = active ? __int_as_float(0x7F800000) : -1.0f;
  }

  __device__ bool Needs(float box_squared, std::uint32_t least_index) const {
    if constexpr (kIndices) {
      return MakeKey(box_squared, least_index) < best[kSize - 1];
    } else {
      return box_squared < best[kSize - 1];
    }
  }

  __device__ void Offer(float squared, std::uint32_t index, bool allowed) {
    Key key;
    if constexpr (kIndices) {
      key = MakeKey(squared, index);
    } else {
      key = squared;
    }
    if constexpr (kBuffered) {
      if (squared <= worst && allowed) {
        StoreShared(end, key);
        end += kRow;
      }
    } else if constexpr (kIndices) {
      if (squared <= worst && allowed) Insert(best, key);
    } else {
      Insert(best, allowed ? squared : None());
    }
  }

  // Called after each leaf to make room for 8 more, or at the end to empty the stack. True if worst may have
  // changed.
  __device__ bool Settle(bool at_end) {
    if constexpr (kBuffered) {
      bool merged = false;
      while (__any_sync(kFullWarp, end > bottom + (at_end ? 0 : 8 * kRow))) {
        Key more[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          more[i] = None();
          if (end > bottom + i * kRow) LoadShared(end - (i + 1) * kRow, more[i]);
        }
        Merge8(best, more);
        end = max(end, bottom + 8 * kRow) - 8 * kRow;
        merged = true;
      }
      if (merged && worst >= 0) worst = SquaredOf(best[kSize - 1]);
      return merged;
    } else {
      if (worst >= 0) worst = SquaredOf(best[kSize - 1]);
      return true;
    }
  }
};

}  // namespace parallax::cuda
