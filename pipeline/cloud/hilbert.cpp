#include "pipeline/cloud/hilbert.h"

#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cloud/hilbert.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace parallax::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<std::uint32_t, kHilbertBlock>;
using V = hn::Vec<Tag>;

// Bit i of v to bit 3i: each step parts the bits' groups in halves.
HWY_INLINE V SpreadBits(Tag d, V v) {
  v = hn::And(hn::Or(v, hn::ShiftLeft<16>(v)), hn::Set(d, 0x030000FFU));
  v = hn::And(hn::Or(v, hn::ShiftLeft<8>(v)), hn::Set(d, 0x0300F00FU));
  v = hn::And(hn::Or(v, hn::ShiftLeft<4>(v)), hn::Set(d, 0x030C30C3U));
  return hn::And(hn::Or(v, hn::ShiftLeft<2>(v)), hn::Set(d, 0x09249249U));
}

// If coordinate has the bit set, inverts the lower bits of first; otherwise exchanges them with those of
// coordinate.
HWY_INLINE void Undo(Tag d, V bit, V& first, V& coordinate) {
  const V below = hn::Sub(bit, hn::Set(d, 1U));
  const auto has = hn::Ne(hn::And(coordinate, bit), hn::Zero(d));
  const V exchange = hn::IfThenZeroElse(has, hn::And(hn::Xor(first, coordinate), below));
  first = hn::Xor(first, hn::IfThenElse(has, below, exchange));
  coordinate = hn::Xor(coordinate, exchange);
}

void HilbertKeysOfTarget(const std::uint32_t* HWY_RESTRICT x_in, const std::uint32_t* HWY_RESTRICT y_in,
                         const std::uint32_t* HWY_RESTRICT z_in, int count,
                         std::uint32_t* HWY_RESTRICT keys) {
  const Tag d;
  for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(d))) {
    V x = hn::Load(d, x_in + i), y = hn::Load(d, y_in + i), z = hn::Load(d, z_in + i);
    for (std::uint32_t b = 1U << (kHilbertBits - 1); b > 1; b >>= 1) {
      const V bit = hn::Set(d, b);
      const V below = hn::Sub(bit, hn::Set(d, 1U));
      // x with itself: only the inversion is left.
      x = hn::Xor(x, hn::IfThenElseZero(hn::Ne(hn::And(x, bit), hn::Zero(d)), below));
      Undo(d, bit, x, y);
      Undo(d, bit, x, z);
    }
    // Converts the Gray code to the position.
    y = hn::Xor(y, x);
    z = hn::Xor(z, y);
    V all = hn::Zero(d);
    for (std::uint32_t b = 1U << (kHilbertBits - 1); b > 1; b >>= 1) {
      const V bit = hn::Set(d, b);
      const auto has = hn::Ne(hn::And(z, bit), hn::Zero(d));
      all = hn::Xor(all, hn::IfThenElseZero(has, hn::Sub(bit, hn::Set(d, 1U))));
    }
    x = SpreadBits(d, hn::Xor(x, all));
    y = SpreadBits(d, hn::Xor(y, all));
    z = SpreadBits(d, hn::Xor(z, all));
    hn::Store(hn::Or(hn::Or(hn::ShiftLeft<2>(x), hn::ShiftLeft<1>(y)), z), d, keys + i);
  }
}

}  // namespace
}  // namespace parallax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax {

HWY_EXPORT(HilbertKeysOfTarget);

void HilbertKeys(const std::uint32_t* x, const std::uint32_t* y, const std::uint32_t* z, int count,
                 std::uint32_t* keys) {
  HWY_DYNAMIC_DISPATCH(HilbertKeysOfTarget)(x, y, z, count, keys);
}

}  // namespace parallax
#endif
