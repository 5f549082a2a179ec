// AD-Census on the cpu against the reference, on every instruction set of this machine.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "parallax/error.h"
#include "pipeline/cpu/cpu_matcher.h"
#include "tests/support/instruction_set_sweep.h"
#include "tests/support/plain_parameters.h"

namespace parallax {
namespace {

TEST(CpuAdCensusMatcher, EqualsTheReferenceOnEveryInstructionSet) {
  test::RunSweepOnEveryInstructionSet(MakeCpuAdCensusMatcher, 150, test::MakeAdCensusSweepCase);
}

// Images of four neighbouring gray levels: a threshold that is off by one shows in every arm.
TEST(CpuAdCensusMatcher, LowThresholdsOfArmsEqualTheReferenceOnEveryInstructionSet) {
  const test::InstructionSetGuard guard;
  for (const int threshold : {0, 1, 2, 3}) {
    test::SweepCase c;
    c.options = {.width = 70, .height = 40};
    c.content = 5;
    c.parameters.method = Method::kAdCensus;
    c.parameters.matching_cost.num_disparities = 16;
    c.parameters.ad_census.arm_threshold = threshold;
    c.parameters.ad_census.arm_threshold_strict = 3 - threshold;
    c.parameters.ad_census.arm_length_strict = 3;
    test::SweepPair pair = test::MakeSweepPair(c);
    for (CameraImage* image : {&pair.left, &pair.right}) {
      auto& gray = std::get<HostImage<std::uint8_t>>(*image);
      for (int y = 0; y < gray.height(); ++y) {
        for (int x = 0; x < gray.width(); ++x) gray(x, y) = static_cast<std::uint8_t>(100 + gray(x, y) / 64);
      }
    }
    const test::SweepTruth truth = test::MakeSweepTruth(c, pair);
    for (const std::string& set : cpu::InstructionSets()) {
      cpu::UseInstructionSet(set);
      EXPECT_EQ(test::RunSweepCase(test::WithThreads(MakeCpuAdCensusMatcher, 1), c, pair, truth), "")
          << set << " " << threshold;
    }
  }
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
