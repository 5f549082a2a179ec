// AD-Census on the cpu against the reference, on every instruction set of this machine.
#include <gtest/gtest.h>

#include <string>

#include "pipeline/cpu/cpu_matcher.h"
#include "pipeline/error.h"
#include "pipeline/simd/instruction_sets.h"
#include "tests/support/matcher_sweep.h"

namespace parallax {
namespace {

using test::SweepCase;
using test::SweepPair;
using test::SweepTruth;

// Back to the best instruction set at the end of a test.
struct InstructionSetGuard {
  ~InstructionSetGuard() { cpu::UseInstructionSet(""); }
};

test::MatcherFactory WithThreads(int num_threads) {
  return [num_threads](const Parameters& parameters, const MatcherOptions& options) {
    MatcherOptions with_threads = options;
    with_threads.num_threads = num_threads;
    return MakeCpuAdCensusMatcher(parameters, with_threads);
  };
}

TEST(CpuAdCensusMatcher, EqualsTheReferenceOnEveryInstructionSet) {
  const InstructionSetGuard guard;
  const auto [first, last] = test::SweepSeeds(500);
  int failures = 0;
  for (int seed = first; seed <= last && failures < 3; ++seed) {
    const SweepCase c = test::MakeAdCensusSweepCase(static_cast<std::uint64_t>(seed));
    const SweepPair pair = test::MakeSweepPair(c);
    const SweepTruth truth = test::MakeSweepTruth(c, pair);
    for (const std::string& set : cpu::InstructionSets()) {
      cpu::UseInstructionSet(set);
      const std::string difference = test::RunSweepCase(WithThreads(1 + seed % 2), c, pair, truth);
      if (difference.empty()) continue;
      test::ReportSweepFailure(c, "cpu " + set, difference);
      if (++failures == 3) break;
    }
  }
}

TEST(CpuAdCensusMatcher, TellsTheMemoryThatItNeeds) {
  Parameters parameters;
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
