// Both directions of two neighbouring lines of pixels, whose path costs are added up into one volume.
//
// One direction goes out along the line and leaves its costs only at checkpoints, one a segment. The other
// then comes across: for each segment it makes the first direction's costs again from the checkpoint, then
// steps through the segment itself and writes the sum of both. So a line's costs are read twice and one
// volume is written, instead of two written and both read again by selection; the price is that one direction
// is stepped twice, but for the last pixel of each segment, whose costs the next checkpoint holds.
//
// Columns and diagonals: one warp goes out over the whole line, then comes back. Rows, the longest lines: two
// warps start at the ends, each goes out to the middle, then comes across the half where the other has been.
#pragma once

#include "cuda/aggregation_arguments.cuh"
#include "cuda/line_pair.cuh"

namespace parallax::cuda {

// Two parallel lines of pixels. The pixels of index i = 0 .. count - 1 of both are those that some line has
// inside the image; `first_a .. last_a`, `first_b .. last_b` are those that the line itself has. Outside it
// an index stands for a pixel one beyond the row, whose costs are read but not used. Except at the first and
// the last index both are inside.
struct LinePairPlace {
  int pixel;   // of the first line, of index 0
  int step;    // pixels from one index to the next; rows: 1
  int beside;  // pixels from the first line to the second; not rows: 1
  int count;
  int first_a, last_a, first_b, last_b;
  bool has_b;  // where not, some other line in the second one's place is followed too and not stored
};

template <int K, typename T, bool kAdaptive, bool kRows>
struct LineWalk {
  static constexpr int kPixelBytes = 32 * K;  // of costs
  static constexpr int kSumBytes = kPixelBytes * static_cast<int>(sizeof(T));
  static constexpr int kSegment = SegmentLength(K);
  static constexpr int kWords = K;
  static constexpr bool kOrPadding = sizeof(T) == 2;  // otherwise the costs themselves are dear enough there
  using CostValues = LaneValues<K, std::uint8_t>;
  using SumValues = LaneValues<K, T>;
  using Saved = PairCosts<K, T>;
  using State = LinePair<K>;
  static constexpr int kCheckpointBytes = kWarpSize * Saved::kBytes;

  // Matching costs of a segment, as they are loaded.
  struct Costs {
    CostValues first[kSegment], second[kSegment];
  };

  const AggregationArguments& a;
  const LinePairPlace& line;
  const std::uint16_t* p2_minus_p1;  // table, where it is adaptive
  std::uint8_t* checkpoints;         // of these lines
  std::uint8_t* volume;
  int lane, num_segments;
  int step, one;  // line.step and 1, of which the compiler must not know so much
  StepConstants constants;
  std::uint32_t jump;
  std::uint32_t padding[K];

  __device__ __forceinline__ bool IsEdge(int g) const { return g == 0 || g == num_segments - 1; }

  __device__ __forceinline__ std::ptrdiff_t PixelOf(int g) const {
    return line.pixel + static_cast<std::ptrdiff_t>(g) * (kSegment * Step());
  }
  __device__ __forceinline__ int Step() const { return kRows ? 1 : line.step; }
  __device__ __forceinline__ int Beside() const { return kRows ? line.beside : 1; }
  // From a pixel's bytes to those of the next on the way: one instruction.
  template <bool kReverse, int kBytes, typename Byte>
  __device__ __forceinline__ void MoveOn(Byte*& at) const {
    if constexpr (kRows) {
      at += kReverse ? -kBytes : kBytes;
    } else {
      asm("mad.wide.s32 %0, %1, %2, %0;" : "+l"(at) : "r"(step), "r"((kReverse ? -kBytes : kBytes) * one));
    }
  }
  __device__ __forceinline__ void LoadSegment(int g, Costs& to) const {
    const std::uint8_t* from = a.costs + PixelOf(g) * kPixelBytes + lane * CostValues::kBytes;
    const auto load = [&](int i) {
      to.first[i].LoadNow(from);
      to.second[i].LoadNow(from + static_cast<std::ptrdiff_t>(Beside()) * kPixelBytes);
      MoveOn<false, kPixelBytes>(from);
    };
    if ((g + 1) * kSegment <= line.count) {
#pragma unroll
      for (int i = 0; i < kSegment; ++i) load(i);
    } else {
#pragma unroll
      for (int i = 0; i < kSegment; ++i) {
        if (g * kSegment + i < line.count) load(i);
      }
    }
  }
  // All of the segment's: a wait for one load is a wait for all, so the next segment's may begin only then.
  __device__ __forceinline__ void MakeWords(const Costs& costs, std::uint32_t (&words)[kSegment][K]) const {
#pragma unroll
    for (int i = 0; i < kSegment; ++i) {
      CostWords<K>(costs.first[i], costs.second[i], words[i]);
      if constexpr (kOrPadding) {
#pragma unroll
        for (int j = 0; j < K; ++j) words[i][j] |= padding[j];
      }
    }
  }

  // P2 - P1 of both paths for a segment: lane i holds that between the indices i - 1 and i of the segment.
  __device__ __forceinline__ std::uint32_t JumpsOf(int g) const {
    if constexpr (!kAdaptive) return 0;
    const int i = min(max(g * kSegment - 1 + lane, 0), line.count - 1), next = min(i + 1, line.count - 1);
    const int last = a.width * a.height - 1;
    const auto jump_between = [&](int origin) -> std::uint32_t {
      const std::uint32_t here = a.guide[min(max(origin + i * Step(), 0), last)];
      const std::uint32_t there = a.guide[min(max(origin + next * Step(), 0), last)];
      return p2_minus_p1[__usad(here, there, 0U)];
    };
    return jump_between(line.pixel) | jump_between(line.pixel + Beside()) << 16;
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
  // Calls visit(i) for a segment's places in the direction's order.
  template <bool kReverse, typename Visit>
  static __device__ __forceinline__ void ForSegment(const Visit& visit) {
#pragma unroll
    for (int turn = 0; turn < kSegment; ++turn) visit(kReverse ? kSegment - 1 - turn : turn);
  }
  template <bool kReverse>
  static __device__ __forceinline__ int SegmentOf(int n, int begin, int end) {
    return kReverse ? end - 1 - n : begin + n;
  }

  // What a direction has cost when it comes to boundary b, which lies between the segments b - 1 and b.
  // Nothing where the line begins.
  template <bool kReverse>
  __device__ __forceinline__ std::uint8_t* CheckpointAt(int b) const {
    return checkpoints + static_cast<std::ptrdiff_t>(kReverse ? b : b - 1) * kCheckpointBytes +
           lane * Saved::kBytes;
  }
  template <bool kReverse>
  __device__ __forceinline__ void LoadCheckpoint(int b, Saved& saved) const {
    if (kReverse ? b < num_segments : b > 0) {
      LoadBytesNow<Saved::kBytes>(CheckpointAt<kReverse>(b), saved.words);
    } else {
#pragma unroll
      for (int i = 0; i < Saved::kWords; ++i) saved.words[i] = 0;
    }
    saved.offset = 0;
  }

  // Segments begin .. end - 1, in the direction's order. Leaves a checkpoint after each.
  template <bool kReverse>
  __device__ __forceinline__ void GoOut(State& state, int begin, int end) const {
    const int count = end - begin;
    if (count <= 0) return;
    Costs costs;
    LoadSegment(SegmentOf<kReverse>(0, begin, end), costs);
    std::uint32_t next_jumps = JumpsOf(SegmentOf<kReverse>(0, begin, end));
#pragma unroll 1
    for (int n = 0; n < count; ++n) {
      const int g = SegmentOf<kReverse>(n, begin, end);
      const std::uint32_t jumps = next_jumps;
      std::uint32_t words[kSegment][K];
      MakeWords(costs, words);
      if (n + 1 < count) {
        LoadSegment(SegmentOf<kReverse>(n + 1, begin, end), costs);
        next_jumps = JumpsOf(SegmentOf<kReverse>(n + 1, begin, end));
      }
      const auto visit = [&](int i) { state.Step(words[i], JumpAt<kReverse>(jumps, i), constants); };
      if (!IsEdge(g)) {
        ForSegment<kReverse>(visit);
      } else {
        ForSegment<kReverse>([&](int i) {
          if (g * kSegment + i < line.count) {
            visit(i);
            state.Keep(InsideAt(g * kSegment + i));
          }
        });
      }
      state.Normalize();
      Saved saved;
      state.Save(saved);
      StoreBytes<Saved::kBytes>(CheckpointAt<kReverse>(kReverse ? g : g + 1), saved.words);
    }
  }

  // Segments begin .. end - 1, in the direction's order, where the other direction has been. Calls after(g)
  // when segment g is written.
  template <bool kReverse, typename After>
  __device__ __forceinline__ void ComeAcross(State& state, int begin, int end, const After& after) const {
    constexpr bool kOther = !kReverse;
    constexpr int kEntry = kReverse ? 0 : 1;  // boundary g + kEntry is where the other direction came in
    const int count = end - begin;
    if (count <= 0) return;
    Costs costs;
    Saved entry, exit, next_entry;
    {
      const int g = SegmentOf<kReverse>(0, begin, end);
      LoadSegment(g, costs);
      LoadCheckpoint<kOther>(g + 1 - kEntry, exit);
      LoadCheckpoint<kOther>(g + kEntry, next_entry);
    }
    std::uint32_t next_jumps = JumpsOf(SegmentOf<kReverse>(0, begin, end));
#pragma unroll 1
    for (int n = 0; n < count; ++n) {
      const int g = SegmentOf<kReverse>(n, begin, end);
      const std::uint32_t jumps = next_jumps;
      std::uint32_t words[kSegment][K];
      MakeWords(costs, words);
      entry = next_entry;
      if (n + 1 < count) {
        const int next = SegmentOf<kReverse>(n + 1, begin, end);
        LoadSegment(next, costs);
        LoadCheckpoint<kOther>(next + kEntry, next_entry);
        next_jumps = JumpsOf(next);
      }
      State other;
      other.Restore(entry);
      Saved saved[kSegment];  // of the direction that has come to a pixel first
      const auto at = [&](int i) {
        return volume + (PixelOf(g) + i * Step()) * kSumBytes + lane * SumValues::kBytes;
      };
      const auto store = [&](const Saved& last, int i, std::uint8_t* to, bool stores_first,
                             bool stores_second) {
        SumValues first, second;
        AddUp<K, T>(last, saved[i], first, second);
        if (stores_first) first.StoreOnce(to, 0);
        if (stores_second) second.StoreOnce(to + static_cast<std::ptrdiff_t>(Beside()) * kSumBytes, 0);
      };
      if (!IsEdge(g)) {
        // Both directions at once: they meet in the middle, and from there on each finds the other's costs.
        constexpr int kHalf = kSegment / 2, kLast = kSegment - 1;
        std::uint8_t* to = at(kReverse ? kLast - kHalf : kHalf);
        std::uint8_t* to_other = at(kReverse ? kHalf : kLast - kHalf);
#pragma unroll
        for (int turn = 0; turn < kSegment; ++turn) {
          const int i = kReverse ? kLast - turn : turn, i_other = kLast - i;
          const std::uint32_t jump_here = JumpAt<kReverse>(jumps, i);
          Saved here, there;
          if (turn < kLast) {
            const std::uint32_t jump_there = JumpAt<kOther>(jumps, i_other);
            const auto look = state.Look(constants), look_other = other.Look(constants);
            const std::uint32_t least = state.Advance(look, words[i], jump_here, constants),
                                least_other =
                                    other.Advance(look_other, words[i_other], jump_there, constants);
            state.FindLowest(least);
            if (turn + 1 < kLast) other.FindLowest(least_other);
            other.Save(there);
          } else {
            state.Step(words[i], jump_here, constants);
            there = exit;
          }
          state.Save(here);
          if (i == i_other) saved[i] = there;
          if (turn < kHalf) {
            saved[i] = here;
            saved[i_other] = there;
          } else {
            store(here, i, to, true, line.has_b);
            MoveOn<kReverse, kSumBytes>(to);
            if (i != i_other) store(there, i_other, to_other, true, line.has_b);
            MoveOn<kOther, kSumBytes>(to_other);
          }
        }
      } else {
        const int places = min(line.count - g * kSegment, kSegment);
        ForSegment<kOther>([&](int i) {
          if (i >= places) return;
          if (i == (kReverse ? places - 1 : 0)) {
            saved[i] = exit;
          } else {
            other.Step(words[i], JumpAt<kOther>(jumps, i), constants);
            other.Save(saved[i]);
          }
          other.Keep(InsideAt(g * kSegment + i));
        });
        ForSegment<kReverse>([&](int i) {
          if (i >= places) return;
          state.Step(words[i], JumpAt<kReverse>(jumps, i), constants);
          const std::uint32_t inside = InsideAt(g * kSegment + i);
          Saved here;
          state.Save(here);
          store(here, i, at(i), (inside & 0xFFFFU) != 0, (inside & 0xFFFF0000U) != 0 && line.has_b);
          state.Keep(inside);
        });
      }
      state.Normalize();
      exit = entry;
      after(g);
    }
  }
};

// The walk of a warp.
template <typename Walk>
__device__ __forceinline__ Walk MakeLineWalk(const AggregationArguments& a, const LinePairPlace& line,
                                             const std::uint16_t* p2_minus_p1, std::uint8_t* checkpoints,
                                             std::uint8_t* volume) {
  const int lane = static_cast<int>(threadIdx.x);
  const int hidden_zero = lane & static_cast<int>(a.one - 1);
  Walk walk{a,
            line,
            p2_minus_p1,
            checkpoints,
            volume,
            lane,
            (line.count + Walk::kSegment - 1) / Walk::kSegment,
            line.step + hidden_zero,
            static_cast<int>(a.one) + hidden_zero,
            StepConstants(lane, Twice(a.p1), a.one),
            Twice(a.p2 - a.p1)};
  if constexpr (Walk::kOrPadding) {
#pragma unroll
    for (int j = 0; j < Walk::kWords; ++j)
      walk.padding[j] = lane * Walk::kWords + j >= a.num_disparities ? Twice(kPaddingCost) : 0U;
  }
  return walk;
}

}  // namespace parallax::cuda
