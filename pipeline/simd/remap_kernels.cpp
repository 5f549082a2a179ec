#include "pipeline/simd/remap_kernels.h"

#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/simd/remap_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kBits = 7;

// Calls body(tag, x) for whole vectors; returns how many pixels they hold. The rest is left to plain code.
template <class Body>
HWY_INLINE int ForVectors(int width, const Body& body) {
  const hn::ScalableTag<std::int32_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int x = 0;
  for (; x + lanes <= width; x += lanes) body(d, x);
  return x;
}

// Weights and the offset in bytes of the pixel above on the left.
template <class D>
struct Position {
  hn::Vec<D> wx, wy, offset;
  hn::Mask<D> outside;
};

template <class D>
HWY_INLINE Position<D> PositionAt(D d, const std::int32_t* HWY_RESTRICT xs,
                                  const std::int32_t* HWY_RESTRICT ys, int x, int stride_bytes,
                                  int pixel_bytes) {
  const auto px = hn::LoadU(d, xs + x), py = hn::LoadU(d, ys + x);
  const auto outside = hn::Lt(px, hn::Zero(d));
  const auto fraction = hn::Set(d, (1 << kBits) - 1);
  const auto column = hn::IfThenZeroElse(outside, hn::ShiftRight<kBits>(px));
  const auto row = hn::IfThenZeroElse(outside, hn::ShiftRight<kBits>(py));
  return {hn::And(px, fraction), hn::And(py, fraction),
          hn::Add(hn::Mul(row, hn::Set(d, stride_bytes)), hn::Mul(column, hn::Set(d, pixel_bytes))), outside};
}

// Four bytes from each offset.
template <class D>
HWY_INLINE hn::Vec<D> Gather(D d, const void* base, hn::Vec<D> offset) {
  return hn::GatherOffset(d, static_cast<const std::int32_t*>(base), offset);
}

template <class D>
HWY_INLINE hn::Vec<D> Mix(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c, hn::Vec<D> e,
                          const Position<D>& at) {
  // (128 - w) a + w b = 128 a + w (b - a)
  const auto above = hn::Add(hn::ShiftLeft<kBits>(a), hn::Mul(at.wx, hn::Sub(b, a)));
  const auto below = hn::Add(hn::ShiftLeft<kBits>(c), hn::Mul(at.wx, hn::Sub(e, c)));
  const auto sum = hn::Add(hn::ShiftLeft<kBits>(above), hn::Mul(at.wy, hn::Sub(below, above)));
  const auto rounded = hn::ShiftRight<2 * kBits>(hn::Add(sum, hn::Set(d, 1 << (2 * kBits - 1))));
  return hn::IfThenZeroElse(at.outside, rounded);
}

int RemapGray8OfTarget(const std::uint8_t* from, int stride_bytes, int last_offset, const std::int32_t* xs,
                       const std::int32_t* ys, int width, std::uint8_t* to) {
  return ForVectors(width, [&](auto d, int x) HWY_ATTR {
    const hn::RebindToUnsigned<decltype(d)> du;
    const hn::Rebind<std::uint8_t, decltype(d)> d8;
    const auto at = PositionAt(d, xs, ys, x, stride_bytes, 1);
    const auto byte = hn::Set(d, 255);
    // Below, four bytes from the offset may reach beyond the image: then they are taken from further left.
    const auto below = hn::Add(at.offset, hn::Set(d, stride_bytes));
    const auto within = hn::Min(below, hn::Set(d, last_offset));
    const auto shift = hn::BitCast(du, hn::ShiftLeft<3>(hn::Sub(below, within)));
    const auto above_bytes = Gather(d, from, at.offset);
    const auto below_bytes = hn::BitCast(d, hn::Shr(hn::BitCast(du, Gather(d, from, within)), shift));
    const auto value = Mix(d, hn::And(above_bytes, byte), hn::And(hn::ShiftRight<8>(above_bytes), byte),
                           hn::And(below_bytes, byte), hn::And(hn::ShiftRight<8>(below_bytes), byte), at);
    hn::StoreU(hn::DemoteTo(d8, value), d8, to + x);
  });
}

int RemapGray16OfTarget(const std::uint16_t* from, int stride_bytes, const std::int32_t* xs,
                        const std::int32_t* ys, int width, std::uint16_t* to) {
  return ForVectors(width, [&](auto d, int x) HWY_ATTR {
    const hn::RebindToUnsigned<decltype(d)> du;
    const hn::Rebind<std::uint16_t, decltype(d)> d16;
    const auto at = PositionAt(d, xs, ys, x, stride_bytes, 2);
    const auto word = hn::Set(d, 65535);
    const auto above = Gather(d, from, at.offset);
    const auto below = Gather(d, from, hn::Add(at.offset, hn::Set(d, stride_bytes)));
    const auto high = [&](auto v) HWY_ATTR { return hn::BitCast(d, hn::ShiftRight<16>(hn::BitCast(du, v))); };
    const auto value = Mix(d, hn::And(above, word), high(above), hn::And(below, word), high(below), at);
    hn::StoreU(hn::DemoteTo(d16, value), d16, to + x);
  });
}

int RemapRgb8OfTarget(const std::uint8_t* from, int stride_bytes, const std::int32_t* xs,
                      const std::int32_t* ys, int width, std::uint8_t* to) {
  return ForVectors(width, [&](auto d, int x) HWY_ATTR {
    const hn::RebindToUnsigned<decltype(d)> du;
    const hn::Rebind<std::uint8_t, decltype(d)> d8;
    const auto at = PositionAt(d, xs, ys, x, stride_bytes, 3);
    const auto byte = hn::Set(d, 255), two = hn::Set(d, 2);
    const auto below = hn::Add(at.offset, hn::Set(d, stride_bytes));
    // r g b r' and b r' g' b' of two neighbouring pixels.
    const auto a0 = Gather(d, from, at.offset), a1 = Gather(d, from, hn::Add(at.offset, two));
    const auto b0 = Gather(d, from, below), b1 = Gather(d, from, hn::Add(below, two));
    const auto top = [&](auto v) HWY_ATTR { return hn::BitCast(d, hn::ShiftRight<24>(hn::BitCast(du, v))); };
    const auto third = [&](auto v) HWY_ATTR { return hn::And(hn::ShiftRight<16>(v), byte); };
    const auto second = [&](auto v) HWY_ATTR { return hn::And(hn::ShiftRight<8>(v), byte); };
    const auto r = Mix(d, hn::And(a0, byte), top(a0), hn::And(b0, byte), top(b0), at);
    const auto g = Mix(d, second(a0), third(a1), second(b0), third(b1), at);
    const auto b = Mix(d, third(a0), top(a1), third(b0), top(b1), at);
    hn::StoreInterleaved3(hn::DemoteTo(d8, r), hn::DemoteTo(d8, g), hn::DemoteTo(d8, b), d8, to + 3 * x);
  });
}

#if HWY_TARGET == HWY_SCALAR
// No vectors: the caller's plain code makes all blocks.
int RemapGray8BlocksOfTarget(const std::uint8_t*, std::ptrdiff_t, const RemapBlock*, int, std::uint8_t*) {
  return 0;
}
int RemapRgb8BlocksOfTarget(const std::uint8_t*, std::ptrdiff_t, const RemapBlock*, int, std::uint8_t*) {
  return 0;
}
#else
using Bytes16 = hn::Vec<hn::Full128<std::uint8_t>>;
using Bytes8 = hn::Vec<hn::Full64<std::uint8_t>>;

// The pixels that a block is made of, and their weights.
struct BlockWeights {
  explicit HWY_INLINE BlockWeights(const RemapBlock& block) {
    const hn::Full64<std::uint8_t> half;
    const hn::Full128<std::uint16_t> d;
    const hn::Full128<std::int16_t> di;
    const auto place = hn::PromoteTo(d, hn::LoadU(half, block.place.data()));
    // The pixel and its right neighbour. Both indices lie beyond all bytes if bit 7 is set.
    pairs = hn::Add(hn::Or(place, hn::ShiftLeft<8>(place)), hn::Set(d, 256));
    wx = hn::PromoteTo(d, hn::LoadU(half, block.wx.data()));
    const auto wy_and_row = hn::PromoteTo(di, hn::LoadU(half, block.wy.data()));
    wy = hn::And(wy_and_row, hn::Set(di, (1 << kBits) - 1));
    in_second_row = hn::RebindMask(d, hn::Ne(wy, wy_and_row));
  }
  hn::Vec<hn::Full128<std::uint16_t>> pairs, wx;
  hn::Vec<hn::Full128<std::int16_t>> wy;
  hn::Mask<hn::Full128<std::uint16_t>> in_second_row;
};

// rows: 16 values each of the three rows.
HWY_INLINE Bytes8 MixBlock(Bytes16 row0, Bytes16 row1, Bytes16 row2, const BlockWeights& weights) {
  const hn::Full128<std::uint16_t> d;
  const hn::Full128<std::int16_t> di;
  const hn::Full128<std::int32_t> d32;
  const auto pairs_of = [&](Bytes16 row) HWY_ATTR {
    const hn::Full128<std::uint8_t> d8;
    return hn::BitCast(d, hn::TableLookupBytesOr0(row, hn::BitCast(d8, weights.pairs)));
  };
  // (128 - w) a + w b = 128 a + w (b - a), below 2^15
  const auto across = [&](auto pairs) HWY_ATTR {
    const auto a = hn::And(pairs, hn::Set(d, 255)), b = hn::ShiftRight<8>(pairs);
    return hn::Add(hn::ShiftLeft<kBits>(a), hn::Mul(weights.wx, hn::Sub(b, a)));
  };
  const auto pairs0 = pairs_of(row0), pairs1 = pairs_of(row1), pairs2 = pairs_of(row2);
  const auto above = across(hn::IfThenElse(weights.in_second_row, pairs1, pairs0));
  const auto below = across(hn::IfThenElse(weights.in_second_row, pairs2, pairs1));
  // The same downwards in 32 bits, of which the products give lower and upper halves.
  const auto difference = hn::BitCast(di, hn::Sub(below, above));
  const auto product = hn::BitCast(d, hn::Mul(weights.wy, difference));
  const auto product_above = hn::BitCast(d, hn::MulHigh(weights.wy, difference));
  const auto base = hn::ShiftLeft<kBits>(above), base_above = hn::ShiftRight<16 - kBits>(above);
  const auto rounded = [&](auto of_product, auto of_base) HWY_ATTR {
    const auto sum = hn::Add(hn::BitCast(d32, of_product), hn::BitCast(d32, of_base));
    return hn::ShiftRight<2 * kBits>(hn::Add(sum, hn::Set(d32, 1 << (2 * kBits - 1))));
  };
  const auto lower =
      rounded(hn::InterleaveLower(d, product, product_above), hn::InterleaveLower(d, base, base_above));
  const auto upper =
      rounded(hn::InterleaveUpper(d, product, product_above), hn::InterleaveUpper(d, base, base_above));
  const hn::Full64<std::int16_t> half16;
  const hn::Full64<std::uint8_t> half8;
  return hn::DemoteTo(half8, hn::Combine(di, hn::DemoteTo(half16, upper), hn::DemoteTo(half16, lower)));
}

int RemapGray8BlocksOfTarget(const std::uint8_t* from, std::ptrdiff_t stride_bytes,
                             const RemapBlock* HWY_RESTRICT blocks, int num_blocks,
                             std::uint8_t* HWY_RESTRICT to) {
  const hn::Full128<std::uint8_t> d;
  const hn::Full64<std::uint8_t> half;
  for (int i = 0; i < num_blocks; ++i, to += RemapBlock::kPixels) {
    if (blocks[i].column < 0) return i;
    const std::uint8_t* row = from + blocks[i].row * stride_bytes + blocks[i].column;
    hn::StoreU(MixBlock(hn::LoadU(d, row), hn::LoadU(d, row + stride_bytes),
                        hn::LoadU(d, row + 2 * stride_bytes), BlockWeights(blocks[i])),
               half, to);
  }
  return num_blocks;
}

int RemapRgb8BlocksOfTarget(const std::uint8_t* from, std::ptrdiff_t stride_bytes,
                            const RemapBlock* HWY_RESTRICT blocks, int num_blocks,
                            std::uint8_t* HWY_RESTRICT to) {
  const hn::Full128<std::uint8_t> d;
  const hn::Full64<std::uint8_t> half;
  for (int i = 0; i < num_blocks; ++i, to += 3 * RemapBlock::kPixels) {
    if (blocks[i].column < 0) return i;
    const std::uint8_t* row = from + blocks[i].row * stride_bytes + std::ptrdiff_t{3} * blocks[i].column;
    Bytes16 r[3], g[3], b[3];
    for (int k = 0; k < RemapBlock::kRows; ++k)
      hn::LoadInterleaved3(d, row + k * stride_bytes, r[k], g[k], b[k]);
    const BlockWeights weights(blocks[i]);
    hn::StoreInterleaved3(MixBlock(r[0], r[1], r[2], weights), MixBlock(g[0], g[1], g[2], weights),
                          MixBlock(b[0], b[1], b[2], weights), half, to);
  }
  return num_blocks;
}
#endif

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(RemapGray8OfTarget);
HWY_EXPORT(RemapGray16OfTarget);
HWY_EXPORT(RemapRgb8OfTarget);
HWY_EXPORT(RemapGray8BlocksOfTarget);
HWY_EXPORT(RemapRgb8BlocksOfTarget);

int RemapBlocks(HostImageView<const std::uint8_t> from, const RemapBlock* blocks, int num_blocks,
                std::uint8_t* to) {
  return HWY_DYNAMIC_DISPATCH(RemapGray8BlocksOfTarget)(from.data, from.stride_bytes, blocks, num_blocks, to);
}
int RemapBlocks(HostImageView<const Rgb8> from, const RemapBlock* blocks, int num_blocks, Rgb8* to) {
  return HWY_DYNAMIC_DISPATCH(RemapRgb8BlocksOfTarget)(reinterpret_cast<const std::uint8_t*>(from.data),
                                                       from.stride_bytes, blocks, num_blocks,
                                                       reinterpret_cast<std::uint8_t*>(to));
}

bool CanRemapByVectors(std::ptrdiff_t stride_bytes, int height) {
  return stride_bytes > 0 && height >= 2 && stride_bytes < std::numeric_limits<std::int32_t>::max() / height;
}

int RemapRow(HostImageView<const std::uint8_t> from, const std::int32_t* positions_x,
             const std::int32_t* positions_y, int width, std::uint8_t* to) {
  const int stride = static_cast<int>(from.stride_bytes);
  const int last_offset = stride * (from.height - 1) + from.width - 4;  // of the last four bytes
  return HWY_DYNAMIC_DISPATCH(RemapGray8OfTarget)(from.data, stride, last_offset, positions_x, positions_y,
                                                  width, to);
}
int RemapRow(HostImageView<const std::uint16_t> from, const std::int32_t* positions_x,
             const std::int32_t* positions_y, int width, std::uint16_t* to) {
  return HWY_DYNAMIC_DISPATCH(RemapGray16OfTarget)(from.data, static_cast<int>(from.stride_bytes),
                                                   positions_x, positions_y, width, to);
}
int RemapRow(HostImageView<const Rgb8> from, const std::int32_t* positions_x, const std::int32_t* positions_y,
             int width, Rgb8* to) {
  return HWY_DYNAMIC_DISPATCH(RemapRgb8OfTarget)(reinterpret_cast<const std::uint8_t*>(from.data),
                                                 static_cast<int>(from.stride_bytes), positions_x,
                                                 positions_y, width, reinterpret_cast<std::uint8_t*>(to));
}

}  // namespace parallax::cpu
#endif
