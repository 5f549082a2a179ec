// AD-Census on the cpu against the reference, on every instruction set of this machine.
#include <gtest/gtest.h>

#include <cstddef>

#include "parallax/error.h"
#include "pipeline/cpu/cpu_matcher.h"
#include "tests/support/instruction_set_sweep.h"
#include "tests/support/plain_parameters.h"

namespace parallax {
namespace {

TEST(CpuAdCensusMatcher, EqualsTheReferenceOnEveryInstructionSet) {
  test::RunSweepOnEveryInstructionSet(MakeCpuAdCensusMatcher, 150, test::MakeAdCensusSweepCase);
}

TEST(CpuAdCensusMatcher, TellsTheMemoryThatItNeeds) {
  Parameters parameters = test::PlainParameters();
  parameters.method = Method::kAdCensus;
  MatcherOptions options{.width = 400, .height = 300, .num_threads = 2};
  const std::size_t needed = MakeCpuAdCensusMatcher(parameters, options)->memory_bytes();
  EXPECT_GT(needed, std::size_t{4} * 400 * 300 * 128);
  options.memory_limit_bytes = needed;
  EXPECT_EQ(MakeCpuAdCensusMatcher(parameters, options)->memory_bytes(), needed);
  options.memory_limit_bytes = needed - 1'000'001;
  EXPECT_THROW(MakeCpuAdCensusMatcher(parameters, options), InvalidArgument);
}

}  // namespace
}  // namespace parallax
