// Rows of a sweep, one pixel of each in turn. Included once per instruction set.
#if defined(PARALLAX_CPU_SWEEP_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARALLAX_CPU_SWEEP_ROWS_INL_H_
#undef PARALLAX_CPU_SWEEP_ROWS_INL_H_
#else
#define PARALLAX_CPU_SWEEP_ROWS_INL_H_
#endif

#include <hwy/cache_control.h>

#include <algorithm>
#include <type_traits>

#include "pipeline/cpu/sgm/sweep_steps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {

// What is known about the pixels of a part.
enum class Pixels {
  kAny,
  kPlain,   // every lane has a disparity, the first sweep keeps its sums, and P2 is constant with kBasic or
            // below 256 with kAll (SweepTerms)
  kInside,  // plain, and every partner is inside the right image
};

// Compile-time properties of a sweep. kStripes8: vectors of bytes for a pixel. kPlanes: planes of the census
// codes. 0 = known only at run time.
template <PathCosts kCosts_, SweepTerms kTerms_, int kStripes8_, int kPlanes_, int kPaths_, bool kLast_,
          Pixels kPixels_>
struct SweepKind {
  static constexpr SweepTerms kTerms = kTerms_;
  static constexpr bool kAllTerms = kTerms == SweepTerms::kAll;
  static constexpr PathCosts kCosts = kCosts_;
  static constexpr int kStripes8 = kStripes8_, kPlanes = kPlanes_, kPaths = kPaths_;
  static constexpr bool kLast = kLast_, kPlain = kPixels_ != Pixels::kAny;
  static constexpr bool kInside = kPixels_ == Pixels::kInside;
  // The first sweep is the mirrored one.
  static constexpr int kStepX = kLast ? 1 : -1;
  static constexpr bool kMakesCosts = !kLast || !kKeepsCosts<kCosts, kPaths>;
};

// True if the matching costs of some pixels of a row are made ahead of their paths, in a function of their
// own: its sums then have all registers, and two pixels share what they load. SSE4 is slower with it.
template <class Kind>
inline constexpr bool kMakesCostsAhead =
    HWY_TARGET == HWY_AVX2&& Kind::kMakesCosts&& Kind::kPlain&& Kind::kPlanes > 0;
inline constexpr int kPixelsAhead = 8;

#if HWY_TARGET == HWY_AVX2
// The costs of count pixels from (x, y) to the right, kStripes vectors each.
template <int kStripes, int kPlanes, SweepTerms kTerms>
HWY_NOINLINE void MakeCostsOfRow(const SweepView& s, int x, int y, int count, std::uint8_t* HWY_RESTRICT to) {
  const Tag8 d;
  const int lanes = static_cast<int>(simd::Lanes(d));
  const std::uint8_t *left = s.left + y * s.left_stride + x * s.num_planes,
                     *right = s.right + y * s.right_stride;
  const std::int32_t* start = s.right_start + x + kStripes * lanes - 1;
  const std::uint16_t* weights =
      s.weights == nullptr ? nullptr : s.weights + y / kWeightTile_px * s.weights_stride;
  const bool inside = PartnersInside(s, x, x + count);
  for (const int end = x + count; x < end;) {
    V8 cost[2][kStripes];
    HammingDistancesOfTwo<kStripes, kPlanes>(s, left, right, start, cost);
    for (int i = 0; i < 2 && x < end; ++i, ++x, ++start, left += s.num_planes, to += kStripes * lanes) {
      if constexpr (kTerms == SweepTerms::kAll) {
        AddGradientTerm<kStripes>(s, left + kPlanes, right + kPlanes * s.phase_length, start,
                                  simd::LoadDup128(d, s.gradient_cost), cost[i]);
      }
      if (!inside) ReplaceOutside<kStripes>(s, start, cost[i]);
      const std::uint16_t weight = weights == nullptr ? kWholeWeight : weights[x / kWeightTile_px];
      if (weight != kWholeWeight) WeighCosts<kStripes>(s, weight, cost[i]);
      for (int k = 0; k < kStripes; ++k) simd::Store(cost[i][k], d, to + k * lanes);
    }
  }
}
#endif

// The position of a sweep in kRows rows, each kBehind pixels behind the one above, and their horizontal
// paths. The rows' slots are at fixed distances from each other.
template <class Kind, int kRows, int kBehind>
class RowsInTurn {
  static constexpr PathCosts kCosts = Kind::kCosts;
  static constexpr int kStripes8 = Kind::kStripes8, kPaths = Kind::kPaths;
  using D = std::conditional_t<kCosts == PathCosts::kWide16, Tag16, Tag8>;
  using T = simd::TFromD<D>;
  using V = simd::Vec<D>;
  static constexpr int kStripes = kStripes8 * static_cast<int>(sizeof(T));
  static constexpr int kMax = kMaxStripes<kStripes8, T>;
  static constexpr int kSweepPaths = kPaths / 2;
  static constexpr bool kP2Bytes = Kind::kAllTerms && Kind::kPlain;
  static constexpr bool kPlainSums =
      Kind::kPlain && (kCosts == PathCosts::kPairs8 || Kind::kAllTerms);  // see Step
  // With two vectors of disparities for each pixel, the right image's codes for one are the codes for the
  // other at the next pixel. They stay in registers until then if there are enough of those.
  static constexpr bool kKeepCodes =
      HWY_MAX_BYTES == 64 && Kind::kMakesCosts && kStripes8 == 2 && Kind::kPlanes > 0 && Kind::kPlanes <= 4;
  static constexpr int kKept = Kind::kLast ? 0 : 1;  // the vector that will be needed again
  // Matching costs are computed one pixel ahead, during the search for the minima of the path costs: its
  // chain of operations is too long for out-of-order execution to look past it.
  static constexpr bool kCostsAhead =
      HWY_MAX_BYTES == 64 && Kind::kPlain && kPaths == 4 && kCosts != PathCosts::kWide16;

 public:
  // parts: one for each row; row 0 begins at u. p2: kMostTileColumns entries for each part; used only with
  // all terms and plain pixels. The others are used only if the kind makes costs ahead. view: what s is a
  // copy of. end: where row 0 ends. costs: room for kPixelsAhead pixels of each row.
  HWY_INLINE RowsInTurn(const SweepView& s, const SweepPart* HWY_RESTRICT parts,
                        const PathP2Bytes* HWY_RESTRICT p2, int u, [[maybe_unused]] const SweepView& view,
                        [[maybe_unused]] int end, [[maybe_unused]] std::uint8_t* HWY_RESTRICT costs)
      : view_(&view),
        costs_(costs),
        pixels_left_(end - u),
        stripes8_(NumStripes<kStripes8>(s.striping.stripes)),
        v_(parts[0].v),
        u_(u) {
    y_ = Kind::kLast ? v_ : s.height - 1 - v_;
    x_ = Kind::kLast ? u : s.width - 1 - u;
    start_ = s.right_start + x_ + Padded() - 1;
    const auto slot = [&](std::uint8_t* slots, int i) {
      return reinterpret_cast<T*>(slots + i * s.slot_bytes);
    };
    vertical_ = slot(s.vertical, u);
    diagonal_ = slot(s.diagonal, u - v_ + s.height - 1);
    antidiagonal_ = slot(s.antidiagonal, u + v_);
    horizontal_ = slot(s.horizontal, v_);
    const D d;
    for (int i = 0; i < kRows; ++i) {
      const int x = x_ - i * kBehind * Kind::kStepX, y = y_ + i * Kind::kStepX;
      weights_[i] = s.weights == nullptr ? nullptr : s.weights + y / kWeightTile_px * s.weights_stride;
      left_[i] = s.left + y * s.left_stride + x * s.num_planes;
      right_[i] = s.right + y * s.right_stride;
      volume_[i] = nullptr;
      if (s.volume != nullptr)
        volume_[i] = s.volume + (y - s.volume_top) * s.volume_row_bytes + x * VolumePixelBytes();
      ahead_bytes_[i] = parts[i].ahead_bytes;
      if constexpr (kP2Bytes) {
        const int behind = u - i * kBehind;
        p2_[i] = p2 + i * kMostTileColumns +
                 (Kind::kLast ? behind - parts[i].u_begin : parts[i].u_end - 1 - behind);
      }
      sums_[i] = Kind::kLast ? parts[i].sums + (u - i * kBehind - parts[i].u_begin) * Padded() : nullptr;
      for (int k = 0; k < Stripes(); ++k) {
        across_[i][k] = u - i * kBehind == 0 ? simd::Zero(d) : simd::Load(d, Across(i) + k * Lanes());
      }
      lowest_across_[i] =
          u - i * kBehind == 0 ? simd::Zero(d) : simd::Load(d, Across(i) + Stripes() * Lanes());
      if constexpr (kKeepCodes) {
        const std::int32_t* start = start_ - i * kBehind * Kind::kStepX;
        codes_[i].Load(right_[i] + start[kKept - 1], s.phase_length);
      }
    }
    (void)p2;
    if constexpr (kCostsAhead) {
      MakeCosts<0>(s, start_, next_cost_[0]);
      if constexpr (kRows > 1) MakeCosts<1>(s, StartOf<1>(), next_cost_[1]);
    }
  }

  // Moves to the next pixel of each row.
  HWY_INLINE void Step(const SweepView& s, const Penalties<V>& penalties) {
    static_assert(kRows <= 2);
    if constexpr (kMakesCostsAhead<Kind>) {
      if (num_ahead_ == 0) MakeCostsAhead();
      --num_ahead_;
    }
    Pixel<0>(s, penalties);
    if constexpr (kRows > 1) Pixel<1>(s, penalties);
    if constexpr (!Kind::kPlain) ++u_;
    x_ += Kind::kStepX;
    start_ += Kind::kStepX;
    vertical_ += SlotLanes();
    diagonal_ += SlotLanes();
    antidiagonal_ += SlotLanes();
  }

  // Keeps the horizontal paths for the next part of the rows.
  HWY_INLINE void Leave() const {
    for (int i = 0; i < kRows; ++i) {
      for (int k = 0; k < Stripes(); ++k) simd::Store(across_[i][k], D(), Across(i) + k * Lanes());
      simd::Store(lowest_across_[i], D(), Across(i) + Stripes() * Lanes());
    }
  }

 private:
  HWY_INLINE int Stripes() const {
    return kStripes8 > 0 ? kStripes : stripes8_ * static_cast<int>(sizeof(T));
  }
  static HWY_INLINE int Lanes() { return static_cast<int>(simd::Lanes(D())); }
  HWY_INLINE int Padded() const { return stripes8_ * static_cast<int>(simd::Lanes(Tag8())); }
  HWY_INLINE int VolumePixelBytes() const {
    return Padded() * VolumeCellBytes(kCosts, kPaths, kCostsAreExpensive);
  }
  HWY_INLINE int SlotLanes() const { return (Stripes() + 1) * Lanes(); }
  HWY_INLINE T* Across(int i) const { return horizontal_ + i * SlotLanes(); }

  // The entry of SweepView::right_start for row kRow's pixel: it tells where the right pixels begin that this
  // pixel is compared with (its partners).
  template <int kRow>
  HWY_INLINE const std::int32_t* StartOf() const {
    return start_ - kRow * kBehind * Kind::kStepX;
  }

  // Computes the matching costs of row kRow's pixel, whose partners begin at start. The next call must be for
  // the next pixel.
  template <int kRow>
  HWY_INLINE void MakeCosts(const SweepView& s, const std::int32_t* HWY_RESTRICT start,
                            V8* HWY_RESTRICT cost) {
    if constexpr (kKeepCodes) {
      cost[1 - kKept] = HammingDistance(codes_[kRow], left_[kRow]);
      codes_[kRow].Load(right_[kRow] + start[-kKept], s.phase_length);
      cost[kKept] = HammingDistance(codes_[kRow], left_[kRow]);
    } else {
      HammingDistances<kStripes8, Kind::kPlanes>(s, left_[kRow], right_[kRow], start, cost);
    }
    if constexpr (Kind::kAllTerms) {
      const int codes = Kind::kPlanes > 0 ? Kind::kPlanes : s.num_code_planes;
      AddGradientTerm<kStripes8>(s, left_[kRow] + codes, right_[kRow] + codes * s.phase_length, start,
                                 simd::LoadDup128(Tag8(), s.gradient_cost), cost);
    }
    left_[kRow] += Kind::kStepX * (!Kind::kAllTerms && Kind::kPlanes > 0 ? Kind::kPlanes : s.num_planes);
    const int x = x_ - kRow * kBehind * Kind::kStepX;
    if (!Kind::kInside && (Kind::kPlain || !PartnersInside(s, x, x + 1)))
      ReplaceOutside<kStripes8>(s, start, cost);
    if constexpr (!Kind::kPlain) ReplacePad<kStripes8>(s, cost);
  }

  // Makes the costs of the next pixels of all rows.
  HWY_INLINE void MakeCostsAhead() {
    if constexpr (kMakesCostsAhead<Kind>) {
      num_ahead_ = std::min(pixels_left_, kPixelsAhead);
      pixels_left_ -= num_ahead_;
      const int to_leftmost = Kind::kStepX > 0 ? 0 : num_ahead_ - 1;
      for (int i = 0; i < kRows; ++i) {
        std::uint8_t* to = costs_ + i * kPixelsAhead * Padded();
        MakeCostsOfRow<kStripes8, Kind::kPlanes, Kind::kTerms>(
            *view_, x_ - i * kBehind * Kind::kStepX - to_leftmost, y_ + i * Kind::kStepX, num_ahead_, to);
        ahead_[i] = to + to_leftmost * Padded();
      }
    }
  }

  // Weighs the costs of row kRow's pixel.
  template <int kRow>
  HWY_INLINE void WeighCosts(const SweepView& s, V8* HWY_RESTRICT cost) const {
    if (s.weights == nullptr) return;
    const std::uint16_t weight = weights_[kRow][(x_ - kRow * kBehind * Kind::kStepX) / kWeightTile_px];
    if (weight == kWholeWeight) return;
    ::parallax::cpu::HWY_NAMESPACE::WeighCosts<kStripes8>(s, weight, cost);
    if constexpr (!Kind::kPlain) ReplacePad<kStripes8>(s, cost);
  }

  // Moves to the next pixel of row kRow.
  template <int kRow>
  HWY_INLINE void Pixel(const SweepView& s, const Penalties<V>& penalties) {
    const D d;
    const int stripes = Stripes();
    V cost[kMax];
    if constexpr (kCosts == PathCosts::kWide16) {
      V8 cost8[kMaxStripes<kStripes8, std::uint8_t>];
      MakeCosts<kRow>(s, StartOf<kRow>(), cost8);
      WeighCosts<kRow>(s, cost8);
      WidenCosts<kStripes8>(s, cost8, cost);
    } else if constexpr (!Kind::kMakesCosts) {
      LoadCosts<kStripes8, kPaths>(s, volume_[kRow], cost);
      if constexpr (!Kind::kPlain) ReplacePad<kStripes8>(s, cost);
    } else if constexpr (kMakesCostsAhead<Kind>) {
      for (int k = 0; k < stripes; ++k) cost[k] = simd::Load(d, ahead_[kRow] + k * Lanes());
      ahead_[kRow] += Kind::kStepX * Padded();
    } else if constexpr (kCostsAhead) {
      for (int k = 0; k < stripes; ++k) cost[k] = next_cost_[kRow][k];
      WeighCosts<kRow>(s, cost);
    } else {
      MakeCosts<kRow>(s, StartOf<kRow>(), cost);
      WeighCosts<kRow>(s, cost);
    }
    const V p1 = penalties.p1, largest_p2 = penalties.largest_p2;
    V p2[4] = {largest_p2, largest_p2, largest_p2, largest_p2};
    if constexpr (kP2Bytes) {
      const PathP2Bytes adapted = *p2_[kRow];
      p2_[kRow] += Kind::kStepX;
      p2[0] = simd::Set(d, adapted.horizontal);
      p2[1] = simd::Set(d, adapted.vertical);
      p2[2] = simd::Set(d, adapted.diagonal);
      p2[3] = simd::Set(d, adapted.antidiagonal);
    } else if (!Kind::kPlain && s.p2 != nullptr) {
      const PathP2 adapted =
          AdaptP2<Kind::kTerms>(s, Kind::kStepX, u_ - kRow * kBehind, v_ + kRow,
                                x_ - kRow * kBehind * Kind::kStepX, y_ + kRow * Kind::kStepX);
      p2[0] = simd::Set(d, static_cast<T>(adapted.horizontal));
      p2[1] = simd::Set(d, static_cast<T>(adapted.vertical));
      p2[2] = simd::Set(d, static_cast<T>(adapted.diagonal));
      p2[3] = simd::Set(d, static_cast<T>(adapted.antidiagonal));
    }

    T* vertical = vertical_ - kRow * kBehind * SlotLanes();
    T* diagonal = diagonal_ - kRow * (kBehind + 1) * SlotLanes();
    T* antidiagonal = antidiagonal_ - kRow * (kBehind - 1) * SlotLanes();
    PathSums<kCosts, kStripes8> own;
    V across[kMax], mins[kSweepPaths], lowest[kSweepPaths];
    mins[0] = Follow<0, false>(across_[kRow], lowest_across_[kRow], cost, p1, p1, p2[0], own,
                               [&](int k, V path) HWY_ATTR { across[k] = path; });
    if constexpr (Kind::kAllTerms) {
      mins[1] =
          FollowSlot<1, true>(vertical, cost, penalties.column_p1_up, penalties.column_p1_down, p2[1], own);
    } else {
      mins[1] = FollowSlot<1, false>(vertical, cost, p1, p1, p2[1], own);
    }
    if constexpr (kPaths == 8) {
      mins[2] = FollowSlot<2, false>(diagonal, cost, p1, p1, p2[2], own);
      mins[3] = FollowSlot<3, false>(antidiagonal, cost, p1, p1, p2[3], own);
    }
    if constexpr (kCostsAhead) MakeCosts<kRow>(s, StartOf<kRow>() + Kind::kStepX, next_cost_[kRow]);
    const auto take_sums = [&]() HWY_ATTR {
      if constexpr (Kind::kLast) {
        // Parts of rows are too far apart for the hardware prefetcher.
        const std::uint8_t* ahead = volume_[kRow] + ahead_bytes_[kRow];
        for (int i = 0; i < VolumePixelBytes(); i += 64) hwy::Prefetch(ahead + i);
        AggregatedCosts<kCosts, kStripes8, kPaths, !Kind::kPlain>(s, own, cost, volume_[kRow], sums_[kRow]);
        sums_[kRow] += Padded();
      } else if (Kind::kPlain || s.volume != nullptr) {
        StoreSums<kCosts, kStripes8, kPaths>(own, stripes8_, cost, volume_[kRow]);
      }
    };
    // The sums of all paths would take registers that the path costs need more.
    constexpr bool kSumsFirst = kPaths == 4 || !Kind::kLast;
    if constexpr (kSumsFirst) take_sums();
    if constexpr (kPaths == 4 && kCosts != PathCosts::kWide16) {
      // With so little other work, the horizontal path's chain of operations determines the time.
      MinOfLanesOfTwo(d, mins, lowest);
    } else {
      MinOfLanesEach<kSweepPaths>(d, mins, lowest);
    }
    for (int k = 0; k < stripes; ++k) across_[kRow][k] = across[k];
    lowest_across_[kRow] = lowest[0];
    simd::Store(lowest[1], d, vertical + stripes * Lanes());
    if constexpr (kPaths == 8) {
      simd::Store(lowest[2], d, diagonal + stripes * Lanes());
      simd::Store(lowest[3], d, antidiagonal + stripes * Lanes());
    }

    if constexpr (!kSumsFirst) take_sums();
    if (Kind::kPlain || s.volume != nullptr) volume_[kRow] += Kind::kStepX * VolumePixelBytes();
  }

  // keep(k, L): called for each vector.
  template <int kPath, bool kSlanted, class Keep>
  HWY_INLINE V Follow(const V* HWY_RESTRICT before, V lowest_before, const V* HWY_RESTRICT cost, V p1_up,
                      V p1_down, V p2, PathSums<kCosts, kStripes8>& own, const Keep& keep) const {
    return ::parallax::cpu::HWY_NAMESPACE::Step<D, kStripes, kPlainSums, kSlanted>(
        D(), Stripes(), before, lowest_before, cost, p1_up, p1_down, p2, [&](int k, V t, V path) HWY_ATTR {
          // The first sweep keeps two of the pairs of L as t: see SweepView::volume.
          own.template Add<kPath>(Stripes(), k, t, !Kind::kLast && kPaths == 8 && kPath >= 2 ? t : path);
          keep(k, path);
        });
  }
  template <int kPath, bool kSlanted>
  HWY_INLINE V FollowSlot(T* HWY_RESTRICT slot, const V* HWY_RESTRICT cost, V p1_up, V p1_down, V p2,
                          PathSums<kCosts, kStripes8>& own) const {
    V before[kMax];
    for (int k = 0; k < Stripes(); ++k) before[k] = simd::Load(D(), slot + k * Lanes());
    return Follow<kPath, kSlanted>(
        before, simd::Load(D(), slot + Stripes() * Lanes()), cost, p1_up, p1_down, p2, own,
        [&](int k, V path) HWY_ATTR { simd::Store(path, D(), slot + k * Lanes()); });
  }

  const SweepView* view_;
  std::uint8_t* costs_;
  int pixels_left_, num_ahead_ = 0;   // without their costs; with them
  const std::uint8_t* ahead_[kRows];  // the costs of each row's next pixel
  int stripes8_;
  int v_, u_, x_, y_;  // of row 0
  const std::int32_t* start_;
  T *vertical_, *diagonal_, *antidiagonal_, *horizontal_;
  const std::uint8_t *left_[kRows], *right_[kRows];
  const std::uint16_t* weights_[kRows];  // of the tiles
  std::uint8_t* volume_[kRows];
  std::uint16_t* sums_[kRows];
  std::ptrdiff_t ahead_bytes_[kRows];
  const PathP2Bytes* p2_[kP2Bytes ? kRows : 1];
  // L of the horizontal paths and its minimum: the next step needs L first, and the minimum takes longest.
  V across_[kRows][kMax], lowest_across_[kRows];
  PartnerCodes<kKeepCodes ? Kind::kPlanes : 1> codes_[kRows];
  V next_cost_[kRows][kCostsAhead ? kMax : 1];
};

// Prefetches the planes of the part that follows, of the same length: a part needs a line or two of each of
// many arrays, which the hardware does not predict.
template <int kStepX>
HWY_INLINE void PrefetchPlanes(const SweepView& s, const SweepPart& part) {
  const int length = part.u_end - part.u_begin;
  if (length <= 0) return;
  const int last = std::min(s.width, part.u_end + length) - 1;
  const int x = kStepX > 0 ? last : s.width - 1 - last, y = kStepX > 0 ? part.v : s.height - 1 - part.v;
  const std::uint8_t* left = s.left + y * s.left_stride + x * s.num_planes;
  for (int i = 0; i < length * s.num_planes; i += 64) hwy::Prefetch(left - kStepX * i);
  // No part advances by more than one cache line; right pixels advance towards the front.
  const std::int32_t* start = s.right_start + x + s.striping.Padded() - 1;
  const std::uint8_t* right = s.right + y * s.right_stride + (kStepX > 0 ? 0 : s.striping.lanes - 1);
  for (int k = 0; k < s.striping.stripes; ++k) {
    for (int p = 0; p < s.num_planes; ++p) hwy::Prefetch(right + start[-k] + p * s.phase_length);
  }
}

}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
