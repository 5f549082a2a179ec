// selection within a warp's tile, sums of 8-bit values, D padded to 128 or more. A word holds the sums of d
// and d + 2, the next one those of d + 1 and d + 3 (d a multiple of 4: a "group"), each times 64, so adding a
// number below 64 makes a key that one instruction compares for both halves. If matching costs are added,
// sums are larger and the factor is 32.
#pragma once

#include "cuda/sgm/selection_tile.cuh"

namespace parallax::cuda {

template <typename Shape>
struct PackedTile {
  static constexpr int kWords = Shape::kPadded / 2;  // of a pixel
  static constexpr int kPixels = Shape::K == 4 || !Shape::kAllLanes ? 16 : 8;
  // Four words without a sum come first, 12 after each pixel: a multiple of 4 whose quarter is odd, so the
  // 16-byte pieces that the lanes of 8 pixels read are in different banks.
  static constexpr int kFirst = 4, kPitch = kWords + 12;
  std::uint32_t words[kFirst + kPixels * kPitch];
};

// T: std::uint8_t or NoCostByte.
template <typename Shape, typename T, int kVolumes>
struct PackedTileWork : PieceOrder<Shape::kPadded / 16, PackedTile<Shape>::kPixels> {
  using Sums = PackedTile<Shape>;
  using Value = T;
  static constexpr bool kAddsCosts = std::is_same_v<T, NoCostByte>;
  using Pieces = Piece<kVolumes, kAddsCosts>;
  static constexpr int kNumVolumes = kVolumes;
  static constexpr int kPixelBytes = Shape::kPadded;
  static constexpr std::uint32_t kScale = kAddsCosts ? 32 : 64;
  static constexpr std::uint32_t kNone = kNoSum<T> * kScale;
  static constexpr int kGroups = Shape::kPadded / 4;       // of four disparities
  static constexpr int kGroupsOfTile = Sums::kPixels / 4;  // of four pixels

  int num_disparities;
  std::uint32_t* words;  // of a PackedTile
  int lane;

  __device__ __forceinline__ std::uint32_t* Row(int pixel) const {
    return words + Sums::kFirst + pixel * Sums::kPitch;
  }
  // Position of d's sum in the row, in units of 16 bits; also of -1 and of the first d beyond the row.
  static __device__ __forceinline__ int PlaceOf(int d) { return (d & ~3) + (d & 1) * 2 + (d >> 1 & 1); }

  __device__ __forceinline__ void MarkEnds() const {
    constexpr int kBetween = Sums::kPitch - Sums::kWords;
    if (lane < Sums::kFirst) words[lane] = InBothHalves(kNone);
    for (int i = lane; i < Sums::kPixels * kBetween; i += kWarpSize) {
      Row(i / kBetween)[Sums::kWords + i % kBetween] = InBothHalves(kNone);
    }
  }

  // Stores the sums of the piece's values in the tile. count: pixels of the tile inside the row.
  __device__ __forceinline__ void AddUp(const Pieces& piece, int turn, int count) const {
    const int pixel = this->PixelOf(turn, lane), place = this->PieceOf(turn, lane);
    std::uint32_t sums[8];
    const auto add = [&](int i, auto part) {  // word i of each volume: four disparities each. Sums of all
                                              // have carries from byte to byte; after subtracting 256 times
                                              // the odd sums, the even ones remain.
      std::uint32_t all = 0, odd = 0;
      if constexpr (kAddsCosts) {  // one for each path
        all = part(kVolumes) * (2 * kVolumes);
        odd = __byte_perm(part(kVolumes), 0, 0x4341) * (2 * kVolumes);
      }
#pragma unroll
      for (int v = 0; v < kVolumes; ++v) {
        all += part(v);
        odd += __byte_perm(part(v), 0, 0x4341);
      }
      sums[2 * i + 1] = odd * kScale;
      sums[2 * i] = all * kScale - sums[2 * i + 1] * 256U;
    };
    add(0, [&](int v) { return piece.of[v].x; });
    add(1, [&](int v) { return piece.of[v].y; });
    add(2, [&](int v) { return piece.of[v].z; });
    add(3, [&](int v) { return piece.of[v].w; });
    const int valid = pixel < count ? num_disparities - place * 16 : 0;
    if (valid < 16) {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const int d = i / 2 * 4 + i % 2;
        if (d >= valid) sums[i] = (sums[i] & 0xFFFF0000U) | kNone;
        if (d + 2 >= valid) sums[i] = (sums[i] & 0xFFFFU) | kNone << 16;
      }
    }
    uint4* const to = reinterpret_cast<uint4*>(Row(pixel) + place * 8);
    to[0] = make_uint4(sums[0], sums[1], sums[2], sums[3]);
    to[1] = make_uint4(sums[4], sums[5], sums[6], sums[7]);
  }

  // Calls join(x - d, key) for the tile's right pixels, x counted from the tile's first; key: sum << 16 |
  // x_begin + x.
  template <typename Join>
  __device__ __forceinline__ void FollowDiagonals(int x_begin, const Join& join) const {
    static_assert(Sums::kPixels <= static_cast<int>(kScale));
    const auto join_half = [&](int right, std::uint32_t least) {  // least: sum * kScale + x
      constexpr std::uint32_t kFactor = 65536 / kScale;
      join(right, least * kFactor + static_cast<std::uint32_t>(x_begin) - least % kScale * (kFactor - 1U));
    };
    // In group q, the pixels x = 4 g + b hold sums of the right pixels 4 m + b - {0, 2} and 4 m + b - 1 - {0, 2}, m
    // = g - q. A lane's q moves with g, so its m stays; words with the same b or b - 1 belong to the same
    // right pixels. Groups beyond the row's end hold no sums.
    const auto* const groups = reinterpret_cast<const uint2*>(Row(0));
    constexpr int kPitch = Sums::kPitch / 2;
#pragma unroll
    for (int chunk = 0; chunk * kWarpSize < kGroups; ++chunk) {
      std::uint32_t least[5];  // of b = -1 .. 3
#pragma unroll
      for (int i = 0; i < 5; ++i) least[i] = 0xFFFFFFFFU;
      const int first = chunk * kWarpSize + lane;
      if ((chunk + 1) * kWarpSize > kGroups && first >= kGroups) break;
#pragma unroll
      for (int x = 0; x < Sums::kPixels; ++x) {
        const uint2 group = groups[x * kPitch + first + x / 4];
        const std::uint32_t number = static_cast<std::uint32_t>(x) * 0x10001U;
        least[x % 4 + 1] = __viaddmin_u16x2(group.x, number, least[x % 4 + 1]);
        least[x % 4] = __viaddmin_u16x2(group.y, number, least[x % 4]);
      }
      const int right = -4 * first;
      join_half(right - 3, least[0] >> 16);
      join_half(right - 2, least[1] >> 16);
      join_half(right - 1, min(least[0] & 0xFFFFU, least[2] >> 16));
      join_half(right, min(least[1] & 0xFFFFU, least[3] >> 16));
      join_half(right + 1, min(least[2] & 0xFFFFU, least[4] >> 16));
      join_half(right + 2, least[3] & 0xFFFFU);
      join_half(right + 3, least[4] & 0xFFFFU);
    }
    // The rest, which no lane has met: m = 1, 2, .. Eight lanes for each m, each with its own b and word.
    const int m = lane / 8 + 1, b = lane / 2 % 4, word = lane % 2;
    if (m < kGroupsOfTile) {
      std::uint32_t least = 0xFFFFFFFFU;
#pragma unroll
      for (int g = 1; g < kGroupsOfTile; ++g) {
        if (g < m) continue;
        const int x = 4 * g + b;
        least =
            __viaddmin_u16x2(Row(x)[2 * (g - m) + word], InBothHalves(static_cast<std::uint32_t>(x)), least);
      }
      const int right = 4 * m + b - word;
      join_half(right, least & 0xFFFFU);
      join_half(right - 2, least >> 16);
    }
  }

  // The winner of pixel lane % kPixels, which it removes. The lanes of a pixel share its disparities.
  __device__ __forceinline__ Winner FindWinner() const {
    constexpr int kWords = Sums::kWords / (kWarpSize / Sums::kPixels);  // of a lane
    // Words whose number is below the scale.
    constexpr int kNumbers = static_cast<int>(kScale);
    constexpr int kRun = kWords <= kNumbers ? kWords : kWords % kNumbers == 0 ? kNumbers : kWords / 2;
    static_assert(kRun <= kNumbers && kWords % kRun == 0 && kRun % 4 == 0);
    const auto least_of_pixel = [](std::uint32_t value) {
#pragma unroll
      for (int i = Sums::kPixels; i < kWarpSize; i *= 2)
        value = min(value, __shfl_xor_sync(kFullWarp, value, i));
      return value;
    };
    std::uint32_t* const row = Row(lane % Sums::kPixels);
    const int first = lane / Sums::kPixels * kWords;
    const uint4* const part = reinterpret_cast<const uint4*>(row + first);
    std::uint32_t key = kNoKey;  // sum << 16 | d
#pragma unroll 1
    for (int begin = 0; begin < kWords; begin += kRun) {
      std::uint32_t least = 0xFFFFFFFFU;  // in each half sum * kScale + number of the word
#pragma unroll
      for (int i = 0; i < kRun; i += 4) {
        const uint4 four = part[(begin + i) / 4];
        const auto number = static_cast<std::uint32_t>(i) * 0x10001U;
        least = __viaddmin_u16x2(four.x, number, least);
        least = __viaddmin_u16x2(four.y, number + 0x10001U, least);
        least = __viaddmin_u16x2(four.z, number + 0x20002U, least);
        least = __viaddmin_u16x2(four.w, number + 0x30003U, least);
      }
      const auto key_of = [&](std::uint32_t half, std::uint32_t d_of_half) {
        const std::uint32_t number = half % kScale;
        return (half / kScale << 16) + 2U * static_cast<std::uint32_t>(first + begin) + d_of_half +
               2U * number - (number & 1U);
      };
      key = min(key, min(key_of(least & 0xFFFFU, 0), key_of(least >> 16, 2)));
    }
    key = least_of_pixel(key);
    Winner w{};
    w.best = key >> 16;
    w.d = key & 0xFFFFU;
    __syncwarp();
    if (lane < Sums::kPixels && w.best < kNoSum<T>) {
      auto* const sums = reinterpret_cast<std::uint16_t*>(row);
      const int d = static_cast<int>(w.d), before = PlaceOf(d - 1), after = PlaceOf(d + 1);
      w.before = sums[before] / kScale;
      w.after = sums[after] / kScale;
      sums[before] = sums[PlaceOf(d)] = sums[after] = kNone;
    }
    __syncwarp();
    std::uint32_t least = 0xFFFFFFFFU;
#pragma unroll
    for (int i = 0; i < kWords / 4; ++i) {
      const uint4 four = part[i];
      least = __vimin3_u16x2(__vimin3_u16x2(least, four.x, four.y), four.z, four.w);
    }
    w.rival = least_of_pixel(min(least & 0xFFFFU, least >> 16)) / kScale;
    return w;
  }
};

}  // namespace parallax::cuda
