// Both directions of two neighbouring lines of pixels, whose path costs are added up into one volume.
//
// One direction goes out along the line and leaves its costs only at checkpoints, one a segment. The other
// then comes across: for each segment it makes the first direction's costs again from the checkpoint, then
// steps through the segment itself and writes the sum of both. So a line's costs are read twice and one
// volume is written, instead of two written and both read again by selection; the price is every second step
// done twice.
#pragma once

#include "cuda/line_pair.cuh"

namespace parallax::cuda {

struct AggregationArguments {
  const std::uint8_t* costs;
  const std::uint8_t* guide;
  const std::uint16_t* p2_table;
  std::uint8_t* checkpoints;
  std::uint8_t* sums;     // the volumes
  std::size_t sum_bytes;  // of one volume
  std::uint32_t* bands_done;
  int width, height, num_disparities;
  std::uint32_t p1, p2;            // p2: where it is constant
  std::uint32_t one;               // 1
  int num_vertical, num_diagonal;  // pairs of lines, of each volume
};

// Pixels from one checkpoint to the next.
constexpr int SegmentLength(int values_per_lane) {
  return values_per_lane <= 4 ? 8 : values_per_lane == 8 ? 4 : values_per_lane == 16 ? 2 : 1;
}

inline constexpr std::uint32_t kPaddingCost = 0x2000;  // above census_bits + P2, so that padding never wins

// Two parallel lines of pixels, the first one pixel left of the second. The pixels of index i = 0 .. count -
// 1 of both are those that some line has inside the image; `first_a .. last_a`, `first_b .. last_b` are those
// that the line itself has. Outside it an index stands for a pixel one beyond the row, whose costs are read
// but not used. Except at the first and the last index both are inside.
struct LinePairPlace {
  int pixel;  // of the first line, of index 0
  int step;   // pixels from one index to the next
  int count;
  int first_a, last_a, first_b, last_b;
  bool has_b;  // where not, some other line in the second one's place is followed too and not stored
};

template <int K, typename T, bool kAdaptive>
struct LineWalk {
  static constexpr int kPixelBytes = 32 * K;  // of costs
  static constexpr int kSumBytes = kPixelBytes * static_cast<int>(sizeof(T));
  static constexpr int kSegment = SegmentLength(K);
  static constexpr bool kOrPadding = sizeof(T) == 2;  // otherwise the costs themselves are dear enough there
  using CostValues = LaneValues<K, std::uint8_t>;
  using SumValues = LaneValues<K, T>;

  // Of a segment: matching costs, and the path costs of the direction that went out.
  struct Costs {
    CostValues first[kSegment], second[kSegment];
  };
  struct Again {
    SumValues first[kSegment], second[kSegment];
  };

  const AggregationArguments& a;
  const LinePairPlace& line;
  const std::uint16_t* p2_minus_p1;  // table, where it is adaptive
  std::uint8_t* checkpoints;         // of these lines
  std::uint8_t* volume;
  int lane, num_segments;
  StepConstants constants;
  std::uint32_t jump;
  std::uint32_t padding[K];

  __device__ __forceinline__ bool IsEdge(int g) const { return g == 0 || g == num_segments - 1; }

  __device__ __forceinline__ void LoadCosts(int g, Costs& to) const {
    const std::uint8_t* from =
        a.costs + (line.pixel + static_cast<std::ptrdiff_t>(g) * kSegment * line.step) * kPixelBytes +
        lane * CostValues::kBytes;
    const int count = g == num_segments - 1 ? line.count - g * kSegment : kSegment;
    const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(line.step) * kPixelBytes;
    const auto load = [&](int i) {
      to.first[i].LoadNow(from);
      to.second[i].LoadNow(from + kPixelBytes);
      from += step;
    };
    if (count == kSegment) {
#pragma unroll
      for (int i = 0; i < kSegment; ++i) load(i);
    } else {
#pragma unroll
      for (int i = 0; i < kSegment; ++i) {
        if (i < count) load(i);
      }
    }
  }
  __device__ __forceinline__ void MakeWords(const CostValues& first, const CostValues& second,
                                            std::uint32_t (&cost)[K]) const {
    CostWords<K>(first, second, cost);
    if constexpr (kOrPadding) {
#pragma unroll
      for (int j = 0; j < K; ++j) cost[j] |= padding[j];
    }
  }

  // P2 - P1 of both paths for a segment: lane i holds that between the indices i - 1 and i of the segment.
  __device__ __forceinline__ std::uint32_t JumpsOf(int g) const {
    if constexpr (!kAdaptive) return 0;
    const int i = min(max(g * kSegment - 1 + lane, 0), line.count - 1), next = min(i + 1, line.count - 1);
    const int last = a.width * a.height - 1;
    const auto jump_between = [&](int origin) -> std::uint32_t {
      const std::uint32_t here = a.guide[min(max(origin + i * line.step, 0), last)];
      const std::uint32_t there = a.guide[min(max(origin + next * line.step, 0), last)];
      return p2_minus_p1[__usad(here, there, 0U)];
    };
    return jump_between(line.pixel) | jump_between(line.pixel + 1) << 16;
  }
  template <bool kReverse>
  __device__ __forceinline__ std::uint32_t JumpAt(std::uint32_t of_segment, int i) const {
    if constexpr (!kAdaptive) return jump;
    return __shfl_sync(kFullWarp, of_segment, kReverse ? i + 1 : i);
  }

  // Which path is inside the image at this index, as a mask of halves.
  __device__ __forceinline__ std::uint32_t InsideAt(int index) const {
    return (index >= line.first_a && index <= line.last_a ? 0xFFFFU : 0U) |
           (index >= line.first_b && index <= line.last_b ? 0xFFFF0000U : 0U);
  }
  // Calls visit(i, checked) for the segment's places in order; where `checked`, a path may be outside the
  // image.
  template <bool kReverse, typename Visit>
  __device__ __forceinline__ void ForSegment(int g, const Visit& visit) const {
    if (IsEdge(g)) {
#pragma unroll
      for (int turn = 0; turn < kSegment; ++turn) {
        const int i = kReverse ? kSegment - 1 - turn : turn;
        if (g * kSegment + i < line.count) visit(i, std::true_type{});
      }
    } else {
#pragma unroll
      for (int turn = 0; turn < kSegment; ++turn)
        visit(kReverse ? kSegment - 1 - turn : turn, std::false_type{});
    }
  }
  template <bool kReverse>
  static __device__ __forceinline__ int SegmentOf(int n, int begin, int end) {
    return kReverse ? end - 1 - n : begin + n;
  }

  // What a direction has cost up to the segment's first pixel on its way.
  struct Entry {
    SumValues first, second;
  };
  __device__ __forceinline__ std::uint8_t* CheckpointAt(int g) const {
    return checkpoints + static_cast<std::ptrdiff_t>(g) * (2 * kSumBytes);
  }
  template <bool kReverse>
  __device__ __forceinline__ bool HasEntry(int g) const {
    return kReverse ? g + 1 < num_segments : g > 0;
  }
  template <bool kReverse>
  __device__ __forceinline__ void LoadEntry(int g, Entry& entry) const {
    if (!HasEntry<kReverse>(g)) return;
    entry.first.Load(CheckpointAt(g), lane);
    entry.second.Load(CheckpointAt(g) + kSumBytes, lane);
  }

  // Segments begin .. end - 1, in the direction's order. Leaves what each but the first starts from.
  template <bool kReverse>
  __device__ __forceinline__ void GoOut(LinePair<K>& state, int begin, int end) const {
    const int count = end - begin;
    if (count <= 0) return;
    Costs costs, next_costs;
    LoadCosts(SegmentOf<kReverse>(0, begin, end), next_costs);
    std::uint32_t next_jumps = JumpsOf(SegmentOf<kReverse>(0, begin, end));
#pragma unroll 1
    for (int n = 0; n < count; ++n) {
      const int g = SegmentOf<kReverse>(n, begin, end);
      costs = next_costs;
      const std::uint32_t jumps = next_jumps;
      if (n + 1 < count) {
        LoadCosts(SegmentOf<kReverse>(n + 1, begin, end), next_costs);
        next_jumps = JumpsOf(SegmentOf<kReverse>(n + 1, begin, end));
      }
      ForSegment<kReverse>(g, [&](int i, auto checked) {
        std::uint32_t cost[K];
        MakeWords(costs.first[i], costs.second[i], cost);
        state.Step(cost, JumpAt<kReverse>(jumps, i), constants);
        if constexpr (checked()) state.Keep(InsideAt(g * kSegment + i));
      });
      state.Normalize();
      if (n + 1 < count) {
        SumValues first, second;
        state.template Pack<T>(first, second);
        std::uint8_t* const to = CheckpointAt(kReverse ? g - 1 : g + 1);
        first.Store(to, lane);
        second.Store(to + kSumBytes, lane);
      }
    }
  }

  // The direction that went out, once more through a segment: keep(i, first, second) takes its path costs.
  template <bool kReverse, typename Keep>
  __device__ __forceinline__ void MakeAgain(int g, const Entry& entry, const Costs& costs,
                                            std::uint32_t jumps, const Keep& keep) const {
    LinePair<K> state;
    if (HasEntry<kReverse>(g)) {
      state.Unpack(entry.first, entry.second);
    } else {
      state.Reset();
    }
    ForSegment<kReverse>(g, [&](int i, auto checked) {
      std::uint32_t cost[K];
      MakeWords(costs.first[i], costs.second[i], cost);
      state.Step(cost, JumpAt<kReverse>(jumps, i), constants);
      SumValues first, second;
      state.template Pack<T>(first, second);
      keep(i, first, second);
      if constexpr (checked()) state.Keep(InsideAt(g * kSegment + i));
    });
  }
  // The direction that comes across, through a segment: read(i, costs of both, path costs of both) says what
  // was there before.
  template <bool kReverse, typename Read>
  __device__ __forceinline__ void StepAcross(int g, LinePair<K>& state, std::uint32_t jumps,
                                             const Read& read) const {
    std::uint8_t* const to =
        volume + (line.pixel + static_cast<std::ptrdiff_t>(g) * kSegment * line.step) * kSumBytes;
    ForSegment<kReverse>(g, [&](int i, auto checked) {
      CostValues cost_a, cost_b;
      SumValues again_a, again_b, first, second;
      read(i, cost_a, cost_b, again_a, again_b);
      std::uint32_t cost[K];
      MakeWords(cost_a, cost_b, cost);
      state.Step(cost, JumpAt<kReverse>(jumps, i), constants);
      state.template Pack<T>(first, second);
#pragma unroll
      for (int j = 0; j < SumValues::kWords; ++j) {
        first.words[j] += again_a.words[j];
        second.words[j] += again_b.words[j];
      }
      std::uint8_t* const to_a = to + static_cast<std::ptrdiff_t>(i * line.step) * kSumBytes;
      if constexpr (checked()) {
        const std::uint32_t inside = InsideAt(g * kSegment + i);
        if ((inside & 0xFFFFU) != 0) first.StoreOnce(to_a, lane);
        if ((inside & 0xFFFF0000U) != 0 && line.has_b) second.StoreOnce(to_a + kSumBytes, lane);
        state.Keep(inside);
      } else {
        first.StoreOnce(to_a, lane);
        if (line.has_b) second.StoreOnce(to_a + kSumBytes, lane);
      }
    });
    state.Normalize();
  }

  // Segments begin .. end - 1 in the direction's order, by one warp. Calls after(g) when segment g is
  // written.
  template <bool kReverse, typename After>
  __device__ __forceinline__ void ComeAcross(LinePair<K>& state, int begin, int end,
                                             const After& after) const {
    const int count = end - begin;
    if (count <= 0) return;
    Costs costs, next_costs;
    Entry entry, next_entry;
    LoadCosts(SegmentOf<kReverse>(0, begin, end), next_costs);
    LoadEntry<!kReverse>(SegmentOf<kReverse>(0, begin, end), next_entry);
    std::uint32_t next_jumps = JumpsOf(SegmentOf<kReverse>(0, begin, end));
#pragma unroll 1
    for (int n = 0; n < count; ++n) {
      const int g = SegmentOf<kReverse>(n, begin, end);
      costs = next_costs;
      entry = next_entry;
      const std::uint32_t jumps = next_jumps;
      if (n + 1 < count) {
        const int next = SegmentOf<kReverse>(n + 1, begin, end);
        LoadCosts(next, next_costs);
        LoadEntry<!kReverse>(next, next_entry);
        next_jumps = JumpsOf(next);
      }
      Again again;
      MakeAgain<!kReverse>(g, entry, costs, jumps,
                           [&](int i, const SumValues& first, const SumValues& second) {
                             again.first[i] = first;
                             again.second[i] = second;
                           });
      StepAcross<kReverse>(
          g, state, jumps,
          [&](int i, CostValues& cost_a, CostValues& cost_b, SumValues& again_a, SumValues& again_b) {
            cost_a = costs.first[i], cost_b = costs.second[i];
            again_a = again.first[i], again_b = again.second[i];
          });
      after(g);
    }
  }
};

}  // namespace parallax::cuda
