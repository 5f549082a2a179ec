#include "pipeline/cpu/filters/run_kernels.h"

#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/filters/run_kernels.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "parallax/disparity_map.h"
#include "pipeline/simd/mask_bits-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using V = hn::Vec<Tag>;

void CompareNeighborsOfTarget(const float* HWY_RESTRICT row, const float* HWY_RESTRICT above, int width,
                              float range, std::uint64_t* HWY_RESTRICT starts,
                              std::uint64_t* HWY_RESTRICT valid, std::uint64_t* HWY_RESTRICT joined) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V largest = hn::Set(d, range);
  const int words = (width + 63) / 64;
  std::fill_n(starts, words, std::uint64_t{0});
  std::fill_n(valid, words, std::uint64_t{0});
  std::fill_n(joined, words, std::uint64_t{0});
  for (int x = 0; x < width; x += lanes) {
    const V here = hn::LoadU(d, row + x);
    PutBits(d, hn::Eq(here, here), x, valid);
    // A NaN fails the comparison.
    if (x > 0) PutBits(d, hn::Le(hn::Abs(hn::Sub(here, hn::LoadU(d, row + x - 1))), largest), x, starts);
    if (above != nullptr)
      PutBits(d, hn::Le(hn::Abs(hn::Sub(here, hn::LoadU(d, above + x))), largest), x, joined);
  }
  // The first vector has no pixel before it to load.
  for (int x = 1; x < std::min(lanes, width); ++x) {
    starts[0] |= std::uint64_t{std::fabs(row[x] - row[x - 1]) <= range} << x;
  }
  std::uint64_t before = 0;
  for (int w = 0; w < words; ++w) {
    const int left = width - w * 64;
    const std::uint64_t inside = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    valid[w] &= inside;
    starts[w] = ~starts[w] & inside & (valid[w] | valid[w] << 1 | before);
    before = valid[w] >> 63;
    joined[w] &= inside;
  }
}

int FindTouchingRunsOfTarget(const RunBits& here, const RunBits& above,
                             const std::uint64_t* HWY_RESTRICT joined, int width,
                             RunPair* HWY_RESTRICT pairs) {
  RunPair* pair = pairs;
  RunPair last = {-1, -1};  // of the words before
  std::uint64_t joined_before = 0;
  for (int w = 0; w * 64 < width; ++w) {
    const std::uint64_t begun = here.starts[w] & here.valid[w],
                        begun_above = above.starts[w] & above.valid[w];
    // Skips a pixel if the previous one is joined too and neither run begins here: it would give the same two
    // runs again.
    std::uint64_t left = joined[w] & (here.starts[w] | above.starts[w] | ~(joined[w] << 1 | joined_before));
    joined_before = joined[w] >> 63;
    for (; left != 0; left &= left - 1) {
      const std::uint64_t so_far = left ^ (left - 1);
      *pair++ = {last.here + static_cast<std::int32_t>(hwy::PopCount(begun & so_far)),
                 last.above + static_cast<std::int32_t>(hwy::PopCount(begun_above & so_far))};
    }
    last.here += static_cast<std::int32_t>(hwy::PopCount(begun));
    last.above += static_cast<std::int32_t>(hwy::PopCount(begun_above));
  }
  return static_cast<int>(pair - pairs);
}

void CopyWithoutOfTarget(const std::uint64_t* HWY_RESTRICT struck, const float* from, int width, float* to,
                         std::uint8_t* HWY_RESTRICT validity) {
  const Tag d;
  const hn::ScalableTag<std::uint8_t> d8;
  const V nan = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
  const auto speckle = hn::Set(d8, static_cast<std::uint8_t>(kSpeckle));
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(d)))
    hn::StoreU(hn::IfThenElse(GetBits(d, x, struck), nan, hn::LoadU(d, from + x)), d, to + x);
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(d8))) {
    const auto flags = hn::LoadU(d8, validity + x);
    hn::StoreU(hn::Or(flags, hn::IfThenElseZero(GetBits(d8, x, struck), speckle)), d8, validity + x);
  }
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(CompareNeighborsOfTarget);
HWY_EXPORT(FindTouchingRunsOfTarget);
HWY_EXPORT(CopyWithoutOfTarget);

void CompareNeighbors(const float* row, const float* above, int width, float range, std::uint64_t* starts,
                      std::uint64_t* valid, std::uint64_t* joined) {
  HWY_DYNAMIC_DISPATCH(CompareNeighborsOfTarget)(row, above, width, range, starts, valid, joined);
}
int FindTouchingRuns(const RunBits& here, const RunBits& above, const std::uint64_t* joined, int width,
                     RunPair* pairs) {
  return HWY_DYNAMIC_DISPATCH(FindTouchingRunsOfTarget)(here, above, joined, width, pairs);
}
void CopyWithout(const std::uint64_t* struck, const float* from, int width, float* to,
                 std::uint8_t* validity) {
  HWY_DYNAMIC_DISPATCH(CopyWithoutOfTarget)(struck, from, width, to, validity);
}

}  // namespace parallax::cpu
#endif
