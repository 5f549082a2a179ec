// Frame after frame the same bytes, and no memory of the device taken.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "cuda/matcher/cuda_matcher.h"
#include "tests/support/matcher_sweep.h"

namespace parallax::test {

// Matches one small pair 10,000 times, or as often as PARALLAX_CONSTANCY_FRAMES says.
inline void ExpectTheSameBytesEveryTime(const Parameters& parameters) {
  int frames = 10000;
  if (const char* text = std::getenv("PARALLAX_CONSTANCY_FRAMES")) frames = std::atoi(text);
  SweepCase c = MakeSweepCase(7);
  c.parameters = parameters;
  c.options.width = 171;
  c.options.height = 93;
  const SweepPair pair = MakeSweepPair(c);
  const auto matcher = MakeCudaMatcher(c.parameters, c.options);
  DisparityMap first, next;
  matcher->Compute(ViewOf(pair.left), ViewOf(pair.right), first);
  std::size_t free_before = 0, free_after = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_before, &total), cudaSuccess);
  for (int i = 0; i < frames; ++i) {
    matcher->Compute(ViewOf(pair.left), ViewOf(pair.right), next);
    const std::string difference = DifferenceOf("frame", first, next);
    ASSERT_TRUE(difference.empty()) << "frame " << i << ": " << difference;
  }
  ASSERT_EQ(cudaMemGetInfo(&free_after, &total), cudaSuccess);
  EXPECT_EQ(free_before, free_after)
      << "(or another program took or gave back memory of the device meanwhile)";
}

}  // namespace parallax::test
