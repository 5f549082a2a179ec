#include "pipeline/cloud/emd/emd_kernels.h"

#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cloud/emd/emd_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace parallax::emd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, 16>;
using Ints = hn::RebindToSigned<Floats>;
using VF = hn::Vec<Floats>;
using VI = hn::Vec<Ints>;

HWY_INLINE VF Length(VF dx, VF dy, VF dz) {
  return hn::Sqrt(hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz)));
}

// bounds[box] = a cost that no point of the box undercuts, plus add[box] where there is an add.
void BoundBoxes(const Side& side, const std::int32_t* add, std::int32_t* bounds, int num_boxes, float x,
                float y, float z) {
  const Floats floats;
  const Ints ints;
  const VF px = hn::Set(floats, x), py = hn::Set(floats, y), pz = hn::Set(floats, z);
  const VF zero = hn::Zero(floats), shrink = hn::Set(floats, 1 - 1e-6f);
  const auto outside = [&](VF p, const std::vector<float>& low, const std::vector<float>& high, int box) {
    return hn::Max(zero, hn::Max(hn::Sub(hn::LoadU(floats, low.data() + box), p),
                                 hn::Sub(p, hn::LoadU(floats, high.data() + box))));
  };
  for (int box = 0; box < num_boxes; box += static_cast<int>(hn::Lanes(floats))) {
    const VF distance =
        Length(outside(px, side.low_x, side.high_x, box), outside(py, side.low_y, side.high_y, box),
               outside(pz, side.low_z, side.high_z, box));
    const VI cost = hn::Sub(hn::ConvertTo(ints, hn::Mul(distance, shrink)), hn::Set(ints, 1));
    hn::StoreU(add == nullptr ? cost : hn::Add(cost, hn::LoadU(ints, add + box)), ints, bounds + box);
  }
}

HWY_INLINE VI Costs(const Side& side, int first, VF px, VF py, VF pz) {
  const Floats floats;
  return hn::ConvertTo(Ints(), Length(hn::Sub(hn::LoadU(floats, side.x.data() + first), px),
                                      hn::Sub(hn::LoadU(floats, side.y.data() + first), py),
                                      hn::Sub(hn::LoadU(floats, side.z.data() + first), pz)));
}

Choice BestTwo(const Side& objects, const std::int32_t* price, std::int32_t* box_min_price,
               std::int32_t* bounds, int num_boxes, int hint, float x, float y, float z) {
  const Floats floats;
  const Ints ints;
  const int lanes = static_cast<int>(hn::Lanes(floats));
  const VF px = hn::Set(floats, x), py = hn::Set(floats, y), pz = hn::Set(floats, z);
  Choice choice;
  HWY_ALIGN std::int32_t values[kBoxSize];
  const auto look = [&](int box) {
    VI least_value = hn::Set(ints, kFar), least_price = least_value;
    for (int k = 0; k < kBoxSize; k += lanes) {
      const VI prices = hn::LoadU(ints, price + box * kBoxSize + k);
      const VI value = hn::Add(Costs(objects, box * kBoxSize + k, px, py, pz), prices);
      hn::Store(value, ints, values + k);
      least_value = hn::Min(least_value, value);
      least_price = hn::Min(least_price, prices);
    }
    box_min_price[box] = hn::GetLane(hn::MinOfLanes(ints, least_price));
    if (hn::GetLane(hn::MinOfLanes(ints, least_value)) > choice.second_value) return;
    for (int k = 0; k < kBoxSize; ++k) {
      const std::int32_t value = values[k], object = box * kBoxSize + k;
      if (value < choice.value || (value == choice.value && object < choice.object)) {
        choice.second_value = choice.value;
        choice.value = value;
        choice.object = object;
      } else if (value < choice.second_value) {
        choice.second_value = value;
      }
    }
  };
  look(hint);
  BoundBoxes(objects, box_min_price, bounds, num_boxes, x, y, z);
  bounds[hint] = kFar + 1;
  for (int first = 0; first < num_boxes; first += lanes) {
    const VI bound = hn::LoadU(ints, bounds + first);
    if (hn::AllTrue(ints, hn::Gt(bound, hn::Set(ints, choice.second_value)))) continue;
    for (int box = first; box < first + lanes && box < num_boxes; ++box) {
      if (bounds[box] <= choice.second_value) look(box);
    }
  }
  return choice;
}

int Lower(const Side& persons, std::int32_t* best, std::int32_t* box_max_best, std::int32_t* bounds,
          int num_boxes, float x, float y, float z, std::int32_t label, std::int32_t except,
          std::int32_t* improved) {
  const Floats floats;
  const Ints ints;
  const int lanes = static_cast<int>(hn::Lanes(floats));
  const VF px = hn::Set(floats, x), py = hn::Set(floats, y), pz = hn::Set(floats, z);
  const VI labels = hn::Set(ints, label);
  int count = 0;
  BoundBoxes(persons, nullptr, bounds, num_boxes, x, y, z);
  for (int first = 0; first < num_boxes; first += lanes) {
    const VI most = hn::LoadU(ints, box_max_best + first);
    const VI least = hn::Add(hn::LoadU(ints, bounds + first), labels);
    if (hn::AllFalse(ints, hn::Lt(least, most))) continue;
    for (int box = first; box < first + lanes && box < num_boxes; ++box) {
      if (bounds[box] + label >= box_max_best[box]) continue;
      VI largest = hn::Set(ints, -kFar);
      for (int k = box * kBoxSize; k < (box + 1) * kBoxSize; k += lanes) {
        const VI old = hn::LoadU(ints, best + k);
        const VI value = hn::Add(Costs(persons, k, px, py, pz), labels);
        const auto not_except = hn::Ne(hn::Iota(ints, k), hn::Set(ints, except));
        const auto better = hn::And(hn::Lt(value, old), not_except);
        const VI now = hn::IfThenElse(better, value, old);
        largest = hn::Max(largest, now);
        if (hn::AllFalse(ints, better)) continue;
        hn::StoreU(now, ints, best + k);
        HWY_ALIGN std::int32_t flags[16];
        hn::Store(hn::IfThenElseZero(better, hn::Set(ints, 1)), ints, flags);
        for (int lane = 0; lane < lanes; ++lane) {
          if (flags[lane]) improved[count++] = k + lane;
        }
      }
      box_max_best[box] = hn::GetLane(hn::MaxOfLanes(ints, largest));
    }
  }
  return count;
}

}  // namespace
}  // namespace parallax::emd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::emd {

HWY_EXPORT(BestTwo);
HWY_EXPORT(Lower);

Choice FindBestTwo(const Side& objects, const std::int32_t* price, std::int32_t* box_min_price,
                   std::int32_t* bounds, int num_boxes, int hint, float x, float y, float z) {
  return HWY_DYNAMIC_DISPATCH(BestTwo)(objects, price, box_min_price, bounds, num_boxes, hint, x, y, z);
}

int LowerBest(const Side& persons, std::int32_t* best, std::int32_t* box_max_best, std::int32_t* bounds,
              int num_boxes, float x, float y, float z, std::int32_t label, std::int32_t except,
              std::int32_t* improved) {
  return HWY_DYNAMIC_DISPATCH(Lower)(persons, best, box_max_best, bounds, num_boxes, x, y, z, label, except,
                                     improved);
}

}  // namespace parallax::emd
#endif
