// aggregation, horizontal paths: one block a row, one warp to the right and one to the left. These are the
// longest paths and there are few of them, so what counts is how soon a step can follow the last: the costs
// are made from the row's census codes, which lie in shared memory, rather than read from the cost volume,
// and nothing but shared memory is waited for.
#include "cuda/check.h"
#include "cuda/path_state.cuh"
#include "cuda/stages.h"

namespace parallax::cuda {
namespace {

constexpr int kDirections = 2;
constexpr int kMargin = 2;  // codes that are loaded ahead past the end of a row
constexpr int kShift = 16;  // of the right codes, to make room for the margin; a multiple of every K
constexpr std::size_t kLargestShared_bytes = 200 * 1024;

struct Arguments {
  const void *census_left, *census_right;
  const std::uint8_t* guide;
  const std::uint16_t* p2_table;
  std::uint8_t* path_costs;
  std::size_t path_bytes;  // of one direction
  int width, num_disparities, min_disparity;
  std::uint32_t p1, p2, outside_cost;
};

__device__ __forceinline__ std::uint32_t BitCount(std::uint32_t code) {
  return static_cast<std::uint32_t>(__popc(code));
}
__device__ __forceinline__ std::uint32_t BitCount(std::uint64_t code) {
  return static_cast<std::uint32_t>(__popcll(code));
}

// Loads that stay where they are written, so that they are on their way early enough.
__device__ __forceinline__ std::uint32_t LoadSharedNow(const std::uint32_t* from) {
  std::uint32_t value;
  asm volatile("ld.shared.u32 %0, [%1];"
               : "=r"(value)
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(from))));
  return value;
}
__device__ __forceinline__ std::uint64_t LoadSharedNow(const std::uint64_t* from) {
  std::uint64_t value;
  asm volatile("ld.shared.u64 %0, [%1];"
               : "=l"(value)
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(from))));
  return value;
}

// Where code i of the row lies. The lanes read every K-th code: for large K those stand side by side, since
// 32 lanes would otherwise wait for one bank of shared memory.
template <int K>
__device__ __forceinline__ int PlaceOfCode(int i, int stride) {
  return K >= 4 ? (i & (K - 1)) * stride + i / K : i;
}

template <int K, typename Code, typename T, bool kAdaptive, bool kSparse, int kDx>
struct RowPath {
  static constexpr int kPathBytes = 64 * K * static_cast<int>(sizeof(T));
  const Arguments& a;
  // Both may be read kMargin codes before and after. Code i of right, at PlaceOfCode(i + kShift), is that of
  // right pixel i - (64 K - 1) - min_disparity.
  const Code *left, *right;
  int code_stride;
  const std::uint8_t* guide;
  const std::uint32_t* p2_minus_p1;
  std::uint8_t* row_costs;
  int lane;
  LaneEnds ends;
  std::uint32_t p1, jump;
  std::uint32_t guide_before = 0;
  std::uint32_t padding[K];
  PathState<K> state;

  // The codes that one pixel's costs are made of.
  struct Codes {
    Code left, low[K], high[K];
  };
  __device__ __forceinline__ void Load(int x, Codes& codes) const {
    codes.left = LoadSharedNow(left + x);
#pragma unroll
    for (int j = 0; j < K; ++j) {
      // Code i = x + 64 K - 1 - (lane K + j) of the low half, 32 K less of the high one (see PlaceOfCode).
      const Code* const at_zero = right + PlaceOfCode<K>(x + 64 * K - 1 - j + kShift, code_stride);
      constexpr int kStep = K >= 4 ? 1 : K;
      codes.low[j] = LoadSharedNow(at_zero - kStep * lane);
      codes.high[j] = LoadSharedNow(at_zero - kStep * (lane + 32));
    }
  }
  template <bool kInside>
  __device__ __forceinline__ void MakeCosts(int x, const Codes& codes, std::uint32_t (&cost)[K]) const {
#pragma unroll
    for (int j = 0; j < K; ++j) {
      std::uint32_t low = BitCount(static_cast<Code>(codes.left ^ codes.low[j]));
      std::uint32_t high = BitCount(static_cast<Code>(codes.left ^ codes.high[j]));
      if constexpr (!kInside) {
        const int x_right = x - a.min_disparity;
        const auto width = static_cast<unsigned>(a.width);
        if (static_cast<unsigned>(x_right - LowDisparity<K>(lane, j)) >= width) low = a.outside_cost;
        if (static_cast<unsigned>(x_right - HighDisparity<K>(lane, j)) >= width) high = a.outside_cost;
      }
      cost[j] = (low + high * 0x10000U) | padding[j];
    }
  }

  // count pixels from x on, in direction kDx. kInside: all right pixels of all of them are inside the image.
  // While a pixel is worked on, the next one's costs are made and the codes of the one after it are loaded.
  template <bool kInside>
  __device__ __forceinline__ void Follow(int x, int count) {
    if (count <= 0) return;
    Codes codes;
    std::uint32_t cost[K];
    Load(x, codes);
    MakeCosts<kInside>(x, codes, cost);
    Load(x + kDx, codes);
    std::uint8_t* out = row_costs + static_cast<std::ptrdiff_t>(x) * kPathBytes;
    constexpr int kUnroll = kInside && K <= 2 ? 4 : 1;
#pragma unroll kUnroll
    for (int i = 0; i < count; ++i) {
      if constexpr (kAdaptive) {
        const std::uint32_t here = guide[x];
        jump = p2_minus_p1[__usad(here, guide_before, 0U)];
        guide_before = here;
      }
      std::uint32_t next_cost[K];
      state.template Step<true>(cost, p1, jump, ends, [&] {
        MakeCosts<kInside>(x + kDx, codes, next_cost);
        Load(x + 2 * kDx, codes);
      });
#pragma unroll
      for (int j = 0; j < K; ++j) cost[j] = next_cost[j];
      PackedLane<K, T> packed;
      Pack<K>(state.path, packed);
      if (!kSparse || (x + (kDx > 0 ? 1 : 0)) % kCheckpoint == 0) packed.Store(out, lane);
      out += kDx * kPathBytes;
      x += kDx;
    }
  }

  __device__ __forceinline__ void FollowRow(int first, int last) {
    constexpr bool kToRight = kDx > 0;
    state.Reset();
    Follow<false>(kToRight ? 0 : a.width - 1, kToRight ? first : a.width - last);
    Follow<true>(kToRight ? first : last - 1, last - first);
    Follow<false>(kToRight ? last : first - 1, kToRight ? a.width - last : first);
  }
};

template <int K, typename Code, typename T, bool kAdaptive, bool kSparse>
__global__ void __launch_bounds__(kDirections* kWarpSize) HorizontalPathsKernel(const Arguments a) {
  extern __shared__ std::uint64_t shared[];
  __shared__ std::uint32_t p2_minus_p1[kAdaptive ? 256 : 1];
  constexpr int kPadded = 64 * K;
  const int num_codes = (a.width + kPadded + kMargin + 2 * kShift) / kShift * kShift,
            code_stride = num_codes / K;
  Code* const right = reinterpret_cast<Code*>(shared);
  Code* const left = right + num_codes + kMargin;  // width, and a margin
  std::uint8_t* const guide = reinterpret_cast<std::uint8_t*>(left + a.width + kMargin);
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int thread = warp * kWarpSize + lane;
  constexpr int kThreads = kDirections * kWarpSize;
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(a.width);
  for (int i = thread; i < a.width + kPadded - 1; i += kThreads) {
    const int x_right = i - (kPadded - 1) - a.min_disparity;
    right[PlaceOfCode<K>(i + kShift, code_stride)] =
        x_right >= 0 && x_right < a.width
            ? static_cast<const Code*>(a.census_right)[row + static_cast<std::size_t>(x_right)]
            : Code{0};
  }
  for (int x = thread; x < a.width; x += kThreads) {
    left[x] = static_cast<const Code*>(a.census_left)[row + static_cast<std::size_t>(x)];
    if constexpr (kAdaptive) guide[x] = a.guide[row + static_cast<std::size_t>(x)];
  }
  if constexpr (kAdaptive) {
    for (int i = thread; i < 256; i += kThreads) p2_minus_p1[i] = Twice(a.p2_table[i] - a.p1);
  }
  __syncthreads();

  // First and last + 1 left pixel whose right pixels are all inside.
  const int first = min(max(a.min_disparity + a.num_disparities - 1, 0), a.width);
  const int last = max(min(a.width + a.min_disparity, a.width), first);
  const auto follow = [&](auto path) {
    FillPadding<K>(lane, a.num_disparities, kPaddingCost, path.padding);
    path.FollowRow(first, last);
  };
  std::uint8_t* const row_costs =
      a.path_costs + static_cast<std::size_t>(warp) * a.path_bytes + row * (kPadded * sizeof(T));
  const LaneEnds ends(lane);
  const std::uint32_t p1 = Twice(a.p1), jump = Twice(a.p2 - a.p1);
  if (warp == 0) {
    follow(RowPath<K, Code, T, kAdaptive, kSparse, 1>{a, left, right, code_stride, guide, p2_minus_p1,
                                                      row_costs, lane, ends, p1, jump});
  } else {
    follow(RowPath<K, Code, T, kAdaptive, kSparse, -1>{a, left, right, code_stride, guide, p2_minus_p1,
                                                       row_costs, lane, ends, p1, jump});
  }
}

std::size_t SharedBytes(const VolumeLayout& layout, std::size_t code_bytes) {
  const auto width = static_cast<std::size_t>(layout.width);
  return (2 * width + static_cast<std::size_t>(layout.padded()) + 3 * kMargin + 2 * kShift) * code_bytes +
         width;
}

}  // namespace

bool FitsHorizontalPaths(CensusWindow window, const VolumeLayout& layout) {
  return SharedBytes(layout, HasCode32(window) ? 4 : 8) <= kLargestShared_bytes;
}

void HorizontalPaths(const CensusImages& census, CensusWindow window,
                     DeviceImageView<const std::uint8_t> guide, const MatchingTables& tables,
                     const std::uint16_t* p2_table, const VolumeLayout& layout, bool sparse,
                     std::uint8_t* path_costs, cudaStream_t stream) {
  Arguments a{};
  const bool code32 = HasCode32(window);
  a.census_left = code32 ? static_cast<const void*>(census.left32.data) : census.left64.data;
  a.census_right = code32 ? static_cast<const void*>(census.right32.data) : census.right64.data;
  a.guide = guide.data;
  a.p2_table = p2_table;
  a.path_costs = path_costs;
  a.path_bytes = layout.path_bytes();
  a.width = layout.width;
  a.num_disparities = layout.num_disparities;
  a.min_disparity = layout.min_disparity;
  a.p1 = tables.p1;
  a.p2 = tables.p2[0];
  a.outside_cost = tables.outside_cost;
  const std::size_t shared_bytes = SharedBytes(layout, code32 ? 4 : 8);
  const auto launch = [&](auto kernel) {
    if (shared_bytes > 48 * 1024) {
      Check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(shared_bytes)),
            "cudaFuncSetAttribute");
    }
    kernel<<<static_cast<unsigned>(layout.height), dim3(kWarpSize, kDirections), shared_bytes, stream>>>(a);
    CheckLaunch("HorizontalPathsKernel");
  };
  const bool adaptive = IsAdaptive(tables);
  WithLayout(layout, [&](auto k, auto value) {
    using T = decltype(value);
    const auto choose = [&](auto code) {
      using Code = decltype(code);
      if constexpr (sizeof(T) == 1 && k() == 4) {  // what MakesRows is true for
        if (sparse) return launch(HorizontalPathsKernel<k(), Code, T, false, true>);
      }
      adaptive ? launch(HorizontalPathsKernel<k(), Code, T, true, false>)
               : launch(HorizontalPathsKernel<k(), Code, T, false, false>);
    };
    code32 ? choose(std::uint32_t{}) : choose(std::uint64_t{});
  });
}

}  // namespace parallax::cuda
