// Both directions of two neighbouring lines of pixels, whose path costs are added up into one volume.
//
// The first direction goes out along the line and stores its costs only at checkpoints, one for each segment.
// The other then comes across. For each segment it recomputes the first direction's costs from the
// checkpoint, in parallel to its own steps, and writes the sum of both. So a line's costs are read twice and
// one volume is written. Otherwise two would be written and both read again by selection. The price is that
// one direction is stepped twice.
//
// Columns and diagonals: one warp goes out over the whole line, then comes back. Rows, the longest lines: two
// warps start at the ends; each goes out to the middle, then comes across the half where the other has been.
#pragma once

#include "cuda/sgm/aggregation_arguments.cuh"
#include "cuda/sgm/line_pair.cuh"

namespace parallax::cuda {

// Two parallel lines of pixels. The pixels of index i = 0 .. count - 1 of both are those that some line has
// inside the image; `first_a .. last_a`, `first_b .. last_b` are those that the line itself has. Outside it
// an index means a pixel one beyond the row, whose costs are read but not used. Except at the first and the
// last index both are inside.
struct LinePairPlace {
  int pixel;   // of the first line, of index 0
  int step;    // pixels from one index to the next; rows: 1
  int beside;  // pixels from the first line to the second; not rows: 1
  int count;
  int first_a, last_a, first_b, last_b;
  bool has_b;  // if not, another line in the second one's place is followed too and not stored
};

// kOwnGround: P1 of ground steps may be lower; "reverse" is then up.
template <typename Shape, typename T, bool kAdaptive, bool kRows, bool kOwnGround>
struct LineWalk {
  static constexpr int K = Shape::K, kLanes = Shape::kLanes;
  static constexpr int kPixelBytes = Shape::kPadded;  // of costs
  static constexpr int kSumBytes = kPixelBytes * static_cast<int>(sizeof(T));
  static constexpr int kSegment = SegmentLength(K);
  static constexpr int kWords = K;
  static constexpr bool kOrPadding = sizeof(T) == 2;  // otherwise the costs themselves are expensive enough
                                                      // there
  using CostValues = LaneValues<K, std::uint8_t>;
  using SumValues = LaneValues<K, T>;
  using Saved = PairCosts<K, T>;
  using State = LinePair<K, kLanes>;
  static constexpr int kCheckpointBytes = kWarpSize * Saved::kBytes;

  // The neighbour whose step costs the whole P1, if the step of the ground is cheaper.
  static constexpr Neighbour Dearer(bool up) {
    return !kOwnGround ? Neighbour::kNone : up ? Neighbour::kBefore : Neighbour::kAfter;
  }

  // The loaded matching costs of a segment.
  struct Costs {
    CostValues first[kSegment], second[kSegment];
  };

  const AggregationArguments& a;
  const LinePairPlace& line;
  const std::uint32_t* jumps;  // of the volume
  std::uint8_t* checkpoints;   // of these lines
  std::uint8_t* volume;
  int lane, num_segments, num_full;  // of segments whose indices are all in the lines
  int step;                          // line.step, hidden from the compiler
  StepConstants constants;
  std::uint32_t jump;
  std::uint32_t padding[K];

  // The first and the last segment: lines begin and end there.
  __device__ __forceinline__ bool IsEdge(int g) const {
    return static_cast<unsigned>(g - 1) >= static_cast<unsigned>(num_segments - 2);
  }
  __device__ __forceinline__ std::ptrdiff_t PixelOf(int g) const {
    return line.pixel + static_cast<std::ptrdiff_t>(g) * (kSegment * Step());
  }
  __device__ __forceinline__ int Step() const { return kRows ? 1 : line.step; }
  __device__ __forceinline__ int Beside() const { return kRows ? line.beside : 1; }
  // The bytes of the pixel `count` pixels further on the line, where a pixel has kBytes bytes. One
  // instruction.
  template <int kBytes, typename Byte>
  __device__ __forceinline__ Byte* Further(Byte* from, int count) const {
    if constexpr (kRows) return from + count * kBytes;
    if (count == 0) return from;
    Byte* to;
    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(to) : "r"(step), "r"(count * kBytes), "l"(from));
    return to;
  }
  // Loads the costs of segment g, if it exists. from: those of its first pixel, at the lane's place.
  __device__ __forceinline__ void LoadSegment(int g, const std::uint8_t* from, Costs& to) const {
    const auto load = [&](int i) {
      const std::uint8_t* const at = Further<kPixelBytes>(from, i);
      to.first[i].LoadNow(at);
      to.second[i].LoadNow(at + static_cast<std::ptrdiff_t>(Beside()) * kPixelBytes);
    };
    if (static_cast<unsigned>(g) < static_cast<unsigned>(num_full)) {
#pragma unroll
      for (int i = 0; i < kSegment; ++i) load(i);
    } else if (g == num_full) {
#pragma unroll
      for (int i = 0; i < kSegment; ++i) {
        if (g * kSegment + i < line.count) load(i);
      }
    }
  }
  // Brings segment g, and the checkpoint after it, into the second-level cache.
  __device__ __forceinline__ void Prefetch(int g, bool with_checkpoint) const {
    if constexpr (kRows || K < 8) return;
    constexpr int kLine = 128, kLinesOfPixels = 2 * kPixelBytes / kLine,
                  kLinesOfSegment = kSegment * kLinesOfPixels;
    if (static_cast<unsigned>(g) >= static_cast<unsigned>(num_full)) return;
    const std::uint8_t* at =
        a.costs + (PixelOf(g) + lane / kLinesOfPixels * Step()) * kPixelBytes + lane % kLinesOfPixels * kLine;
    if (with_checkpoint && lane >= kLinesOfSegment)
      at = checkpoints + static_cast<std::ptrdiff_t>(g) * kCheckpointBytes + (lane - kLinesOfSegment) * kLine;
    if (lane < kLinesOfSegment + (with_checkpoint ? kCheckpointBytes / kLine : 0))
      asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
  }
  // All loads of the segment: a wait for one is a wait for all, so the next segment's may begin only then.
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
    const int i = g * kSegment + lane;
    if (!kAdaptive || lane > kSegment || static_cast<unsigned>(i) >= static_cast<unsigned>(line.count))
      return 0;
    return LoadWordNow(jumps + line.pixel + i * Step());
  }
  template <bool kReverse>
  __device__ __forceinline__ std::uint32_t JumpAt(std::uint32_t of_segment, int i) const {
    if constexpr (!kAdaptive) return jump;
    return __shfl_sync(kFullWarp, of_segment, kReverse ? i + 1 : i);
  }

  // Which paths are inside the image at this index, as a mask of halves.
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
  // Where the path costs of the outward direction after segment g, minus their lowest, are stored.
  __device__ __forceinline__ std::uint8_t* CheckpointOf(int g) const {
    return checkpoints + static_cast<std::ptrdiff_t>(g) * kCheckpointBytes + lane * Saved::kBytes;
  }
  // Loads nothing at the begin of the line.
  __device__ __forceinline__ void LoadCheckpoint(int g, const std::uint8_t* from, Saved& saved) const {
    if (static_cast<unsigned>(g) < static_cast<unsigned>(num_segments)) {
      LoadBytesNow<Saved::kBytes>(from, saved.words);
    } else {
#pragma unroll
      for (int i = 0; i < Saved::kWords; ++i) saved.words[i] = 0;
    }
  }

  // Segments begin .. end - 1, in the direction's order. Leaves a checkpoint after each.
  template <bool kReverse>
  __device__ __forceinline__ void LeaveCheckpoints(State& state, int begin, int end) const {
    if (begin >= end) return;
    constexpr int kDirection = kReverse ? -1 : 1;
    int g = kReverse ? end - 1 : begin;
    const std::uint8_t* from = a.costs + PixelOf(g) * kPixelBytes + lane * CostValues::kBytes;
    std::uint8_t* checkpoint = CheckpointOf(g);
    Costs costs;
    LoadSegment(g, from, costs);
    std::uint32_t next_jumps = JumpsOf(g);
#pragma unroll 1
    for (int left = end - begin; left > 0; --left) {
      const std::uint32_t jumps = next_jumps;
      std::uint32_t words[kSegment][K];
      MakeWords(costs, words);
      from = Further<kPixelBytes>(from, kDirection * kSegment);
      LoadSegment(g + kDirection, from, costs);
      next_jumps = JumpsOf(g + kDirection);
      Prefetch(g + 3 * kDirection, false);
      const auto visit = [&](int i) {
        state.template Step<Dearer(kReverse)>(words[i], JumpAt<kReverse>(jumps, i), constants);
      };
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
      Saved saved;
      state.SaveNormalized(saved);
      StoreBytes<Saved::kBytes>(checkpoint, saved.words);
      state.Normalize();
      checkpoint += kDirection * kCheckpointBytes;
      g += kDirection;
    }
  }

  // Segments begin .. end - 1, in the direction's order, from where the other direction has been to the
  // line's end. Calls after(g) when segment g is written.
  template <bool kReverse, typename After>
  __device__ __forceinline__ void WriteSums(State& state, int begin, int end, const After& after) const {
    if (begin >= end) return;
    constexpr bool kOther = !kReverse;
    constexpr int kDirection = kReverse ? -1 : 1;
    int g = kReverse ? end - 1 : begin;
    const std::uint8_t* from = a.costs + PixelOf(g) * kPixelBytes + lane * CostValues::kBytes;
    const std::uint8_t* checkpoint = CheckpointOf(g + kDirection);  // where the other direction comes from
    std::uint8_t* to = volume + PixelOf(g) * kSumBytes + lane * SumValues::kBytes;
    Costs costs;
    Saved next_entry;
    LoadSegment(g, from, costs);
    LoadCheckpoint(g + kDirection, checkpoint, next_entry);
    std::uint32_t next_jumps = JumpsOf(g);
#pragma unroll 1
    for (int left = end - begin; left > 0; --left) {
      const std::uint32_t jumps = next_jumps;
      std::uint32_t words[kSegment][K];
      MakeWords(costs, words);
      State other;
      other.RestoreNormalized(next_entry);
      from = Further<kPixelBytes>(from, kDirection * kSegment);
      to = Further<kSumBytes>(to, kDirection * kSegment);  // a segment behind `from`: sums follow costs
      checkpoint += kDirection * kCheckpointBytes;
      LoadSegment(g + kDirection, from, costs);
      LoadCheckpoint(g + 2 * kDirection, checkpoint, next_entry);
      next_jumps = JumpsOf(g + kDirection);
      Prefetch(g + 3 * kDirection, true);
      Saved saved[kSegment];  // of the direction that first reaches a pixel
      const auto store = [&](const Saved& last, int i, bool stores_first, bool stores_second) {
        SumValues first, second;
        AddUp<K, T>(last, saved[i], first, second);
        std::uint8_t* const at = Further<kSumBytes>(to, i - kDirection * kSegment);
        if (stores_first && Shape::HasValues(lane)) first.StoreOnce(at, 0);
        if (stores_second && Shape::HasValues(lane))
          second.StoreOnce(at + static_cast<std::ptrdiff_t>(Beside()) * kSumBytes, 0);
      };
      if (!IsEdge(g)) {
        // Both directions at the same time: they meet in the middle, and from there each finds the other's
        // costs.
#pragma unroll
        for (int turn = 0; turn < kSegment; ++turn) {
          const int i = kReverse ? kSegment - 1 - turn : turn, i_other = kSegment - 1 - i;
          const std::uint32_t jump_here = JumpAt<kReverse>(jumps, i),
                              jump_there = JumpAt<kOther>(jumps, i_other);
          const auto look = state.template Look<Dearer(kReverse)>(constants),
                     look_other = other.template Look<Dearer(kOther)>(constants);
          const std::uint32_t least = state.template Advance<Dearer(kReverse)>(look, words[i], jump_here,
                                                                               constants),
                              least_other = other.template Advance<Dearer(kOther)>(look_other, words[i_other],
                                                                                   jump_there, constants);
          state.FindLowest(least, constants);
          if (turn + 1 < kSegment) other.FindLowest(least_other, constants);
          Saved here, there;
          state.Save(here);
          other.Save(there);
          if (turn < kSegment / 2) {
            saved[i] = here;
            saved[i_other] = there;
          } else {
            if (kSegment == 1) saved[i] = there;
            store(here, i, true, line.has_b);
            if (i != i_other) store(there, i_other, true, line.has_b);
          }
        }
      } else {
        const int places = min(line.count - g * kSegment, kSegment);
        ForSegment<kOther>([&](int i) {
          if (i >= places) return;
          other.template Step<Dearer(kOther)>(words[i], JumpAt<kOther>(jumps, i), constants);
          other.Save(saved[i]);
          other.Keep(InsideAt(g * kSegment + i));
        });
        ForSegment<kReverse>([&](int i) {
          if (i >= places) return;
          state.template Step<Dearer(kReverse)>(words[i], JumpAt<kReverse>(jumps, i), constants);
          const std::uint32_t inside = InsideAt(g * kSegment + i);
          Saved here;
          state.Save(here);
          store(here, i, (inside & 0xFFFFU) != 0, (inside & 0xFFFF0000U) != 0 && line.has_b);
          state.Keep(inside);
        });
      }
      state.Normalize();
      after(g);
      g += kDirection;
    }
  }
};

// The walk of a warp.
template <typename Walk>
__device__ __forceinline__ Walk MakeLineWalk(const AggregationArguments& a, const LinePairPlace& line,
                                             int volume, std::uint8_t* checkpoints, bool has_ground) {
  const int lane = static_cast<int>(threadIdx.x);
  const int hidden_zero = lane & static_cast<int>(a.one - 1);
  Walk walk{
      a,
      line,
      a.jumps + static_cast<std::size_t>(volume) * a.jump_words,
      checkpoints,
      a.sums + static_cast<std::size_t>(volume) * a.sum_bytes,
      lane,
      (line.count + Walk::kSegment - 1) / Walk::kSegment,
      line.count / Walk::kSegment,
      line.step + hidden_zero,
      StepConstants(lane, Walk::kLanes, has_ground ? a.p1_ground : a.p1, has_ground ? a.p1_extra : 0U, a.one),
      InBothHalves(a.p2 - a.p1)};
  if constexpr (Walk::kOrPadding) {
#pragma unroll
    for (int j = 0; j < Walk::kWords; ++j)
      walk.padding[j] = lane * Walk::kWords + j >= a.num_disparities ? InBothHalves(kPaddingCost) : 0U;
  }
  return walk;
}

}  // namespace parallax::cuda
