// selection within a warp's tile of neighbouring pixels: the sums of path costs in shared memory, the pixels'
// winners, and the diagonals with the right pixels' sums.
#pragma once

#include "cuda/sgm/lane_costs.cuh"

namespace parallax::cuda {

inline constexpr std::uint32_t kNoKey = 0xFFFFFFFFU;

// The value where there is no disparity. Sums of four 8-bit values are below 1021; with the matching costs
// that these leave out, below 2041, since no path costs more than 255; those of 16-bit ones are below 65535.
template <typename T>
inline constexpr std::uint32_t kNoSum = sizeof(T) == 2                  ? 0xFFFFU
                                        : std::is_same_v<T, NoCostByte> ? 0x7FFU
                                                                        : 0x3FFU;

// The sums of a tile. The distance between the rows of pixels keeps neighbouring rows and neighbouring
// disparities in different banks; before and after each row are 32 places without a sum.
template <typename Shape>
struct Tile {
  static constexpr int K = Shape::K, kPadded = Shape::kPadded;
  static constexpr int kPixels = K == 2 ? 32 : K == 4 ? 16 : 8;
  static constexpr int kPitch = kPadded / 2 + 17, kFirst = 16;  // in words of two sums
  std::uint32_t words[(kPixels + 1) * kPitch];
};

// A pixel's winner.
struct Winner {
  std::uint32_t best, d;        // lowest sum and its index
  std::uint32_t rival;          // lowest sum not adjacent to it, kNoSum or more if there is none
  std::uint32_t before, after;  // the sums at d - 1 and d + 1
};

// One piece of 16 bytes of the volumes' sums of a tile, and of the matching costs if these are added.
template <int kVolumes, bool kAddsCosts = false>
struct Piece {
  uint4 of[kVolumes + (kAddsCosts ? 1 : 0)];
  // to_costs: from the first volume's place to that of the costs.
  __device__ __forceinline__ void Load(const std::uint8_t* from, std::size_t sum_bytes,
                                       std::ptrdiff_t to_costs) {
#pragma unroll
    for (int v = 0; v < kVolumes; ++v) {
      of[v] = __ldcs(reinterpret_cast<const uint4*>(from + static_cast<std::size_t>(v) * sum_bytes));
    }
    if constexpr (kAddsCosts) of[kVolumes] = __ldcs(reinterpret_cast<const uint4*>(from + to_costs));
  }
};

// How the pieces of a tile, kPieces for each pixel, are shared by the lanes of a warp in turns.
template <int kPieces, int kPixels>
struct PieceOrder {
  static constexpr int kTurns = kPieces * kPixels / kWarpSize;
  // Turns take their pieces alternately from two places.
  static_assert(kTurns % 2 == 0 && kPieces * kPixels % kWarpSize == 0);
  static __device__ __forceinline__ int PixelOf(int turn, int lane) {
    return kPieces >= kWarpSize ? turn / (kPieces / kWarpSize) : (turn * kWarpSize + lane) / kPieces;
  }
  static __device__ __forceinline__ int PieceOf(int turn, int lane) {
    if constexpr (kPieces >= kWarpSize) return turn % (kPieces / kWarpSize) * kWarpSize + lane;
    if constexpr (kWarpSize % kPieces == 0) return lane % kPieces;  // the same in every turn
    return (turn * kWarpSize + lane) % kPieces;
  }
};

// Words of two neighbouring disparities: sums of 16-bit values, or D padded to 64. Others:
// cuda/sgm/selection_packed_tile.cuh.
template <typename Shape, typename T, int kVolumes>
struct TileWork : PieceOrder<Shape::kPadded / 16 * static_cast<int>(sizeof(T)), Tile<Shape>::kPixels> {
  using Sums = Tile<Shape>;
  static constexpr bool kAddsCosts = std::is_same_v<T, NoCostByte>;
  using Value = std::conditional_t<kAddsCosts, std::uint16_t, T>;  // of the sums
  using Pieces = Piece<kVolumes, kAddsCosts>;
  static constexpr int kNumVolumes = kVolumes;
  static constexpr int kPixelBytes = Shape::kPadded * static_cast<int>(sizeof(T));
  static constexpr int kPieceWords = 16 / static_cast<int>(sizeof(T)) / 2;

  int num_disparities;
  std::uint32_t* words;  // of a Tile
  int lane;

  __device__ __forceinline__ void MarkEnds() const {
    for (int i = lane; i < (Sums::kPixels + 1) * (Sums::kPitch - Sums::kPadded / 2); i += kWarpSize) {
      constexpr int kBetween = Sums::kPitch - Sums::kPadded / 2;
      // The place after the last sum belongs to the pad of the next row.
      const int row = i / kBetween, place = i % kBetween;
      words[place < Sums::kFirst ? row * Sums::kPitch + place
                                 : row * Sums::kPitch + Sums::kFirst + Sums::kPadded / 2] =
          InBothHalves(kNoSum<Value>);
    }
  }

  // Stores the sums of the piece's values, in the order of d, in the tile. count: pixels of the tile inside
  // the row.
  __device__ __forceinline__ void AddUp(const Pieces& piece, int turn, int count) const {
    const int pixel = this->PixelOf(turn, lane), place = this->PieceOf(turn, lane);
    std::uint32_t sums[kPieceWords];
    const auto add = [&](int i, auto part) {  // word i of each volume
      if constexpr (sizeof(T) == 1) {
        std::uint32_t even = 0, odd = 0;
        if constexpr (kAddsCosts) {  // one for each path
          even = (part(kVolumes) & 0x00FF00FFU) * (2 * kVolumes);
          odd = __byte_perm(part(kVolumes), 0, 0x4341) * (2 * kVolumes);
        }
#pragma unroll
        for (int v = 0; v < kVolumes; ++v) {
          even += part(v) & 0x00FF00FFU;
          odd += __byte_perm(part(v), 0, 0x4341);
        }
        sums[2 * i] = __byte_perm(even, odd, 0x5410);
        sums[2 * i + 1] = __byte_perm(even, odd, 0x7632);
      } else {
        sums[i] = 0;
#pragma unroll
        for (int v = 0; v < kVolumes; ++v) sums[i] += part(v);  // no carry, except from padded places
      }
    };
    add(0, [&](int v) { return piece.of[v].x; });
    add(1, [&](int v) { return piece.of[v].y; });
    add(2, [&](int v) { return piece.of[v].z; });
    add(3, [&](int v) { return piece.of[v].w; });
    const int d = place * 2 * kPieceWords, valid = pixel < count ? num_disparities - d : 0;
    if (valid < 2 * kPieceWords) {
#pragma unroll
      for (int i = 0; i < kPieceWords; ++i) {
        sums[i] = 2 * i + 1 < valid ? sums[i]
                  : 2 * i < valid   ? (sums[i] & 0xFFFFU) | kNoSum<Value> << 16
                                    : InBothHalves(kNoSum<Value>);
      }
    }
    std::uint32_t* const to = words + pixel * Sums::kPitch + Sums::kFirst + place * kPieceWords;
#pragma unroll
    for (int i = 0; i < kPieceWords; ++i) to[i] = sums[i];
  }

  // Calls join(x - d, key) for the tile's right pixels, x counted from the tile's first; key: sum << 16 |
  // x_begin + x.
  template <typename Join>
  __device__ __forceinline__ void FollowDiagonals(int x_begin, const Join& join) const {
    // Number j is the lowest sum << 16 | x of the diagonal x - d = lane - 32 j.
    constexpr int kLast = Shape::kPadded / kWarpSize;
    std::uint32_t keys[kLast + 1];
#pragma unroll
    for (int j = 0; j <= kLast; ++j) keys[j] = kNoKey;
    const auto* const sums = reinterpret_cast<const std::uint16_t*>(words + Sums::kFirst) - lane;
#pragma unroll 8
    for (int x = 0; x < Sums::kPixels; ++x) {
#pragma unroll
      for (int j = 0; j <= kLast; ++j) {
        const std::uint32_t sum = sums[x * (2 * Sums::kPitch + 1) + 32 * j];
        keys[j] = min(keys[j], sum * 65536U + static_cast<std::uint32_t>(x));
      }
    }
#pragma unroll
    for (int j = 0; j <= kLast; ++j) {
      if (keys[j] >> 16 < kNoSum<Value>) join(lane - 32 * j, keys[j] + static_cast<std::uint32_t>(x_begin));
    }
  }

  // The winner of pixel lane % kPixels, which it removes. The lanes of a pixel share its disparities.
  __device__ __forceinline__ Winner FindWinner() const {
    constexpr int kWords = Sums::kPadded / 2 / (kWarpSize / Sums::kPixels);  // of a lane
    const auto least_of_pixel = [](std::uint32_t value) {
#pragma unroll
      for (int i = Sums::kPixels; i < kWarpSize; i *= 2)
        value = min(value, __shfl_xor_sync(kFullWarp, value, i));
      return value;
    };
    // The lanes of one pixel begin at runs of words in different banks.
    constexpr int kRun = Sums::kPixels < kWords ? Sums::kPixels : kWords;
    const int turned = lane / Sums::kPixels, first = turned * kWords;
    std::uint32_t* const row = words + lane % Sums::kPixels * Sums::kPitch + Sums::kFirst;
    const std::uint32_t* const part = row + first;
    std::uint32_t key = kNoKey;  // sum << 16 | d
    if constexpr (sizeof(Value) == 1) {
      constexpr int kCounted = kWords < 64 ? kWords : 64;  // words: 16 bits hold a sum and the word's number
#pragma unroll 1
      for (int begin = 0; begin < kWords; begin += kCounted) {
        std::uint32_t least = 0xFFFFFFFFU;  // in each half sum << 6 | number of the word
#pragma unroll
        for (int n = 0; n < kCounted / kRun; ++n) {
          const int run = (n + turned) % (kCounted / kRun) * kRun;
          std::uint32_t least_of_run = 0xFFFFFFFFU;
#pragma unroll
          for (int i = 0; i < kRun; ++i) {
            least_of_run = __viaddmin_u16x2(part[begin + run + i] * 64U,
                                            static_cast<std::uint32_t>(i) * 0x10001U, least_of_run);
          }
          least = __viaddmin_u16x2(least_of_run, InBothHalves(static_cast<std::uint32_t>(run)), least);
        }
        const std::uint32_t even = least & 0xFFFFU, odd = least >> 16,
                            d = 2U * static_cast<std::uint32_t>(first + begin);
        key = min(key, (even >> 6 << 16) + d + 2U * (even & 63U));
        key = min(key, (odd >> 6 << 16) + d + 2U * (odd & 63U) + 1U);
      }
    } else {
#pragma unroll 8
      for (int i = 0; i < kWords; ++i) {
        const std::uint32_t both = part[i], d = 2U * static_cast<std::uint32_t>(first + i);
        key = min(key, min(both << 16 | d, (both & 0xFFFF0000U) | (d + 1U)));
      }
    }
    key = least_of_pixel(key);
    Winner w{};
    w.best = key >> 16;
    w.d = key & 0xFFFFU;
    __syncwarp();
    if (lane < Sums::kPixels && w.best < kNoSum<Value>) {
      auto* const around = reinterpret_cast<std::uint16_t*>(row) + w.d;
      w.before = around[-1];
      w.after = around[1];
      around[-1] = around[0] = around[1] = kNoSum<Value>;
    }
    __syncwarp();
    std::uint32_t least = 0xFFFFFFFFU;
#pragma unroll
    for (int n = 0; n < kWords / kRun; ++n) {
      const std::uint32_t* const run = part + (n + turned) % (kWords / kRun) * kRun;
#pragma unroll
      for (int i = 0; i < kRun; i += 2) least = __vimin3_u16x2(least, run[i], run[i + 1]);
    }
    w.rival = least_of_pixel(min(least & 0xFFFFU, least >> 16));
    return w;
  }
};

}  // namespace parallax::cuda
