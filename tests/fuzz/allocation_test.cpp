// Every allocation of every fuzz target's longest seed fails once: an exception that the target allows comes out,
// nothing is lost, and the next call succeeds. The same for what tools/torture found to hang, to crash or to lose
// results without a word.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/frames/run_folder.h"
#include "app/options/shared_options.h"
#include "app/session/input_text.h"
#include "datasets/system/process_memory.h"
#include "parallax/pair_queue.h"
#include "pipeline/frames/frame_pipeline.h"
#include "pipeline/matchers/device_pool.h"
#include "pipeline/threads/parallel.h"
#include "tests/fuzz/targets.h"

namespace {

std::atomic<long> g_num_live{0};
std::atomic<long> g_until_failure{0};  // 0: none fails

void* Allocate(std::size_t bytes, std::size_t alignment) {
  long left = g_until_failure.load();
  while (left > 0 && !g_until_failure.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 1) throw std::bad_alloc();
  void* const block = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (block == nullptr) throw std::bad_alloc();
  ++g_num_live;
  return block;
}

void Free(void* block) {
  if (block != nullptr) --g_num_live;
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) { return Allocate(bytes, alignof(std::max_align_t)); }
void* operator new[](std::size_t bytes) { return Allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return Allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return Allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { Free(block); }
void operator delete[](void* block) noexcept { Free(block); }
void operator delete(void* block, std::size_t) noexcept { Free(block); }
void operator delete[](void* block, std::size_t) noexcept { Free(block); }
void operator delete(void* block, std::align_val_t) noexcept { Free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { Free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { Free(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { Free(block); }

namespace parallax::fuzz {

// What a test's name says of its parameter: not the bytes in memory.
void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

namespace {

class FailingAllocation : public testing::TestWithParam<Target> {};

TEST_P(FailingAllocation, EndsTheCallAlone) {
  const Target& target = GetParam();
  if (target.name == "scored_run")
    GTEST_SKIP() << "nlohmann-json allocates in its destructor, which ends the program";
  const std::vector<Bytes> seeds = target.make_seeds();
  const Bytes& seed = *std::max_element(seeds.begin(), seeds.end(),
                                        [](const Bytes& a, const Bytes& b) { return a.size() < b.size(); });
  // Whether the n-th allocation exists, which fails.
  const auto fails = [&](long n) {
    g_until_failure = n;
    try {
      target.feed(seed);
    } catch (const std::bad_alloc&) {
    } catch (const std::exception& error) {
      ADD_FAILURE() << "allocation " << n << ": " << error.what();
    }
    return g_until_failure.exchange(0) == 0;
  };
  ASSERT_NO_THROW(target.feed(seed));  // makes what is made once
  constexpr long kMost = 1'000'000;
  g_until_failure = kMost;
  ASSERT_NO_THROW(target.feed(seed));
  const long num_allocations = kMost - g_until_failure.exchange(0);
  if (num_allocations == 0) GTEST_SKIP() << "this target allocates nothing";
  long num_live = g_num_live;
  for (long n = 1; n <= num_allocations && !HasFailure(); ++n) {
    EXPECT_TRUE(fails(n)) << n << " of " << num_allocations;
    if (g_num_live == num_live) continue;
    num_live = g_num_live;  // a library may make something once, a leak comes every time
    fails(n);
    EXPECT_EQ(g_num_live, num_live) << "allocation " << n << " of " << num_allocations;
  }
  EXPECT_NO_THROW(target.feed(seed));
  RecordProperty("allocations", std::to_string(num_allocations));
}

INSTANTIATE_TEST_SUITE_P(Targets, FailingAllocation, testing::ValuesIn(Targets()),
                         [](const auto& target) { return std::string(target.param.name); });

// Calls make() while its n-th allocation fails, for every n, and check(n, result) for every result. make() may throw
// std::bad_alloc.
template <typename Make, typename Check>
void WithEveryAllocationRefused(const Make& make, const Check& check) {
  bool has_failed = true;
  for (long n = 1; has_failed; ++n) {
    ASSERT_LT(n, 100'000);
    g_until_failure = n;
    try {
      const auto result = make();
      has_failed = g_until_failure.exchange(0) == 0;
      check(n, result);
    } catch (const std::bad_alloc&) {
      g_until_failure = 0;
    }
  }
}
template <typename Make>
void ExpectSameOrRefused(const Make& make) {
  const auto want = make();
  WithEveryAllocationRefused(
      make, [&](long n, const auto& got) { EXPECT_EQ(got, want) << "allocation " << n << " was refused"; });
}

TEST(RefusedMemory, TextsAreReadWholeOrNotAtAll) {
  const std::string long_line(60, 'x');
  const std::string parameters = "method: sgm\n" + long_line + "\nselection: {}\n" + long_line + "y\n";
  ExpectSameOrRefused([&] { return app::WithoutShard(parameters); });
  const std::string devices = "0,1,00000000000000000000000000000000000002,3";
  ExpectSameOrRefused([&] { return app::ParseDevices(devices).numbers; });
  const std::string input =
      "1242x375x8 0123456789abcdef0123 1242x375x8 0123456789abcdef4567 721.5 600 170 0.54 0";
  ExpectSameOrRefused([&] {
    const std::optional<app::InputParts> parts = app::ParseInputText(input);
    return parts ? parts->left + (parts->rig ? " with a rig" : "") : "none";
  });
}

TEST(RefusedMemory, AvailableMemoryIsFoundWithoutACrash) {
  WithEveryAllocationRefused([] { return MemoryAvailable(); },
                             [](long, const AvailableMemory& found) { EXPECT_GT(found.bytes, 0U); });
}

TEST(RefusedMemory, LeavesAPoolWithFewerThreads) {
  ExpectSameOrRefused([] {
    ThreadPool pool(4);
    std::vector<int> done(100);
    pool.ParallelFor(100, [&](int i) { done[static_cast<std::size_t>(i)] = i; });
    return std::accumulate(done.begin(), done.end(), 0);
  });
}

// Frames 0, 1, ...: the disparity of frame i is i.
class NumberedFrames : public FrameSource {
 public:
  SourceKind kind() const override { return SourceKind::kPair; }
  std::optional<std::size_t> num_frames() const override { return kFrames; }
  std::optional<std::string> NextName() override {
    return next_ < kFrames ? std::optional(std::to_string(next_)) : std::nullopt;
  }
  StereoFrame Read() override {
    StereoFrame frame;
    frame.name = std::to_string(next_);
    frame.left = HostImage<std::uint8_t>(5, 3, static_cast<std::uint8_t>(next_++));
    frame.right = HostImage<std::uint8_t>(5, 3);
    return frame;
  }
  void Skip() override { ++next_; }

 private:
  static constexpr int kFrames = 3;
  int next_ = 0;
};
class GrayMatcher : public StereoMatcher {
 public:
  void Compute(const CameraImageView& left, const CameraImageView&, DisparityMap& result, StageTimes*,
               StageResults*) override {
    const auto gray = std::get<HostImageView<const std::uint8_t>>(left);
    result = {HostImage<float>(gray.width, gray.height), HostImage<std::uint8_t>(gray.width, gray.height),
              HostImage<std::uint8_t>(gray.width, gray.height)};
    for (int y = 0; y < gray.height; ++y) std::copy_n(gray.Row(y), gray.width, result.disparity.Row(y));
  }
  std::string_view backend() const override { return "reference"; }
};

std::unique_ptr<MatcherQueue> GrayQueue(const Parameters&, const MatcherOptions&) {
  return MakeQueueOfOne(std::make_unique<GrayMatcher>(), false);
}

// By name; frames that failed are missing.
std::map<std::string, float> DisparitiesOf(const MakeQueue& make_queue) {
  std::mutex mutex;
  std::map<std::string, float> disparities;
  FrameSteps steps;
  steps.parameters_for = [](const StereoFrame&) { return Parameters{}; };
  steps.make_matcher = make_queue;
  steps.write = [&](const MatchedFrame& matched, FrameReport&) {
    const std::scoped_lock lock(mutex);
    disparities[matched.frame.name] = matched.map.disparity()(0, 0);
  };
  RunFrames(std::make_shared<NumberedFrames>(), steps, {.num_writers = 2, .num_readers = 1});
  return disparities;
}

TEST(RefusedMemory, NoFrameGetsTheDisparitiesOfAnother) {
  const auto expect_own = [](long n, const std::map<std::string, float>& disparities) {
    for (const auto& [name, disparity] : disparities)
      EXPECT_EQ(name, std::to_string(static_cast<int>(disparity))) << "allocation " << n << " was refused";
  };
  WithEveryAllocationRefused([] { return DisparitiesOf(GrayQueue); }, expect_own);
  WithEveryAllocationRefused(
      [] {
        const auto make = [](const Parameters& parameters, const MatcherOptions& options, int) {
          return GrayQueue(parameters, options);
        };
        DevicePool pool({{"one", make}, {"other", make}}, {});
        return DisparitiesOf([&](const Parameters& parameters, const MatcherOptions& options) {
          return pool.MakeQueue(parameters, options, 1);
        });
      },
      expect_own);
}

TEST(RefusedMemory, NoPairOfAQueueGetsTheDisparitiesOfAnother) {
  CameraImage pairs[2][2];
  for (auto& pair : pairs) {
    for (CameraImage& image : pair) image = HostImage<std::uint8_t>(48, 16);
  }
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 48; ++x) {
      for (int pair = 0; pair < 2; ++pair) {
        std::get<HostImage<std::uint8_t>>(pairs[pair][0])(x, y) =
            static_cast<std::uint8_t>((x * x * 7 + y * 31) % 251);
        std::get<HostImage<std::uint8_t>>(pairs[pair][1])(x, y) =
            static_cast<std::uint8_t>(((x + 3 + 5 * pair) * (x + 3 + 5 * pair) * 7 + y * 31) % 251);
      }
    }
  }
  Parameters parameters;
  parameters.matching_cost.num_disparities = 16;
  PairQueue queue(parameters, {.backend = "reference"}, 1);
  const auto disparity_of = [&](int pair) {
    queue.Submit(ViewOf(pairs[pair][0]), ViewOf(pairs[pair][1]));
    return queue.Collect().disparity(30, 8);
  };
  const float want[] = {disparity_of(0), disparity_of(1)};
  ASSERT_NE(want[0], want[1]);
  bool has_failed = true;
  for (long n = 1; has_failed; ++n) {
    g_until_failure = n;
    try {
      disparity_of(static_cast<int>(n % 2));
    } catch (const std::bad_alloc&) {
    }
    has_failed = g_until_failure.exchange(0) == 0;
    const int pair = static_cast<int>((n + 1) % 2);
    EXPECT_EQ(disparity_of(pair), want[pair]) << "allocation " << n << " was refused";
  }
}

}  // namespace
}  // namespace parallax::fuzz
