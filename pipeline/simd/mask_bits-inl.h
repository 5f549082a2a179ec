// Masks of lanes as bits of a row's words. Included once per instruction set.
#if defined(PARALLAX_CPU_MASK_BITS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARALLAX_CPU_MASK_BITS_INL_H_
#undef PARALLAX_CPU_MASK_BITS_INL_H_
#else
#define PARALLAX_CPU_MASK_BITS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {

// The lanes' bits at bit x of words; x is a multiple of the number of lanes. Words start as 0.
template <class D, class M>
HWY_INLINE void PutBits(D d, M mask, int x, std::uint64_t* HWY_RESTRICT words) {
  std::uint8_t bytes[8] = {};
  hwy::HWY_NAMESPACE::StoreMaskBits(d, mask, bytes);
  std::uint64_t bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  words[x / 64] |= bits << (x % 64);
}

// Lanes whose bits are set, at bit x of words.
template <class D>
HWY_INLINE hwy::HWY_NAMESPACE::Mask<D> GetBits(D d, int x, const std::uint64_t* HWY_RESTRICT words) {
  const std::uint64_t bits = words[x / 64] >> (x % 64);
  std::uint8_t bytes[8];
  std::memcpy(bytes, &bits, sizeof(bits));
  return hwy::HWY_NAMESPACE::LoadMaskBits(d, bytes);
}

}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
