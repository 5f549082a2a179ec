// The cpu back end against the reference, on every instruction set of this machine and with several thread counts.
#include "pipeline/cpu/cpu_matcher.h"

#include <gtest/gtest.h>

#include "pipeline/cpu/instruction_sets.h"
#include "tests/support/matcher_sweep.h"

namespace parallax {
namespace {

class CpuSweepTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { cpu::UseInstructionSet(GetParam()); }
  void TearDown() override { cpu::UseInstructionSet(""); }
};

TEST_P(CpuSweepTest, EqualsTheReference) {
  test::RunMatcherSweep(
      [](const Parameters& parameters, const MatcherOptions& options) {
        MatcherOptions with_threads = options;
        with_threads.num_threads = 2;
        return MakeCpuMatcher(parameters, with_threads);
      },
      "cpu " + GetParam(), 500);
}

INSTANTIATE_TEST_SUITE_P(Targets, CpuSweepTest, testing::ValuesIn(cpu::InstructionSets()),
                         [](const auto& param_info) { return param_info.param; });

}  // namespace
}  // namespace parallax
