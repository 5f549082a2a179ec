#include "app/options/available_memory.h"

#include <gtest/gtest.h>

#include "config/backends.h"
#include "datasets/system/process_memory.h"
#include "tests/support/plain_parameters.h"

namespace parallax::app {
namespace {

TEST(AvailableMemory, FramesThatAreMatchedAtATimeTakeHalfOfItAtMost) {
  Parameters parameters = test::PlainParameters();
  parameters.matching_cost.num_disparities = 128;
  MatcherOptions options{.width = 1242, .height = 375};
  const double frame_bytes = 2.5 * 1242 * 375 * 128 + 64e6;
  for (const int num_threads : {1, 2, 16, 100'000}) {
    SCOPED_TRACE(num_threads);
    options.num_threads = num_threads;
    const int num_frames = UsualFramesInMemory("cpu", parameters, options);
    EXPECT_GE(num_frames, 1);
    EXPECT_LE(num_frames, UsualFramesInFlight("cpu", parameters, options));
    if (num_frames > 1) {
      EXPECT_LE(num_frames * frame_bytes, 0.6 * static_cast<double>(MemoryAvailable().bytes));
    }
  }
  options.memory_limit_bytes = 1'000'000'000;  // which the matcher keeps by itself
  EXPECT_EQ(UsualFramesInMemory("cpu", parameters, options), 1);
}

}  // namespace
}  // namespace parallax::app
