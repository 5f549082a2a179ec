// Turns winners and the costs next to them into disparity, validity and confidence.
#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/sgm/refine.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>

#include "pipeline/cpu/sgm/selection.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// kCostShift: by how many bits costs lie higher.
template <int kCostShift>
void RefineRowOf(const SelectedRow& row, int width, int min_disparity, int num_disparities,
                 const SelectionParameters& parameters, float* HWY_RESTRICT disparity,
                 std::uint8_t* HWY_RESTRICT validity, std::uint8_t* HWY_RESTRICT confidence) {
  const hn::ScalableTag<std::int32_t> d;
  const hn::RebindToFloat<decltype(d)> df;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Rebind<std::uint16_t, decltype(d)> d16;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto load = [&](const std::uint16_t* from)
                        HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(d16, from)); };
  const auto zero = hn::Zero(d);
  const auto nan = hn::Set(df, std::numeric_limits<float>::quiet_NaN());
  for (int x = 0; x < width; x += lanes) {
    const auto rival_or_none = load(row.rival + x);
    const auto unrivalled = hn::Eq(rival_or_none, hn::Set(d, 0xFFFF));
    const auto lowest = hn::ShiftRight<kCostShift>(load(row.lowest + x));
    const auto rival = hn::ShiftRight<kCostShift>(rival_or_none);
    const auto not_unique =
        hn::AndNot(hn::VecFromMask(d, unrivalled),
                   hn::VecFromMask(d, hn::Lt(hn::Mul(rival, hn::Set(d, 100 - parameters.uniqueness_percent)),
                                             hn::Mul(lowest, hn::Set(d, 100)))));

    // floor(255 (rival - lowest) / rival): both fit a float, and the quotient, were it below a whole number,
    // lies more than half a unit in the last place below it (255 * 65535 < 2^24), so that one division gives
    // its floor.
    const auto numerator = hn::ConvertTo(df, hn::Mul(hn::Sub(rival, lowest), hn::Set(d, 255)));
    const auto divisor = hn::ConvertTo(df, hn::Max(rival, hn::Set(d, 1)));  // rival 0: lowest is 0, too
    const auto share = hn::ConvertTo(d, hn::Div(numerator, divisor));
    const auto certainty = hn::IfThenElse(unrivalled, hn::Set(d, 255), share);

    const auto winner = load(row.winner + x);
    const auto sampled = hn::ConvertTo(df, hn::Add(winner, hn::Set(d, min_disparity)));
    auto refined = sampled;
    if (parameters.subpixel != Subpixel::kNone) {
      const auto beside = hn::LoadU(du, row.beside + x);
      const auto before = hn::ShiftRight<kCostShift>(hn::And(beside, hn::Set(du, 0xFFFFU)));
      const auto after = hn::ShiftRight<16 + kCostShift>(beside);
      const auto a = hn::Sub(hn::BitCast(d, before), lowest), b = hn::Sub(hn::BitCast(d, after), lowest);
      const auto sum = parameters.subpixel == Subpixel::kParabola ? hn::Add(a, b) : hn::Max(a, b);
      // Nothing to refine by at the ends of the range, where all are equal, and where the lowest is 0.
      const auto at_end = hn::Or(hn::Eq(winner, zero), hn::Eq(winner, hn::Set(d, num_disparities - 1)));
      const auto flat = hn::RebindMask(df, hn::Or(at_end, hn::Or(hn::Eq(sum, zero), hn::Eq(lowest, zero))));
      const auto offset = hn::Div(hn::ConvertTo(df, hn::Sub(a, b)), hn::ConvertTo(df, hn::Add(sum, sum)));
      refined = hn::IfThenElse(flat, sampled, hn::Add(sampled, offset));
    }
    hn::StoreU(hn::IfThenElse(hn::RebindMask(df, hn::Ne(not_unique, zero)), nan, refined), df, disparity + x);
    hn::StoreU(hn::DemoteTo(d8, hn::And(not_unique, hn::Set(d, static_cast<int>(kNotUnique)))), d8,
               validity + x);
    hn::StoreU(hn::DemoteTo(d8, certainty), d8, confidence + x);
  }
}

void RefineRowOfTarget(const SelectionTables& tables, const SelectedRow& row, int width, int min_disparity,
                       const SelectionParameters& parameters, float* disparity, std::uint8_t* validity,
                       std::uint8_t* confidence) {
  const auto refine = tables.use_keys() ? RefineRowOf<kKeyBits> : RefineRowOf<0>;
  refine(row, width, min_disparity, tables.striping.num_disparities, parameters, disparity, validity,
         confidence);
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(RefineRowOfTarget);
void RefineRow(const SelectionTables& tables, const SelectedRow& row, int width, int min_disparity,
               const SelectionParameters& parameters, float* disparity, std::uint8_t* validity,
               std::uint8_t* confidence) {
  HWY_DYNAMIC_DISPATCH(RefineRowOfTarget)
  (tables, row, width, min_disparity, parameters, disparity, validity, confidence);
}

}  // namespace parallax::cpu
#endif
