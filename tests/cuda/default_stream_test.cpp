// No work may go to the default stream: other streams of a program that uses it would wait for it.
#include <cuda_runtime_api.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>

#include "cuda/device/check.h"
#include "cuda/matcher/cuda_matcher.h"
#include "tests/cuda/require_device.h"
#include "tests/support/matcher_sweep.h"

namespace parallax::test {
namespace {

class CudaDefaultStreamTest : public CudaTest {};

// While it lives, work on the default stream of this process waits.
class BlockedDefaultStream {
 public:
  BlockedDefaultStream() {
    cuda::Check(
        cudaLaunchHostFunc(
            cudaStreamLegacy, [](void* self) { static_cast<BlockedDefaultStream*>(self)->Wait(); }, this),
        "cudaLaunchHostFunc");
  }
  ~BlockedDefaultStream() {
    Release();
    cudaStreamSynchronize(cudaStreamLegacy);
  }
  BlockedDefaultStream(const BlockedDefaultStream&) = delete;
  BlockedDefaultStream& operator=(const BlockedDefaultStream&) = delete;
  void Release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }

 private:
  void Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return released_; });
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool released_ = false;
};

// Whether work() ends while the default stream is blocked. Where it does not, the stream is let go in the
// end, so that the test ends too.
template <typename Work>
bool EndsMeanwhile(const Work& work) {
  BlockedDefaultStream blocked;
  std::future<void> done = std::async(std::launch::async, work);
  const bool ends = done.wait_for(std::chrono::seconds(60)) == std::future_status::ready;
  blocked.Release();
  done.get();
  return ends;
}

TEST_F(CudaDefaultStreamTest, TheBlockBlocks) {
  cudaEvent_t after = nullptr;
  cuda::Check(cudaEventCreateWithFlags(&after, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  {
    const BlockedDefaultStream blocked;
    cuda::Check(cudaEventRecord(after, cudaStreamLegacy), "cudaEventRecord");
    EXPECT_EQ(cudaEventQuery(after), cudaErrorNotReady);
    cudaGetLastError();
  }
  EXPECT_EQ(cudaEventQuery(after), cudaSuccess);
  cudaEventDestroy(after);
}

// Every path through the stages: all pixel types, rows of both kinds, sums of both sizes, with the stages
// handed out and without.
TEST_F(CudaDefaultStreamTest, MatchersDoWithoutIt) {
  for (int seed = 1; seed <= 12; ++seed) {
    SweepCase c = MakeSweepCase(static_cast<std::uint64_t>(seed));
    c.pixel_type = seed % 3;
    c.options.width = 60 + seed;
    c.options.height = 40;
    const SweepPair pair = MakeSweepPair(c);
    const auto matcher = MakeCudaMatcher(c.parameters, c.options);
    const auto queue = MakeCudaFrameQueue(c.parameters, c.options, 2);
    DisparityMap map;
    const auto work = [&] {
      StageTimes times;
      matcher->Compute(ViewOf(pair.left), ViewOf(pair.right), map);
      matcher->Compute(ViewOf(pair.left), ViewOf(pair.right), map, &times);
      queue->Submit(ViewOf(pair.left), ViewOf(pair.right));
      queue->Submit(ViewOf(pair.left), ViewOf(pair.right));
      queue->Collect();
      queue->Collect();
    };
    work();  // a kernel that is loaded for its first launch may wait for everything
    ASSERT_TRUE(EndsMeanwhile(work)) << Describe(c);
  }
}

}  // namespace
}  // namespace parallax::test
