#include "cuda/cloud/emd/emd_solver.h"

#include <algorithm>
#include <utility>

#include "cuda/cloud/emd/emd_sides.h"
#include "cuda/device/arena.h"
#include "cuda/device/check.h"
#include "parallax/error.h"
#include "pipeline/cloud/emd/emd_problem.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::cuda {
namespace {

// What a pair's auction works on, but for its match and outcome; the sides become where they are to stand.
EmdPairOnDevice TakePair(Arena* arena, int size, int blocks, EmdSideOnDevice* a, EmdSideOnDevice* b) {
  EmdPairOnDevice pair{};
  pair.size = size;
  pair.num_boxes = (size + kEmdBox - 1) / kEmdBox;
  pair.num_parents = (pair.num_boxes + kEmdBox - 1) / kEmdBox;
  const std::size_t padded = static_cast<std::size_t>(pair.num_boxes) * kEmdBox, boxes = pair.num_boxes,
                    parents = pair.num_parents;
  for (EmdSideOnDevice* side : {a, b}) {
    side->size = size;
    side->num_boxes = pair.num_boxes;
    side->points = arena->Take<float4>(padded);
    side->boxes = arena->Take<float4>(2 * boxes);
    side->parents = arena->Take<float4>(2 * parents);
  }
  pair.a = a->points, pair.a_boxes = a->boxes, pair.a_parents = a->parents;
  pair.b = b->points, pair.b_boxes = b->boxes, pair.b_parents = b->parents;
  for (auto& state : pair.states) state = arena->Take<unsigned long long>(padded);
  pair.box_price = arena->Take<std::int32_t>(boxes);
  pair.box_best = arena->Take<std::int32_t>(boxes);
  pair.parent_price = arena->Take<std::int32_t>(parents);
  pair.parent_best = arena->Take<std::int32_t>(parents);
  for (std::int32_t** array : {&pair.object, &pair.hint, &pair.best, &pair.pushed, &pair.link,
                               &pair.own_price, &pair.wish, &pair.free_objects}) {
    *array = arena->Take<std::int32_t>(padded + blocks);
  }
  return pair;
}

// The same layout in memory of the device and in page-locked memory: what is sent, and what comes back.
struct Transfers {
  EmdPairOnDevice* pairs;
  EmdSideOnDevice* sides;
  Point3f* points;  // of all sides
  std::size_t sent_bytes;
};
Transfers TakeTransfers(Arena* arena, std::size_t num_pairs, std::size_t num_points) {
  Transfers t{};
  t.pairs = arena->Take<EmdPairOnDevice>(num_pairs);
  t.sides = arena->Take<EmdSideOnDevice>(2 * num_pairs);
  t.points = arena->Take<Point3f>(num_points);
  t.sent_bytes = arena->bytes();
  return t;
}
// Lies in page-locked memory; outcomes and matches lie on the device too.
struct Answers {
  EmdOutcome* outcomes;
  std::int32_t* matches;  // of all pairs
  std::uint32_t* order;   // of all sides
};

// Measured on an H200 (docs/benchmarks.md). Large clouds have longer paths, so that a price update costs more
// beside a round; sweeps spare barriers where blocks have many persons, and cost where they have few.
EmdKernelOptions TunedOptions(int size, int blocks) {
  EmdKernelOptions options;
  options.sweeps = size / blocks > 128 ? 2 : 1;
  if (size <= kFlatBoxes * kEmdBox) return options;
  options.update_rounds = 40;
  options.update_bids = 0.05f;
  options.coarse_end = 0.003f;
  options.near_shift = 6;
  return options;
}

template <typename Buffer>
std::byte* Reserve(Buffer& memory, std::size_t bytes) {
  if (memory.size() < bytes) {
    memory = Buffer();  // first give back
    memory = Buffer(bytes);
  }
  return memory.data();
}

// How the blocks are shared out.
struct Shape {
  int most_size = 0, threads = 0, blocks = 0, groups = 0;  // blocks: of a group
};
Shape ShapeOf(std::span<const EmdPair> pairs, const EmdLaunch& launch) {
  Shape shape;
  for (const EmdPair& pair : pairs)
    shape.most_size = std::max(shape.most_size, static_cast<int>(pair.a.size()));
  shape.threads =
      launch.block_threads > 0 ? std::min(launch.block_threads, kMostEmdThreads) : kMostEmdThreads;
  const int most_blocks = MostEmdBlocks(shape.threads), num_pairs = static_cast<int>(pairs.size());
  if (most_blocks == 0)
    throw Error("emd: this device has too few registers for the kernel; use the back end cpu");
  const int warps = shape.threads / 32;
  shape.blocks = launch.blocks_per_pair > 0 ? launch.blocks_per_pair : std::max(1, most_blocks / num_pairs);
  shape.blocks = std::min({shape.blocks, most_blocks, std::max(1, (shape.most_size + warps - 1) / warps)});
  shape.groups = std::min(num_pairs, most_blocks / shape.blocks);
  return shape;
}

// Pairs that go to the device together.
struct Batch {
  std::span<const EmdPair> pairs;
  std::vector<std::size_t> first;  // place of every pair's match; its points begin at twice that
  std::size_t num_points = 0;      // of all sides
  std::vector<emd::Scale> scales;
  Transfers sent{}, there{};  // in page-locked memory, on the device
  Answers got{}, answers{};
  EmdGroupControl* control = nullptr;
  EmdPhaseSums* sums = nullptr;
  EmdSortBuffers sort{};

  explicit Batch(std::span<const EmdPair> pairs_)
      : pairs(pairs_), first(pairs_.size() + 1, 0), scales(pairs_.size()) {
    for (std::size_t k = 0; k < pairs.size(); ++k) first[k + 1] = first[k] + pairs[k].a.size();
    num_points = 2 * first.back();
  }

  Answers TakeAnswers(Arena* arena) const {
    return {.outcomes = arena->Take<EmdOutcome>(pairs.size()),
            .matches = arena->Take<std::int32_t>(first.back()),
            .order = arena->Take<std::uint32_t>(num_points)};
  }
  // The addresses on the device, those in what is sent too. Returns the bytes.
  std::size_t LayOut(std::byte* memory, const Shape& shape) {
    Arena arena(memory);
    there = TakeTransfers(&arena, pairs.size(), num_points);
    answers.outcomes = arena.Take<EmdOutcome>(pairs.size());
    answers.matches = arena.Take<std::int32_t>(first.back());
    control = arena.Take<EmdGroupControl>(static_cast<std::size_t>(shape.groups));
    sums = arena.Take<EmdPhaseSums>(pairs.size() * kMostEmdPhases);
    for (auto& keys : sort.keys) keys = arena.Take<std::uint64_t>(num_points);
    for (auto& order : sort.order) order = arena.Take<std::uint32_t>(num_points);
    sort.temporary_bytes = EmdSortBytes(static_cast<std::int64_t>(num_points));
    sort.temporary = arena.Take<std::byte>(sort.temporary_bytes);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      sent.pairs[k] = TakePair(&arena, static_cast<int>(pairs[k].a.size()), shape.blocks, &sent.sides[2 * k],
                               &sent.sides[2 * k + 1]);
    }
    return arena.bytes();
  }
  // Fills `sent` with the data of all pairs. Returns the number of parents of all sides.
  std::int64_t FillSent(ThreadPool& pool) {
    pool.ParallelFor(static_cast<int>(pairs.size()), [&](int task) {
      const auto k = static_cast<std::size_t>(task);
      sent.pairs[k].match = answers.matches + first[k];
      sent.pairs[k].outcome = answers.outcomes + k;
      sent.pairs[k].sums = sums + k * kMostEmdPhases;
      const emd::Scale& scale = scales[k] = emd::ScaleOf(pairs[k]);
      for (const std::size_t b : {0, 1}) {
        EmdSideOnDevice& side = sent.sides[2 * k + b];
        side.first_point = static_cast<std::int64_t>(2 * first[k] + b * pairs[k].a.size());
        std::copy(scale.low_m.begin(), scale.low_m.end(), side.low_m);
        side.cells_per_m = scale.cells_per_m;
        side.units_per_m = scale.units_per_m;
        const std::span<const Point3f> cloud = b == 0 ? pairs[k].a : pairs[k].b;
        std::copy(cloud.begin(), cloud.end(), sent.points + side.first_point);
      }
    });
    std::int64_t num_parents = 0;
    for (std::size_t side = 0; side < 2 * pairs.size(); ++side) {
      sent.sides[side].first_parent = num_parents;
      num_parents += sent.pairs[side / 2].num_parents;
    }
    return num_parents;
  }

  // When the answers are there; completes the pair's match.
  EmdResult ResultOf(std::size_t k) const {
    EmdResult result;
    const std::size_t size = pairs[k].a.size(), begin = 2 * first[k];
    const std::span<std::int32_t> match(got.matches + first[k], size);
    std::vector<std::int32_t> order(2 * size);  // of a, then of b, each counted from its own first point
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<std::int32_t>(got.order[begin + i] - (begin + (i < size ? 0 : size)));
    emd::CompleteMatch(match);
    emd::SetMatch(pairs[k], scales[k], std::span(order).first(size), std::span(order).last(size), match,
                  &result);
    const EmdOutcome& outcome = got.outcomes[k];
    const double bound = static_cast<double>(outcome.bound) / static_cast<double>(size) * scales[k].unit_m;
    result.lower_m = std::clamp(bound, 0.0, result.upper_m);
    result.rounds = outcome.rounds;
    result.stop = static_cast<EmdStop>(outcome.stop);
    return result;
  }
};

// How many of the pairs, at least one, go to the device together.
std::size_t NumTogether(std::span<const EmdPair> pairs) {
  constexpr std::size_t kMostPoints = std::size_t{1} << 30;
  std::size_t count = 0, points = 0;
  while (count < pairs.size() && count < kMostEmdSides / 2) {
    points += 2 * pairs[count].a.size();
    if (count > 0 && points > kMostPoints) break;
    ++count;
  }
  return count;
}

}  // namespace

std::vector<EmdResult> EmdSolver::Solve(std::span<const EmdPair> pairs, const EmdOptions& options,
                                        const EmdLaunch& launch) {
  for (const EmdPair& pair : pairs) CheckEmdInput(pair, options);
  std::vector<EmdResult> results;
  outcomes_.clear();
  device_ms_ = 0;
  while (results.size() < pairs.size()) {
    const std::span<const EmdPair> rest = pairs.subspan(results.size());
    for (EmdResult& result : SolveTogether(rest.first(NumTogether(rest)), options, launch))
      results.push_back(std::move(result));
  }
  return results;
}

std::vector<EmdResult> EmdSolver::SolveTogether(std::span<const EmdPair> pairs, const EmdOptions& options,
                                                const EmdLaunch& launch) {
  const Stopwatch watch;
  const Shape shape = ShapeOf(pairs, launch);
  Batch batch(pairs);
  Arena counter, answer_counter;
  TakeTransfers(&counter, pairs.size(), batch.num_points);
  batch.TakeAnswers(&answer_counter);
  Arena sent(Reserve(sent_, counter.bytes())), answers(Reserve(answers_, answer_counter.bytes()));
  batch.sent = TakeTransfers(&sent, pairs.size(), batch.num_points);
  batch.got = batch.TakeAnswers(&answers);
  const std::size_t bytes = batch.LayOut(nullptr, shape);
  batch.LayOut(Reserve(memory_, bytes), shape);
  const std::int64_t num_parents = batch.FillSent(pool_);

  const auto copy = [&](void* to, const void* from, std::size_t count) {
    Check(cudaMemcpyAsync(to, from, count, cudaMemcpyDefault, stream_.get()), "cudaMemcpyAsync");
  };
  const int num_pairs = static_cast<int>(pairs.size()), num_sides = 2 * num_pairs;
  const Transfers& there = batch.there;
  copy(there.pairs, batch.sent.pairs, there.sent_bytes);
  Check(cudaMemsetAsync(batch.control, 0, static_cast<std::size_t>(shape.groups) * sizeof(EmdGroupControl),
                        stream_.get()),
        "cudaMemsetAsync");
  StartEmdSums(batch.sums, num_pairs, stream_.get());
  const int current = SortEmdSides(there.sides, num_sides, there.points,
                                   static_cast<std::int64_t>(batch.num_points), batch.sort, stream_.get());
  FillEmdSides(there.sides, num_sides, num_parents, there.points, batch.sort.order[current], stream_.get());
  copy(batch.got.order, batch.sort.order[current], batch.num_points * sizeof(std::uint32_t));
  EmdKernelOptions kernel = launch.kernel ? *launch.kernel : TunedOptions(shape.most_size, shape.blocks);
  kernel.gap = options.gap;
  kernel.time_limit_s = options.time_limit_s;
  kernel.max_rounds = options.max_rounds;
  Event before(true), after(true);
  before.Record(stream_.get());
  LaunchEmd(there.pairs, num_pairs, shape.groups, shape.blocks, shape.threads,
            shape.most_size <= kFlatBoxes * kEmdBox, batch.control, kernel, stream_.get());
  after.Record(stream_.get());
  copy(batch.got.matches, batch.answers.matches, batch.first.back() * sizeof(std::int32_t));
  copy(batch.got.outcomes, batch.answers.outcomes, pairs.size() * sizeof(EmdOutcome));
  Check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  float milliseconds = 0;
  Check(cudaEventElapsedTime(&milliseconds, before.get(), after.get()), "cudaEventElapsedTime");
  device_ms_ += milliseconds;
  outcomes_.insert(outcomes_.end(), batch.got.outcomes, batch.got.outcomes + num_pairs);

  std::vector<EmdResult> results(pairs.size());
  pool_.ParallelFor(num_pairs, [&](int k) { results[k] = batch.ResultOf(static_cast<std::size_t>(k)); });
  const double seconds = watch.s();
  for (EmdResult& result : results) result.seconds = seconds;
  return results;
}

}  // namespace parallax::cuda
