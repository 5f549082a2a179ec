// Frames of full size one after the other and several in flight, each of another scene: kernels of a frame
// begin while earlier ones still work (cuda/device/dependent_launch.cuh), so what an earlier frame left in
// memory or in a cache must never show. Small frames are over too soon to tell.
#include <cstddef>
#include <string>
#include <vector>

#include "cuda/matcher/cuda_matcher.h"
#include "pipeline/cpu/cpu_matcher.h"
#include "tests/cuda/require_device.h"
#include "tests/support/matcher_sweep.h"
#include "tests/support/plain_parameters.h"

namespace parallax::test {
namespace {

struct FullSize {
  int width, height, num_disparities, num_paths;
};

class CudaFullSizeFramesTest : public CudaTest {
 protected:
  // Pairs of noise in shifted blocks and what the cpu back end, itself equal to the reference, makes of them.
  void MakeFrames(const FullSize& size) {
    SweepCase c;
    c.options.width = size.width;
    c.options.height = size.height;
    c.parameters.matching_cost.num_disparities = size.num_disparities;
    c.parameters.aggregation.num_paths = size.num_paths;
    c.content = 5;
    parameters_ = c.parameters;
    options_ = c.options;
    pairs_.clear();
    expected_.clear();
    const auto matcher = MakeCpuMatcher(parameters_, options_);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      c.seed = 500 + seed;
      pairs_.push_back(MakeSweepPair(c));
      expected_.emplace_back();
      matcher->Compute(ViewOf(pairs_.back().left), ViewOf(pairs_.back().right), expected_.back());
    }
  }
  // A number below that of the pairs, in no period that memory in turns could share.
  [[nodiscard]] std::size_t PairOf(std::size_t frame) const {
    return (frame + frame / 3 + frame / 7) % pairs_.size();
  }
  void ExpectFrame(std::size_t frame, const DisparityMap& actual) const {
    const std::string difference = DifferenceOf("frame", expected_[PairOf(frame)], actual);
    ASSERT_TRUE(difference.empty()) << "frame " << frame << ": " << difference;
  }

  Parameters parameters_ = test::PlainParameters();
  MatcherOptions options_;
  std::vector<SweepPair> pairs_;
  std::vector<DisparityMap> expected_;
};

constexpr FullSize kSizes[] = {{1242, 375, 128, 8}, {1242, 375, 128, 4}, {1241, 376, 256, 8},
                               {1280, 720, 64, 8},  {801, 650, 128, 4},  {450, 1375, 192, 8},
                               {1920, 1080, 128, 8}};

TEST_F(CudaFullSizeFramesTest, OneAfterTheOther) {
  for (const FullSize& size : kSizes) {
    MakeFrames(size);
    const auto matcher = MakeCudaMatcher(parameters_, options_);
    DisparityMap actual;
    for (std::size_t frame = 0; frame < 24; ++frame) {
      const SweepPair& pair = pairs_[PairOf(frame)];
      matcher->Compute(ViewOf(pair.left), ViewOf(pair.right), actual);
      ASSERT_NO_FATAL_FAILURE(ExpectFrame(frame, actual)) << size.width << 'x' << size.height;
    }
  }
}

TEST_F(CudaFullSizeFramesTest, SeveralInFlight) {
  for (const FullSize& size : kSizes) {
    MakeFrames(size);
    const auto queue = MakeCudaFrameQueue(parameters_, options_, 4);
    std::size_t collected = 0;
    const auto collect = [&] { ExpectFrame(collected++, queue->Take()); };
    for (std::size_t frame = 0; frame < 60; ++frame) {
      if (queue->in_flight() == queue->capacity()) {
        ASSERT_NO_FATAL_FAILURE(collect()) << size.width;
      }
      const SweepPair& pair = pairs_[PairOf(frame)];
      queue->Submit(ViewOf(pair.left), ViewOf(pair.right));
    }
    while (queue->in_flight() > 0) ASSERT_NO_FATAL_FAILURE(collect()) << size.width;
  }
}

}  // namespace
}  // namespace parallax::test
