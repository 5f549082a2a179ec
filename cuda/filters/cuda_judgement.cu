// refinement, trees. Three kernels: sums and extremes of windows along rows; the same down the columns and the
// features as ranks, where a warp makes one feature; the verdicts, four pixels per thread.
#include "cuda/filters/cuda_judgement.h"

#include "cuda/device/dependent_launch.cuh"
#include "cuda/device/warp.cuh"
#include "cuda/filters/tree_questions.cuh"
#include "pipeline/trees/driving_trees.h"
#include "pipeline/trees/general_trees.h"
#include "pipeline/trees/pixel_trees.h"

namespace parallax::cuda {
namespace {

constexpr int kRowThreads = 256;                // pixels of a block of the first kernel
constexpr int kSide = 32;                       // of a block's tile of the second one, px
constexpr int kMargin = kLargestFeatureRadius;  // rows of images of windows above and below the image
constexpr int kWarps = 4;                       // of that block
constexpr int kRowsAhead = 8;                   // that a warp loads before it uses the first one
constexpr int kExtremeRows = 16;                // whose extremes it finds at once
constexpr int kJudgeThreads = 128;              // of the last one
constexpr int kNumKeptSums = 3, kNumMeanSums = 2, kNumEdgeSums = 3, kNumExtremes = 6;

// Twice the index, and 1 where the pixel is kept.
constexpr int kOutsideCode = 0x7FFE;  // its index is above all others
constexpr int kNoneKept = 0xFFFF, kNegation = 0x7FFF;
// Sums of kept pixels have their number in the lower bits and their indices above.
constexpr int kNumberBits = 11;
constexpr std::uint32_t kNumberMask = (1U << kNumberBits) - 1;
static_assert((2 * MeanRadius(1) + 1) * (2 * MeanRadius(1) + 1) <= static_cast<int>(kNumberMask));

// One for each TreeSet but kNone; the last kernel is compiled for each of them.
constexpr auto kDrivingQuestions = QuestionsOf<kNumPixelFeatures>(kDrivingTrees.trees),
               kGeneralQuestions = QuestionsOf<kNumPixelFeatures>(kGeneralTrees.trees);
__device__ constexpr Leaves<kNumTrees> kLeaves[] = {LeavesOf(kDrivingTrees.trees),
                                                    LeavesOf(kGeneralTrees.trees)};
__device__ constexpr Ranks<kNumPixelFeatures> kRanks[] = {RanksOf<kNumPixelFeatures>(kDrivingTrees.trees),
                                                          RanksOf<kNumPixelFeatures>(kGeneralTrees.trees)};

struct Arguments {
  DeviceDisparityMap map;
  DeviceImageView<const std::uint8_t> guide;
  JudgementMemory memory;
  std::size_t num_pixels;
  int min_disparity;
  const DisparityPlane* planes;
  int tile, tiles_x, tiles_y;
  int set;  // number of the trees
  // Pixels of a window image, which has kMargin rows more above and below, of no pixels.
  std::size_t window_image;

  __device__ std::size_t PixelAt(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(guide.width) + static_cast<std::size_t>(x);
  }
};

__device__ __forceinline__ int CodeOf(const Arguments& a, int x, int y) {
  if (x < 0 || x >= a.guide.width) return kOutsideCode;
  const float selected = a.memory.selected[a.PixelAt(x, y)];
  const int index = isnan(selected) ? 0 : RoundedIndex(floorf(selected + 0.5F), a.min_disparity);
  return 2 * index + ((a.map.validity(x, y) & kRejected) == 0 ? 1 : 0);
}

// A pixel for the extremes. Kept pixels' indices are kNoneKept at others.
struct Candidate {
  std::uint32_t indices;       // a kept pixel's above any pixel's, 16 bits each
  std::uint32_t negated_kept;  // kNegation minus it
};

__device__ __forceinline__ void GatherRow(const Arguments& a) {
  constexpr int kReach = kLargestFeatureRadius;
  __shared__ std::uint32_t kept[kRowThreads + 2 * kReach];  // index and 1, or 0
  __shared__ Candidate candidates[kRowThreads + 2 * kReach];
  __shared__ std::uint32_t
      edges[kRowThreads + 2 * kEdgeRadius];  // down the column above along the row, 16 bits each
  const int thread = static_cast<int>(threadIdx.x), x_begin = static_cast<int>(blockIdx.x) * kRowThreads;
  const int y = static_cast<int>(blockIdx.y) - kMargin, width = a.guide.width;
  const int x = x_begin + thread;
  const std::size_t pixel = a.PixelAt(x, static_cast<int>(blockIdx.y));
  const auto store = [&](auto* images, int image, auto value) {
    images[static_cast<std::size_t>(image) * a.window_image + pixel] =
        static_cast<std::remove_reference_t<decltype(*images)>>(value);
  };
  if (y < 0 || y >= a.guide.height) {
    if (x >= width) return;
    for (int i = 0; i < kNumKeptSums; ++i) store(a.memory.kept_sums, i, 0);
    for (int i = 0; i < kNumMeanSums; ++i) store(a.memory.mean_sums, i, 0);
    for (int i = 0; i < kNumEdgeSums; ++i) store(a.memory.edge_sums, i, 0);
    for (int i = 0; i < kNumExtremes; ++i) store(a.memory.extremes, i, kNoneKept);
    return;
  }
  for (int i = thread; i < kRowThreads + 2 * kReach; i += kRowThreads) {
    const int code = CodeOf(a, x_begin + i - kReach, y), index = code >> 1;
    const bool is_kept = (code & 1) != 0;
    kept[i] = is_kept ? static_cast<std::uint32_t>(index) << kNumberBits | 1U : 0U;
    candidates[i] = {
        static_cast<std::uint32_t>(is_kept ? index : kNoneKept) << 16 | static_cast<std::uint32_t>(index),
        static_cast<std::uint32_t>(is_kept ? kNegation - index : kNoneKept)};
    if (i >= kReach && i < kReach + kRowThreads && x_begin + i - kReach < width)
      a.memory.codes[a.PixelAt(x_begin + i - kReach, y)] = static_cast<std::uint16_t>(code);
  }
  for (int i = thread; i < kRowThreads + 2 * kEdgeRadius; i += kRowThreads) {
    const int u = x_begin + i - kEdgeRadius;
    edges[i] = 0;
    if (u < 0 || u >= width) continue;
    const int along = abs(a.guide(min(u + 1, width - 1), y) - a.guide(max(u - 1, 0), y)),
              down = abs(a.guide(u, min(y + 1, a.guide.height - 1)) - a.guide(u, max(y - 1, 0)));
    edges[i] = static_cast<std::uint32_t>(down << 16 | along);
  }
  __syncthreads();
  if (x >= width) return;

  std::uint32_t sum = kept[thread + kReach];
#pragma unroll
  for (int k = 1; k <= kReach; ++k) {
    sum += kept[thread + kReach - k] + kept[thread + kReach + k];
    if (k == KeptRadius(0)) store(a.memory.kept_sums, 0, sum & kNumberMask);
    if (k == KeptRadius(2)) store(a.memory.kept_sums, 1, sum & kNumberMask);
    if (k == KeptRadius(3)) store(a.memory.kept_sums, 2, sum & kNumberMask);
    if (k == MeanRadius(0)) store(a.memory.mean_sums, 0, sum);
    if (k == MeanRadius(1)) store(a.memory.mean_sums, 1, sum);
  }
  static_assert(KeptRadius(1) == MeanRadius(0));

  Candidate best = candidates[thread + kReach];
#pragma unroll
  for (int k = 1; k <= WindowRadius(1); ++k) {
    for (const int i : {thread + kReach - k, thread + kReach + k}) {
      const Candidate other = candidates[i];
      best = {__vminu2(best.indices, other.indices), min(best.negated_kept, other.negated_kept)};
    }
    if (k != WindowRadius(0) && k != WindowRadius(1)) continue;
    const int first = k == WindowRadius(0) ? 0 : 3;
    store(a.memory.extremes, first, best.indices & 0xFFFFU);
    store(a.memory.extremes, first + 1, best.indices >> 16);
    store(a.memory.extremes, first + 2, best.negated_kept);
  }

  std::uint32_t edge_sum = edges[thread + kEdgeRadius];
#pragma unroll
  for (int k = 1; k <= kEdgeRadius; ++k) {
    edge_sum += edges[thread + kEdgeRadius - k] + edges[thread + kEdgeRadius + k];
    if (k == kSmallEdgeRadius) store(a.memory.edge_sums, 0, edge_sum & 0xFFFFU);
  }
  store(a.memory.edge_sums, 1, edge_sum & 0xFFFFU);
  store(a.memory.edge_sums, 2, edge_sum >> 16);
}

// Needs nothing of the kernel before, which fits planes and has begun when the map was done: both run at the same
// time, and it waits only at its end.
__global__ void __launch_bounds__(kRowThreads) GatherRowsKernel(const Arguments a) {
  LetNextKernelBegin();
  GatherRow(a);
  EndAfterKernelBefore();
}

using FeatureRanks = Ranks<kNumPixelFeatures>;

// The rows that a warp computes; each thread has one column.
struct ColumnPart {
  const Arguments& a;
  const FeatureRanks& ranks;
  int x, y_begin, y_end;

  // Calls put(y, value) to store the feature of row y.
  __device__ __forceinline__ auto PutOf(PixelFeature first, int i) const {
    const int feature = static_cast<int>(first) + i;
    std::uint8_t* const to = a.memory.ranks +
                             static_cast<std::size_t>(feature) * JudgementMemory::RankStride(a.num_pixels) +
                             static_cast<std::size_t>(x);
    const std::uint8_t* const of_value = ranks.of_value[feature];
    return [=, width = static_cast<unsigned>(a.guide.width)](int y, int value) {
      to[static_cast<unsigned>(y) * width] = of_value[ClampToByte(value)];
    };
  }
  __device__ __forceinline__ int IndexAt(int y) const { return a.memory.codes[a.PixelAt(x, y)] >> 1; }
  // The column from row y on of an image of windows.
  template <typename T>
  __device__ __forceinline__ const T* From(int y, const T* images, int image) const {
    return images + static_cast<std::size_t>(image) * a.window_image + a.PixelAt(x, y + kMargin);
  }
  // Calls take(y, sum) for the rows; sum: of the image within radius of row y.
  template <typename T, typename Take>
  __device__ __forceinline__ void SumDown(const T* images, int image, int radius, const Take& take) const {
    const auto width = static_cast<std::size_t>(a.guide.width);
    const T *leaving = From(y_begin - radius, images, image), *entering = leaving;
    std::uint32_t sum = 0;
#pragma unroll 8
    for (int i = 0; i < 2 * radius; ++i, entering += width) sum += *entering;
    for (int first = y_begin; first < y_end; first += kRowsAhead) {
      std::uint32_t plus[kRowsAhead], minus[kRowsAhead];
#pragma unroll
      for (int i = 0; i < kRowsAhead; ++i, entering += width, leaving += width)
        plus[i] = *entering, minus[i] = *leaving;
#pragma unroll
      for (int i = 0; i < kRowsAhead; ++i) {
        sum += plus[i];
        if (first + i < y_end) take(first + i, sum);
        sum -= minus[i];
      }
    }
  }
};

// Divides by the number of pixels of a window around a pixel of a column. Exact for the features' sums: 255 or
// 1020 times the number, at most.
class ByCount {
 public:
  __device__ ByCount(const Arguments& a, int x, int radius)
      : radius_(radius),
        height_(a.guide.height),
        num_columns_(min(a.guide.width, x + radius + 1) - max(0, x - radius)) {}
  __device__ __forceinline__ int operator()(std::uint32_t sum, int y) {
    const int num_rows = min(height_, y + radius_ + 1) - max(0, y - radius_);
    if (num_rows != num_rows_) {
      num_rows_ = num_rows;
      inverse_ = 0xFFFFFFFFU / static_cast<unsigned>(num_columns_ * num_rows) + 1U;  // 0: of one pixel
    }
    return static_cast<int>(inverse_ == 0 ? sum : __umulhi(sum, inverse_));
  }

 private:
  int radius_, height_, num_columns_, num_rows_ = 0;
  std::uint32_t inverse_ = 0;
};

__device__ __forceinline__ void PutKept(const ColumnPart& part, int image) {
  const int i = image == 0 ? 0 : image + 1, radius = KeptRadius(i);
  ByCount by_count(part.a, part.x, radius);
  const auto put = part.PutOf(PixelFeature::kKept4, i);
  part.SumDown(part.a.memory.kept_sums, image, radius,
               [&](int y, std::uint32_t sum) { put(y, by_count(255U * sum, y)); });
}

// The mean over window i; for the smaller radius also the number of kept pixels.
__device__ __forceinline__ void PutMean(const ColumnPart& part, int i) {
  const Arguments& a = part.a;
  ByCount by_count(a, part.x, MeanRadius(0));
  const auto put = part.PutOf(PixelFeature::kMean8, i), put_kept = part.PutOf(PixelFeature::kKept8, 0);
  part.SumDown(a.memory.mean_sums, i, MeanRadius(i), [&](int y, std::uint32_t sum) {
    const std::uint32_t number = sum & kNumberMask;
    put(y, MeanFeature(static_cast<int>(sum >> kNumberBits), static_cast<int>(number), part.IndexAt(y)));
    if (i == 0) put_kept(y, by_count(255U * number, y));
  });
}

__device__ __forceinline__ void PutEdges(const ColumnPart& part, int image) {
  const int radius = image == 0 ? kSmallEdgeRadius : kEdgeRadius;
  ByCount by_count(part.a, part.x, radius);
  const auto put = part.PutOf(PixelFeature::kColumnEdges3, image);
  part.SumDown(part.a.memory.edge_sums, image, radius,
               [&](int y, std::uint32_t sum) { put(y, by_count(4U * sum, y)); });
}

// The extremes over window number i.
template <int kRadius>
__device__ __forceinline__ void PutExtremes(const ColumnPart& part, int i) {
  constexpr int kRows = kExtremeRows + 2 * kRadius, kLength = 2 * kRadius + 1;
  constexpr int kPower = kLength >= 16 ? 16 : 8;  // more than half the window
  static_assert(kPower < kLength && kLength <= 2 * kPower);
  const Arguments& a = part.a;
#pragma unroll 1  // fewer registers
  for (int kind = 0; kind < 3; ++kind) {
    const auto put = kind == 0 ? part.PutOf(PixelFeature::kLowest5, i)
                               : part.PutOf(PixelFeature::kKeptLowest5, 2 * i + kind - 1);
#pragma unroll 1
    for (int first = part.y_begin; first < part.y_end; first += kExtremeRows) {
      int values[kRows];  // lowest of single rows, then of twice as many rows in each round
      const std::uint16_t* from = part.From(first - kRadius, a.memory.extremes, 3 * i + kind);
#pragma unroll
      for (int k = 0; k < kRows; ++k, from += a.guide.width) values[k] = *from;
#pragma unroll
      for (int rows = 1; rows < kPower; rows *= 2) {
#pragma unroll
        for (int k = 0; k + rows < kRows; ++k) values[k] = min(values[k], values[k + rows]);
      }
#pragma unroll
      for (int k = 0; k < kExtremeRows; ++k) {
        const int y = first + k, lowest = min(values[k], values[k + kLength - kPower]);
        if (y >= part.y_end) break;
        const int index = part.IndexAt(y), above = kind == 2 ? kNegation - lowest - index : index - lowest;
        put(y, kind == 0 ? above : KeptExtremeFeature(lowest != kNoneKept, above));
      }
    }
  }
}

__device__ __forceinline__ void PutPoints(const ColumnPart& part) {
  const Arguments& a = part.a;
  const auto status = part.PutOf(PixelFeature::kStatus, 0),
             disparity = part.PutOf(PixelFeature::kDisparity, 0), row = part.PutOf(PixelFeature::kRow, 0),
             gray = part.PutOf(PixelFeature::kGray, 0),
             right_column = part.PutOf(PixelFeature::kRightColumn, 0);
  int of_row = 255 * part.y_begin / a.guide.height, rest = 255 * part.y_begin % a.guide.height;
#pragma unroll 4
  for (int y = part.y_begin; y < part.y_end; ++y) {
    const int value = part.IndexAt(y) + a.min_disparity;
    status(y, StatusOf(a.map.validity(part.x, y)));
    disparity(y, value);
    row(y, of_row);
    gray(y, a.guide(part.x, y));
    right_column(y, part.x - value + 64);
    for (rest += 255; rest >= a.guide.height; rest -= a.guide.height) ++of_row;
  }
}

__device__ __forceinline__ void PutPlanes(const ColumnPart& part) {
  const Arguments& a = part.a;
  constexpr int kPlanes = 9;
  const auto put_own = part.PutOf(PixelFeature::kOwnPlane, 0),
             put_nearest = part.PutOf(PixelFeature::kNearestPlane, 0),
             put_num = part.PutOf(PixelFeature::kNumPlanes, 0);
  for (int begin = part.y_begin; begin < part.y_end;) {
    const int row = begin / a.tile, end = min((row + 1) * a.tile, part.y_end);
    float at_row[kPlanes], slope_y[kPlanes];  // of PlaneEighths(); without a plane: far away
#pragma unroll
    for (int i = 0; i < kPlanes; ++i) {
      const int u = part.x / a.tile + i % 3 - 1, v = row + i / 3 - 1;
      at_row[i] = kNoValue, slope_y[i] = 0.0F;
      if (u < 0 || u >= a.tiles_x || v < 0 || v >= a.tiles_y) continue;
      const DisparityPlane plane = a.planes[v * a.tiles_x + u];
      if (plane.value == kNoValue) continue;
      at_row[i] = plane.value + plane.slope_x * static_cast<float>(part.x - (u * a.tile + a.tile / 2));
      slope_y[i] = plane.slope_y;
    }
#pragma unroll 2
    for (int y = begin; y < end; ++y) {
      const float selected = a.memory.selected[a.PixelAt(part.x, y)];
      const float value = isnan(selected) ? static_cast<float>(a.min_disparity) : selected;
      float own = 255.0F, nearest = 255.0F;  // eighths
      int num_near = 0;
#pragma unroll
      for (int i = 0; i < kPlanes; ++i) {
        const float from_center = static_cast<float>(y - ((row + i / 3 - 1) * a.tile + a.tile / 2));
        const float eighths = PlaneEighths(at_row[i], slope_y[i], from_center, value);
        if (i == kPlanes / 2) own = fminf(own, eighths);
        nearest = fminf(nearest, eighths);
        num_near += eighths < static_cast<float>(kNearPlane) ? 1 : 0;
      }
      put_own(y, static_cast<int>(own));
      put_nearest(y, static_cast<int>(nearest));
      put_num(y, num_near);
    }
    begin = end;
  }
}

constexpr int kRingReach = RingOf(kNumRings - 1).radius, kRingSide = kSide + 2 * kRingReach;
// A pixel's code, and above it that of the pixel below it: two pixels are compared with those around at once.
using CodePairs = std::uint32_t[kRingSide][kRingSide];

__device__ constexpr std::uint32_t InBothHalves(int value) {
  return static_cast<std::uint32_t>(value) * 0x00010001U;
}

// The agreements of two pixels.
template <int kRing>
__device__ __forceinline__ std::uint32_t AgreementsOf(const std::uint32_t* center) {
  constexpr AgreementRing kOf = RingOf(kRing);
  constexpr int kTooMuch = 4 * kOf.difference + 2;
  // Codes from here on agree up to kTooMuch - 1; it is even, so that a kept pixel's is odd.
  const std::uint32_t minus_first =
      __vsub2(InBothHalves(2 * kOf.difference), center[0] & InBothHalves(0xFFFE));
  std::uint32_t num_kept = 0, rest = 0;
#pragma unroll
  for (int k = 0; k < kRingPixels; ++k) {
    const RingOffset at = ScaledTo(kOf.radius, RingOffsetOf(k));
    const std::uint32_t above =
        __viaddmin_u16x2(center[at.y * kRingSide + at.x], minus_first, InBothHalves(kTooMuch));
    num_kept += above & InBothHalves(1);
    rest += __vmaxu2(above, InBothHalves(kTooMuch - 1));  // one more for each that does not agree
  }
  return num_kept + InBothHalves(kRingPixels * kTooMuch) - rest;
}

// Rows two by two; pairs: of the tile around the block; row_begin: the part's first row in it.
__device__ __forceinline__ void PutRings(const ColumnPart& part, const CodePairs& pairs, int column,
                                         int row_begin) {
  ForEach<kNumRings>([&]<int kRing>() {
    const auto put = part.PutOf(PixelFeature::kAgree2, kRing);
    const std::uint32_t* center = &pairs[row_begin + kRingReach][column + kRingReach];
#pragma unroll 1
    for (int y = part.y_begin; y < part.y_end; y += 2, center += 2 * kRingSide) {
      const std::uint32_t agreements = AgreementsOf<kRing>(center);
      put(y, static_cast<int>(agreements & 0xFFFFU));
      if (y + 1 < part.y_end) put(y + 1, static_cast<int>(agreements >> 16));
    }
  });
}

// A warp's work by its number: three for sums of kept pixels, three for
// edges, two for means, one for each window's extremes, two for half of the tile's points; four for planes and
// four for rings, a quarter of the tile each.
constexpr int kFirstEdges = 3, kFirstMeans = 6, kFirstExtremes = 8, kFirstPoints = 10, kFirstPlanes = 12,
              kFirstRings = 16, kNumWorks = 20;
static_assert(kFirstRings % kWarps == 0 && kNumWorks == kFirstRings + kWarps);

__global__ void __launch_bounds__(kSide* kWarps, 8) FeaturesKernel(const Arguments a) {
  __shared__ CodePairs pairs;
  __shared__ FeatureRanks ranks;
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int x_begin = static_cast<int>(blockIdx.x) * kSide, x = x_begin + lane;
  const int y_begin = static_cast<int>(blockIdx.y) * kSide, y_end = min(y_begin + kSide, a.guide.height);
  const int work = static_cast<int>(gridDim.z - 1 - blockIdx.z) * kWarps + warp;  // the longest first
  CopyTable<kSide * kWarps>(kRanks[a.set], ranks, warp * kSide + lane);
  WaitForKernelBefore();
  LetNextKernelBegin();
  if (work >= kFirstRings) {
    const auto code_at = [&](int u, int v) {
      return static_cast<std::uint32_t>(a.guide.Contains(u, v) ? a.memory.codes[a.PixelAt(u, v)]
                                                               : kOutsideCode);
    };
    for (int i = warp; i < kRingSide; i += kWarps) {
      const int v = y_begin - kRingReach + i;
      for (int k = lane; k < kRingSide; k += kSide) {
        const int u = x_begin - kRingReach + k;
        pairs[i][k] = code_at(u, v) | code_at(u, v + 1) << 16;
      }
    }
  }
  __syncthreads();
  if (x >= a.guide.width) return;
  const ColumnPart whole{a, ranks, x, y_begin, y_end};
  constexpr int kRows = kSide / kWarps;
  const int row_begin = warp * kRows;
  const ColumnPart quarter{a, ranks, x, y_begin + row_begin, min(y_begin + row_begin + kRows, y_end)};
  if (work >= kFirstRings) {
    PutRings(quarter, pairs, lane, row_begin);
  } else if (work >= kFirstPlanes) {
    PutPlanes(quarter);
  } else if (work >= kFirstPoints) {
    const int half = y_begin + (work - kFirstPoints) * kSide / 2;
    PutPoints({a, ranks, x, half, min(half + kSide / 2, y_end)});
  } else if (work >= kFirstExtremes) {
    if (work == kFirstExtremes) PutExtremes<WindowRadius(0)>(whole, 0);
    if (work != kFirstExtremes) PutExtremes<WindowRadius(1)>(whole, 1);
  } else if (work >= kFirstMeans) {
    PutMean(whole, work - kFirstMeans);
  } else if (work >= kFirstEdges) {
    PutEdges(whole, work - kFirstEdges);
  } else {
    PutKept(whole, work);
  }
}

template <TreeSet kSet>
__global__ void __launch_bounds__(kJudgeThreads, 7) JudgeKernel(const Arguments a, int bias) {
  __shared__ std::uint32_t ranks[kNumPixelFeatures][kJudgeThreads];
  __shared__ Leaves<kNumTrees> leaves;
  const int thread = static_cast<int>(threadIdx.x);
  CopyTable<kJudgeThreads>(kLeaves[static_cast<int>(kSet) - 1], leaves, thread);
  WaitForKernelBefore();
  LetNextKernelBegin();
  const std::size_t first = (static_cast<std::size_t>(blockIdx.x) * kJudgeThreads + threadIdx.x) * kExamples;
  const bool has_pixels = first < a.num_pixels;
  if (has_pixels) {
    const auto* from = reinterpret_cast<const std::uint32_t*>(a.memory.ranks + first);
    // A thread reads only what it has written itself.
#pragma unroll
    for (int i = 0; i < kNumPixelFeatures; ++i)
      ranks[i][thread] =
          from[static_cast<std::size_t>(i) * JudgementMemory::RankStride(a.num_pixels) / sizeof(*from)];
  }
  __syncthreads();
  if (!has_pixels) return;
  int sums[kExamples] = {bias, bias, bias, bias};
  const auto ranks_at = [&](int feature) { return ReadAnew(ranks[feature][thread]); };
  if constexpr (kSet == TreeSet::kDriving) AddAllLeaves<kDrivingQuestions>(leaves, ranks_at, sums);
  if constexpr (kSet == TreeSet::kGeneral) AddAllLeaves<kGeneralQuestions>(leaves, ranks_at, sums);
#pragma unroll
  for (int i = 0; i < kExamples; ++i) {
    const std::size_t pixel = first + static_cast<std::size_t>(i);
    if (pixel >= a.num_pixels) break;
    const int y = static_cast<int>(pixel) / a.guide.width, x = static_cast<int>(pixel) - y * a.guide.width;
    std::uint8_t& validity = a.map.validity(x, y);
    const float selected = a.memory.selected[pixel];
    if (!Changes(validity, sums[i], !isnan(selected))) continue;
    const bool was_kept = (validity & kRejected) == 0;
    validity = was_kept ? kMismatched : kValid;
    a.map.disparity(x, y) = was_kept ? __int_as_float(0x7FC00000) : selected;
  }
}

// The second kernel's last tiles end below the image.
std::size_t WindowRows(int height) {
  return static_cast<std::size_t>((height + kSide - 1) / kSide * kSide + 2 * kMargin);
}
std::size_t WindowImage(int width, int height) {
  return static_cast<std::size_t>(width) * WindowRows(height);
}

unsigned Blocks(std::size_t count, std::size_t per_block) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}

}  // namespace

JudgementMemory JudgementMemory::Take(Arena& arena, int width, int height) {
  const std::size_t num_pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                    window_image = WindowImage(width, height);
  JudgementMemory memory;
  memory.selected = arena.Take<float>(num_pixels);
  memory.codes = arena.Take<std::uint16_t>(num_pixels);
  memory.kept_sums = arena.Take<std::uint8_t>(kNumKeptSums * window_image);
  memory.mean_sums = arena.Take<std::uint32_t>(kNumMeanSums * window_image);
  memory.edge_sums = arena.Take<std::uint16_t>(kNumEdgeSums * window_image);
  memory.extremes = arena.Take<std::uint16_t>(kNumExtremes * window_image);
  memory.ranks = arena.Take<std::uint8_t>(kNumPixelFeatures * RankStride(num_pixels));
  return memory;
}

void JudgePixels(const Parameters& parameters, DeviceImageView<const std::uint8_t> guide,
                 const JudgementMemory& memory, const DisparityPlane* planes, const DeviceDisparityMap& map,
                 cudaStream_t stream) {
  const int tile = parameters.refinement.plane_tile;
  const TreeSet set = parameters.refinement.trees;
  const auto width = static_cast<std::size_t>(guide.width), height = static_cast<std::size_t>(guide.height);
  const Arguments arguments{.map = map,
                            .guide = guide,
                            .memory = memory,
                            .num_pixels = width * height,
                            .min_disparity = parameters.matching_cost.min_disparity,
                            .planes = planes,
                            .tile = tile,
                            .tiles_x = (guide.width + tile - 1) / tile,
                            .tiles_y = (guide.height + tile - 1) / tile,
                            .set = static_cast<int>(set) - 1,
                            .window_image = WindowImage(guide.width, guide.height)};
  LaunchDependent("GatherRowsKernel", GatherRowsKernel,
                  dim3(Blocks(width, kRowThreads), static_cast<unsigned>(WindowRows(guide.height))),
                  dim3(kRowThreads), 0, stream, arguments);
  LaunchDependent("FeaturesKernel", FeaturesKernel,
                  dim3(Blocks(width, kSide), Blocks(height, kSide), kNumWorks / kWarps), dim3(kSide, kWarps),
                  0, stream, arguments);
  LaunchDependent("JudgeKernel",
                  set == TreeSet::kDriving ? JudgeKernel<TreeSet::kDriving> : JudgeKernel<TreeSet::kGeneral>,
                  dim3(Blocks(width * height, kJudgeThreads * kExamples)), dim3(kJudgeThreads), 0, stream,
                  arguments, TreesOf(set).bias);
}

}  // namespace parallax::cuda
