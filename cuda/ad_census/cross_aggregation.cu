// Sums along the arms of the crosses, as differences of sums from a segment's begin.
//
// A block has a segment of a row or a column, a lane two successive disparities. What the segment's arms can
// reach is added up pixel by pixel: every warp takes equally many pixels and begins with what the warps
// before it have in all. The sums stand in shared memory. Then each warp takes, for every cell of its share
// of the segment, the difference of the sums at the cell's own two ends, however long its arms are. The sums
// wrap around, their differences do not: along one line they stay below 2^16, over a region below 2^23.
//
// Between two iterations the means of the one are wanted only for the sums of the next, along the same lines:
// one kernel makes both, where the device has the shared memory for it. It takes the means beyond either end
// of its segment that the sums' arms reach, too.
#include "cuda/ad_census/cross_aggregation.h"

#include <algorithm>
#include <utility>

#include "cuda/ad_census/cross_lines.cuh"
#include "cuda/device/check.h"
#include "cuda/device/device_code.h"
#include "cuda/device/warp.cuh"
#include "pipeline/rules/ad_census_tables.h"

namespace parallax::cuda::ad_census {
namespace {

// What a walk gives: sums along the line; those divided by the size of the region; sums of the spans across
// the line, which are the sizes.
enum class Walk { kSums, kMeans, kSizes };

// Sums of both cells of a lane apart, or in one word.
constexpr int PartsOf(Walk walk) { return walk == Walk::kMeans ? 2 : 1; }
// Long segments read less beyond their ends; more blocks hide what each waits for.
constexpr int kWarps = 8;
constexpr int PixelsOf(Walk walk) { return walk == Walk::kMeans ? 24 : 32; }

// The values of a warp's kPixels pixels from t on, those behind `last` 0.
template <int kPixels, typename Load>
__device__ __forceinline__ void LoadValues(int t, int last, std::uint32_t (&values)[kPixels],
                                           const Load& load) {
  if (t + kPixels <= last) {
#pragma unroll
    for (int i = 0; i < kPixels; ++i) values[i] = load(i);
  } else {
#pragma unroll
    for (int i = 0; i < kPixels; ++i) values[i] = t + i < last ? load(i) : 0;
  }
}

// The means of a lane's two cells. of_region: both sizes, or 1 / the size that both have.
template <bool kBoth>
__device__ __forceinline__ std::uint32_t MeansOf(std::uint32_t sum_low, std::uint32_t sum_high,
                                                 std::uint32_t of_region) {
  const float of_low =
      kBoth ? ReciprocalOf(__byte_perm(of_region, kFloatBits, 0x7610)) : __uint_as_float(of_region);
  const float of_high = kBoth ? ReciprocalOf(__byte_perm(of_region, kFloatBits, 0x7632)) : of_low;
  return __byte_perm(MeanOf(sum_low + kFloatBits, of_low), MeanOf(sum_high + kFloatBits, of_high), 0x5410);
}

// Pixels whose results are made together.
constexpr int ChunkOf(Walk walk) { return walk == Walk::kMeans ? 2 : 4; }

// A warp's share of what a block makes.
__device__ __forceinline__ int ShareOf(int count, int num_warps, int chunk) {
  return (count + num_warps * chunk - 1) / (num_warps * chunk) * chunk;
}

// Makes the results of a warp's pixels o .. o + count - 1, at most kMost, and calls write(i, result of o + i).
// slot: byte of pixel o in the sums. divisors: of means.
template <Walk kWalk, bool kWhole, int kPartWords, int kMost, typename Around, typename Write>
__device__ __forceinline__ void MakeResults(Around& around, int count, const std::uint32_t* sums, int slot,
                                            const std::uint32_t (&divisors)[kMost], const Write& write) {
  constexpr int kChunk = ChunkOf(kWalk);
  std::uint32_t of[2][kChunk] = {};
  if (kWhole || count > 0) around.template Load<kWhole>(0, of[0]);
#pragma unroll
  for (int i = 0; i < kMost; i += kChunk) {
    if (!kWhole && i >= count) break;
    if (i + kChunk < kMost && (kWhole || i + kChunk < count))
      around.template Load<kWhole>(i + kChunk, of[i / kChunk % 2 ^ 1]);
#pragma unroll
    for (int u = 0; u < kChunk; ++u) {
      if (!kWhole && i + u >= count) break;
      std::uint32_t reach[2];
      around.Shorten(i + u, of[i / kChunk % 2][u], reach);
      const auto between = [&](int part, std::uint32_t along) {
        return Between(sums, slot, ((i + u) * kSlotWords + part * kPartWords) * 4, along);
      };
      std::uint32_t result = 0;
      if constexpr (kWalk == Walk::kMeans) {
        result = MeansOf<Around::kOfBoth>(between(0, reach[0]), between(1, reach[1]), divisors[i + u]);
      } else {
        result = between(0, reach[0]);
        if constexpr (Around::kOfBoth) result = __byte_perm(result, between(0, reach[1]), 0x7610);
      }
      write(i + u, result);
    }
  }
}

template <Walk kWalk, int kPartWords, int kMost, typename Around, typename Write>
__device__ __forceinline__ void MakeResults(Around& around, int count, const std::uint32_t* sums, int slot,
                                            const std::uint32_t (&divisors)[kMost], const Write& write) {
  if (around.template IsWhole<kMost>()) {
    MakeResults<kWalk, true, kPartWords>(around, count, sums, slot, divisors, write);
  } else {
    MakeResults<kWalk, false, kPartWords>(around, count, sums, slot, divisors, write);
  }
}

template <Walk kWalk, bool kRows, bool kBoth>
__global__ void __launch_bounds__(kWarpSize* kWarps, 4) CrossKernel(const CrossArguments a) {
  constexpr int kPixels = PixelsOf(kWalk), kParts = PartsOf(kWalk);
  constexpr int kPartWords = Slots<kWarps, kPixels>::kPartWords;
  extern __shared__ std::uint32_t sums[];
  std::uint32_t* const totals = sums + kParts * kPartWords;
  const int warp = Warp();
  const Segment s = SegmentOfBlock<kRows>(a);
  if (s.begin >= s.end) return;
  const int first = s.First(a.longest), last = s.Last(a.longest);

  const int share = ShareOf(s.end - s.begin, kWarps, ChunkOf(kWalk));
  const int o = s.begin + warp * share, count = min(share, s.end - o);
  Surroundings<kRows, kBoth> around(a, s, o, count);
  if constexpr (kWalk == Walk::kMeans) around.PrefetchDivisors();
  std::uint32_t values[kPixels];
  const int t = first + warp * kPixels;
  if constexpr (kWalk == Walk::kSizes) {
    const std::uint16_t* const across = a.cross_left + s.origin + static_cast<std::int64_t>(t) * s.step;
    const std::uint32_t step_bytes = static_cast<std::uint32_t>(s.step) * 2U;
    std::conditional_t<kRows, RowSpans, ColumnSpans> spans(a.cross_right, s.line, t, s.d, a.shape);
    LoadValues(t, last, values, [&](int i) { return spans.Of(i, *Ahead(across, i, step_bytes)); });
  } else {
    const std::uint32_t* const from = Ahead(a.from + s.word, t, s.word_step_bytes);
    LoadValues(t, last, values, [&](int i) { return *Ahead(from, i, s.word_step_bytes); });
  }
  AddUp<kParts, kWarps>(values, sums, totals, [&] {
    if constexpr (kWalk == Walk::kMeans) around.LoadDivisors(values);
  });
  std::uint32_t* const to = Ahead(a.to + s.word, o, s.word_step_bytes);
  MakeResults<kWalk, kPartWords>(
      around, count, sums, SlotOf(o, first), values,
      [&](int i, std::uint32_t result) { *Ahead(to, i, s.word_step_bytes) = result; });
}

// --- the means of an iteration, and their sums for the next ----------------------------------------------
constexpr int kJointWarps = 16, kJointPixels = 24;
using JointSlots = Slots<kJointWarps, kJointPixels>;

template <bool kRows, bool kBoth>
__global__ void __launch_bounds__(kWarpSize* kJointWarps, 2) MeansAndSumsKernel(const CrossArguments a) {
  constexpr int kPartWords = JointSlots::kPartWords;
  using Around = Surroundings<kRows, kBoth>;
  extern __shared__ std::uint32_t sums[];
  std::uint32_t* const totals = sums + 2 * kPartWords;
  const int warp = Warp();
  const Segment s = SegmentOfBlock<kRows>(a);
  if (s.begin >= s.end) return;
  const int first = s.First(2 * a.longest), last = s.Last(2 * a.longest);
  const int first_mean = s.First(a.longest), last_mean = s.Last(a.longest);

  const int mean = first_mean + warp * kJointPixels, num_means = min(last_mean - mean, kJointPixels);
  Around around_means(a, s, mean, num_means);
  around_means.PrefetchDivisors();
  std::uint32_t values[kJointPixels];
  {
    const int t = first + warp * kJointPixels;
    const std::uint32_t* const from = Ahead(a.from + s.word, t, s.word_step_bytes);
    LoadValues(t, last, values, [&](int i) { return *Ahead(from, i, s.word_step_bytes); });
  }
  AddUp<2, kJointWarps>(values, sums, totals, [&] { around_means.LoadDivisors(values); });
  MakeResults<Walk::kMeans, kPartWords>(around_means, num_means, sums, SlotOf(mean, first), values,
                                        [&](int i, std::uint32_t result) { values[i] = result; });
  const int share = ShareOf(s.end - s.begin, kJointWarps, ChunkOf(Walk::kSums));
  const int o = s.begin + warp * share, count = min(share, s.end - o);
  Around around(a, s, o, count);
  AddUp<1, kJointWarps>(values, sums, totals, [] {});
  std::uint32_t* const to = Ahead(a.to + s.word, o, s.word_step_bytes);
  MakeResults<Walk::kSums, kPartWords>(
      around, count, sums, SlotOf(o, first_mean), values,
      [&](int i, std::uint32_t sum) { *Ahead(to, i, s.word_step_bytes) = sum; });
}

// The reciprocals of the regions' sizes, by the left crosses alone.
template <bool kRowsFirst>
__global__ void ReciprocalKernel(const std::uint16_t* row_arms, const std::uint16_t* column_arms, int width,
                                 int height, float* reciprocals) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  const std::ptrdiff_t pixel = static_cast<std::ptrdiff_t>(y) * width + x;
  const std::uint16_t* const along = kRowsFirst ? column_arms : row_arms;
  const std::uint16_t* const across = kRowsFirst ? row_arms : column_arms;
  const std::ptrdiff_t step = kRowsFirst ? width : 1;
  const int back = along[pixel] & 0xFF, ahead = along[pixel] >> 8;
  std::uint32_t size = 0;
  for (int k = -back; k <= ahead; ++k) size += SpanOf(across[pixel + k * step]);
  reciprocals[pixel] = __frcp_rn(static_cast<float>(size));
}

int NumSegments(int length, int room, int beyond) {
  const auto segments_of = [&](int longest) { return (length + longest - 1) / longest; };
  if (length <= room) return 1;
  return segments_of(room - beyond) <= 2 ? 2 : segments_of(room - 2 * beyond);
}

// Calls kernel with the segments that a line is cut into, of which a block adds up at most `room` pixels,
// `beyond` of them at either end of the segment.
template <typename Kernel>
void Launch(const char* name, Kernel kernel, CrossArguments a, bool rows, int num_warps, int shared_bytes,
            int room, int beyond, cudaStream_t stream) {
  const CostShape& shape = a.shape;
  const int num_lines = rows ? shape.height : shape.width, length = rows ? shape.width : shape.height;
  const int num_segments = NumSegments(length, room, beyond);
  a.segment_length = (length + num_segments - 1) / num_segments;
  Check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
        "cudaFuncSetAttribute");
  const auto num_blocks = static_cast<unsigned>(num_lines) * static_cast<unsigned>(a.num_groups) *
                          static_cast<unsigned>(num_segments);
  kernel<<<num_blocks, dim3(kWarpSize, static_cast<unsigned>(num_warps)), shared_bytes, stream>>>(a);
  CheckLaunch(name);
}

template <Walk kWalk, bool kRows, bool kBoth>
void LaunchWalk(const CrossArguments& a, cudaStream_t stream) {
  using Room = Slots<kWarps, PixelsOf(kWalk)>;
  Launch("CrossKernel", CrossKernel<kWalk, kRows, kBoth>, a, kRows, kWarps, Room::SharedBytes(PartsOf(kWalk)),
         Room::kPixelsOfBlock, a.longest, stream);
}

void LaunchSizes(bool rows, const CrossArguments& a, cudaStream_t stream) {
  rows ? LaunchWalk<Walk::kSizes, true, true>(a, stream) : LaunchWalk<Walk::kSizes, false, true>(a, stream);
}

void LaunchSums(bool rows, bool both, const CrossArguments& a, cudaStream_t stream) {
  if (both) {
    return rows ? LaunchWalk<Walk::kSums, true, true>(a, stream)
                : LaunchWalk<Walk::kSums, false, true>(a, stream);
  }
  return rows ? LaunchWalk<Walk::kSums, true, false>(a, stream)
              : LaunchWalk<Walk::kSums, false, false>(a, stream);
}

void LaunchMeans(bool rows, bool both, const CrossArguments& a, cudaStream_t stream) {
  if (both) {
    return rows ? LaunchWalk<Walk::kMeans, true, true>(a, stream)
                : LaunchWalk<Walk::kMeans, false, true>(a, stream);
  }
  return rows ? LaunchWalk<Walk::kMeans, true, false>(a, stream)
              : LaunchWalk<Walk::kMeans, false, false>(a, stream);
}

void LaunchMeansAndSums(bool rows, bool both, const CrossArguments& a, cudaStream_t stream) {
  const auto launch = [&](auto kernel) {
    Launch("MeansAndSumsKernel", kernel, a, rows, kJointWarps, JointSlots::SharedBytes(2),
           JointSlots::kPixelsOfBlock, 2 * a.longest, stream);
  };
  if (both) return rows ? launch(MeansAndSumsKernel<true, true>) : launch(MeansAndSumsKernel<false, true>);
  return rows ? launch(MeansAndSumsKernel<true, false>) : launch(MeansAndSumsKernel<false, false>);
}

CrossArguments ArgumentsAlong(bool rows, const Views& views, const CostShape& shape,
                              const AdCensusParameters& parameters) {
  CrossArguments a{};
  a.shape = shape;
  a.num_groups = shape.num_groups();
  a.longest = std::min(parameters.arm_length, kMaxArmSpan_px / 2 + 1) - 1;
  a.arms_left = rows ? views.left.row_arms : views.left.column_arms;
  a.arms_right = rows ? views.right.row_arms : views.right.column_arm_pairs;
  a.cross_left = rows ? views.left.column_arms : views.left.row_arms;
  a.cross_right = rows ? views.right.column_arms : views.right.row_arm_pairs;
  return a;
}

int NumOrders(const AdCensusParameters& parameters) { return std::min(parameters.iterations, 2); }

}  // namespace

void MakeRegionSizes(const Views& views, const CostShape& shape, const AdCensusParameters& parameters,
                     const RegionSizes& sizes, SizesMade& made, cudaStream_t stream) {
  for (int i = 0; i < NumOrders(parameters); ++i) {
    const bool rows_first = i == 0;
    if (parameters.support == SupportRegion::kBoth) {
      CrossArguments a = ArgumentsAlong(!rows_first, views, shape, parameters);
      a.to = reinterpret_cast<std::uint32_t*>(sizes.volumes[i]);
      LaunchSizes(!rows_first, a, stream);
    } else {
      const dim3 block(32, 8),
          grid(static_cast<unsigned>((shape.width + 31) / 32), static_cast<unsigned>((shape.height + 7) / 8));
      (rows_first ? ReciprocalKernel<true> : ReciprocalKernel<false>)<<<grid, block, 0, stream>>>(
          views.left.row_arms, views.left.column_arms, shape.width, shape.height, sizes.reciprocals[i]);
      CheckLaunch("ReciprocalKernel");
    }
    made[i].Record(stream);
  }
}

std::uint16_t* AggregateOverCrosses(const Views& views, const CostShape& shape,
                                    const AdCensusParameters& parameters, std::uint16_t* costs,
                                    std::uint16_t* other, const RegionSizes& sizes, const SizesMade& made,
                                    Fork& fork, cudaStream_t stream) {
  const bool both = parameters.support == SupportRegion::kBoth;
  // Aggregates some groups of disparities. Returns which volume holds the result.
  const auto aggregate = [&](int first_group, int num_groups, cudaStream_t on) {
    std::uint16_t *from = costs, *to = other;
    const auto launch = [&](const auto& kernel, CrossArguments a) {
      a.from = reinterpret_cast<const std::uint32_t*>(from);
      a.to = reinterpret_cast<std::uint32_t*>(to);
      kernel(a);
      std::swap(from, to);
    };
    for (int i = 0; i <= parameters.iterations && parameters.iterations > 0; ++i) {
      // The means of iteration i - 1 and the sums of iteration i, both along the same lines.
      const bool rows = i % 2 == 0, has_means = i > 0, has_sums = i < parameters.iterations;
      CrossArguments along = ArgumentsAlong(rows, views, shape, parameters);
      along.first_group = first_group;
      along.num_groups = num_groups;
      if (has_means) {
        const int order = (i - 1) % 2;
        along.sizes = reinterpret_cast<const std::uint32_t*>(sizes.volumes[order]);
        along.reciprocals = sizes.reciprocals[order];
        if (i <= NumOrders(parameters))
          Check(cudaStreamWaitEvent(on, made[order].get()), "cudaStreamWaitEvent");
      }
      if (has_means && has_sums && JointSlots::SharedBytes(2) <= MostSharedBytes()) {
        launch([&](const CrossArguments& a) { LaunchMeansAndSums(rows, both, a, on); }, along);
        continue;
      }
      if (has_means) launch([&](const CrossArguments& a) { LaunchMeans(rows, both, a, on); }, along);
      if (has_sums) launch([&](const CrossArguments& a) { LaunchSums(rows, both, a, on); }, along);
    }
    return from;
  };
  const int num_forked = shape.num_groups() / 2, num_groups = shape.num_groups() - num_forked;
  if (num_forked == 0) return aggregate(0, num_groups, stream);
  fork.begun.Record(stream);
  Check(cudaStreamWaitEvent(fork.stream.get(), fork.begun.get()), "cudaStreamWaitEvent");
  std::uint16_t* const result = aggregate(0, num_groups, stream);
  aggregate(num_groups, num_forked, fork.stream.get());
  fork.done.Record(fork.stream.get());
  Check(cudaStreamWaitEvent(stream, fork.done.get()), "cudaStreamWaitEvent");
  return result;
}

}  // namespace parallax::cuda::ad_census
