#include "cuda/cloud/emd_solver.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "cuda/check.h"
#include "pipeline/cloud/emd_problem.h"
#include "pipeline/error.h"

namespace parallax::cuda {
namespace {

// Deals out parts of one allocation; without memory it only counts.
class Arena {
 public:
  explicit Arena(std::byte* memory) : memory_(memory) {}
  template <typename T>
  T* Take(std::size_t count) {
    const std::size_t at = bytes_;
    bytes_ = (bytes_ + count * sizeof(T) + 255) / 256 * 256;
    return memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + at);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  std::size_t bytes_ = 0;
};

struct HostSide {
  std::vector<float4> points, boxes, parents;
};

HostSide MakeHostSide(const emd::Side& side, int num_boxes) {
  HostSide host;
  for (std::size_t i = 0; i < side.x.size(); ++i) host.points.push_back({side.x[i], side.y[i], side.z[i], 0});
  for (int box = 0; box < num_boxes; ++box) {
    host.boxes.push_back({side.low_x[box], side.low_y[box], side.low_z[box], 0});
    host.boxes.push_back({side.high_x[box], side.high_y[box], side.high_z[box], 0});
    if (box % kEmdBox == 0) {
      host.parents.push_back(host.boxes[2 * box]);
      host.parents.push_back(host.boxes[2 * box + 1]);
    }
    float4 &low = host.parents[host.parents.size() - 2], &high = host.parents.back();
    low = {std::min(low.x, host.boxes[2 * box].x), std::min(low.y, host.boxes[2 * box].y),
           std::min(low.z, host.boxes[2 * box].z), 0};
    high = {std::max(high.x, host.boxes[2 * box + 1].x), std::max(high.y, host.boxes[2 * box + 1].y),
            std::max(high.z, host.boxes[2 * box + 1].z), 0};
  }
  return host;
}

struct PairBuffers {
  float4 *a, *b, *a_boxes, *b_boxes, *a_parents, *b_parents;
};

EmdPairOnDevice TakePair(Arena* arena, int size, int blocks, PairBuffers* buffers) {
  EmdPairOnDevice pair{};
  pair.size = size;
  pair.num_boxes = (size + kEmdBox - 1) / kEmdBox;
  pair.num_parents = (pair.num_boxes + kEmdBox - 1) / kEmdBox;
  const std::size_t padded = static_cast<std::size_t>(pair.num_boxes) * kEmdBox, boxes = pair.num_boxes,
                    parents = pair.num_parents;
  pair.a = buffers->a = arena->Take<float4>(padded);
  pair.b = buffers->b = arena->Take<float4>(padded);
  pair.a_boxes = buffers->a_boxes = arena->Take<float4>(2 * boxes);
  pair.b_boxes = buffers->b_boxes = arena->Take<float4>(2 * boxes);
  pair.a_parents = buffers->a_parents = arena->Take<float4>(2 * parents);
  pair.b_parents = buffers->b_parents = arena->Take<float4>(2 * parents);
  for (auto& state : pair.states) state = arena->Take<unsigned long long>(padded);
  pair.box_price = arena->Take<std::int32_t>(boxes);
  pair.box_best = arena->Take<std::int32_t>(boxes);
  pair.parent_price = arena->Take<std::int32_t>(parents);
  pair.parent_best = arena->Take<std::int32_t>(parents);
  for (std::int32_t** array : {&pair.object, &pair.hint, &pair.best, &pair.pushed, &pair.link,
                               &pair.own_price, &pair.wish, &pair.match, &pair.free_objects}) {
    *array = arena->Take<std::int32_t>(padded + blocks);
  }
  pair.sums = arena->Take<EmdPhaseSums>(kMostEmdPhases);
  pair.outcome = arena->Take<EmdOutcome>(1);
  return pair;
}

// Measured on an H200 (docs/clouds.md). Large clouds have longer paths, so that a price update costs more
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

}  // namespace

void EmdSolver::Reserve(std::size_t bytes) {
  if (memory_.size() >= bytes) return;
  memory_ = DeviceBuffer<std::byte>();
  memory_ = DeviceBuffer<std::byte>(bytes);
}

std::vector<EmdResult> EmdSolver::Solve(std::span<const EmdPair> pairs, const EmdOptions& options,
                                        const EmdLaunch& launch) {
  for (const EmdPair& pair : pairs) CheckEmdInput(pair, options);
  if (pairs.empty()) return {};
  const auto start = std::chrono::steady_clock::now();
  struct Prepared {
    emd::Problem problem;
    HostSide a, b;
  };
  std::vector<Prepared> prepared(pairs.size());
  pool_.ParallelFor(static_cast<int>(pairs.size()), [&](int k) {
    emd::Problem problem = emd::MakeProblem(pairs[k]);
    HostSide a = MakeHostSide(problem.a, problem.num_boxes), b = MakeHostSide(problem.b, problem.num_boxes);
    prepared[k] = {std::move(problem), std::move(a), std::move(b)};
  });
  int largest = 0;
  for (const Prepared& pair : prepared) largest = std::max(largest, pair.problem.size);
  const int threads =
      launch.block_threads > 0 ? std::min(launch.block_threads, kMostEmdThreads) : kMostEmdThreads;
  const int most_blocks = MostEmdBlocks(threads), num_pairs = static_cast<int>(pairs.size());
  if (most_blocks == 0)
    throw Error("emd: this device has too few registers for the kernel; use --backend cpu");
  int blocks = launch.blocks_per_pair > 0 ? launch.blocks_per_pair : std::max(1, most_blocks / num_pairs);
  blocks = std::min({blocks, most_blocks, std::max(1, (largest + threads / 32 - 1) / (threads / 32))});
  const int num_groups = std::min(num_pairs, most_blocks / blocks);

  std::vector<EmdPairOnDevice> on_device(pairs.size());
  std::vector<PairBuffers> buffers(pairs.size());
  EmdPairOnDevice* pair_array = nullptr;
  EmdGroupControl* control = nullptr;
  const auto lay_out = [&](std::byte* memory) {
    Arena arena(memory);
    pair_array = arena.Take<EmdPairOnDevice>(pairs.size());
    control = arena.Take<EmdGroupControl>(num_groups);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      on_device[k] = TakePair(&arena, prepared[k].problem.size, blocks, &buffers[k]);
    }
    return arena.bytes();
  };
  Reserve(lay_out(nullptr));
  lay_out(memory_.data());
  const auto upload = [&](auto* to, const auto& from) {
    Check(cudaMemcpyAsync(to, from.data(), from.size() * sizeof(from[0]), cudaMemcpyHostToDevice,
                          stream_.get()),
          "cudaMemcpyAsync");
  };
  EmdPhaseSums zero{};
  zero.least_price = 1 << 30;
  const std::vector<EmdPhaseSums> sums(kMostEmdPhases, zero);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const HostSide &a = prepared[k].a, &b = prepared[k].b;
    upload(buffers[k].a, a.points);
    upload(buffers[k].b, b.points);
    upload(buffers[k].a_boxes, a.boxes);
    upload(buffers[k].b_boxes, b.boxes);
    upload(buffers[k].a_parents, a.parents);
    upload(buffers[k].b_parents, b.parents);
    upload(on_device[k].sums, sums);
  }
  upload(pair_array, on_device);
  Check(cudaMemsetAsync(control, 0, num_groups * sizeof(EmdGroupControl), stream_.get()), "cudaMemsetAsync");
  EmdKernelOptions kernel = launch.kernel ? *launch.kernel : TunedOptions(largest, blocks);
  kernel.gap = options.gap;
  kernel.time_limit_s = options.time_limit_s;
  kernel.max_rounds = options.max_rounds;
  Event before(true), after(true);
  before.Record(stream_.get());
  LaunchEmd(pair_array, num_pairs, num_groups, blocks, threads, largest <= kFlatBoxes * kEmdBox, control,
            kernel, stream_.get());
  after.Record(stream_.get());

  std::vector<EmdResult> results(pairs.size());
  outcomes_.resize(pairs.size());
  std::vector<std::vector<std::int32_t>> matches(pairs.size());
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    matches[k].resize(prepared[k].problem.size);
    Check(cudaMemcpyAsync(matches[k].data(), on_device[k].match, matches[k].size() * sizeof(std::int32_t),
                          cudaMemcpyDeviceToHost, stream_.get()),
          "cudaMemcpyAsync");
    Check(cudaMemcpyAsync(&outcomes_[k], on_device[k].outcome, sizeof(EmdOutcome), cudaMemcpyDeviceToHost,
                          stream_.get()),
          "cudaMemcpyAsync");
  }
  Check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  Check(cudaEventElapsedTime(&device_ms_, before.get(), after.get()), "cudaEventElapsedTime");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  pool_.ParallelFor(static_cast<int>(pairs.size()), [&](int k) {
    EmdResult& result = results[k];
    emd::CompleteMatch(matches[k]);
    emd::SetMatch(prepared[k].problem, matches[k], &result);
    const double bound =
        static_cast<double>(outcomes_[k].bound) / prepared[k].problem.size * prepared[k].problem.unit_m;
    result.lower_m = std::clamp(bound, 0.0, result.upper_m);
    result.rounds = outcomes_[k].rounds;
    result.seconds = seconds;
    result.stop = static_cast<EmdStop>(outcomes_[k].stop);
  });
  return results;
}

}  // namespace parallax::cuda
