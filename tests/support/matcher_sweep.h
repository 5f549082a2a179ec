// A randomised sweep of one back end against the reference, stage by stage, to the bit.
//
// RunMatcherSweep(factory, "cuda") runs the seeds 1, 2, ... and a failing case prints the first stage, pixel
// and disparity that differ, both values, and the environment that runs it again:
//   PARALLAX_SWEEP_SEED=N    only this case        PARALLAX_SWEEP_COUNT=N    this many cases
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "tests/support/sweep_case.h"

namespace parallax::test {

// Seeds 1 .. count, or those that the environment asks for.
inline std::pair<int, int> SweepSeeds(int count) {
  if (const char* text = std::getenv("PARALLAX_SWEEP_SEED")) return {std::atoi(text), std::atoi(text)};
  if (const char* text = std::getenv("PARALLAX_SWEEP_COUNT")) return {1, std::atoi(text)};
  return {1, count};
}

inline void ReportSweepFailure(const SweepCase& c, const std::string& backend,
                               const std::string& difference) {
  const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
  ADD_FAILURE() << backend << " differs from the reference\n"
                << difference << Describe(c) << "\nto run it again: PARALLAX_SWEEP_SEED=" << c.seed
                << " <this test program> --gtest_filter=" << test->test_suite_name() << '.' << test->name();
}

// Runs the seeds 1 .. count (or what the environment asks for); stops after three failing cases.
inline void RunMatcherSweep(const MatcherFactory& make_matcher, const std::string& backend, int count,
                            SweepCase (*make_case)(std::uint64_t seed) = MakeSweepCase) {
  const auto [first, last] = SweepSeeds(count);
  int failures = 0;
  for (int seed = first; seed <= last && failures < 3; ++seed) {
    const SweepCase c = make_case(static_cast<std::uint64_t>(seed));
    const std::string difference = RunSweepCase(make_matcher, c);
    if (difference.empty()) continue;
    ++failures;
    ReportSweepFailure(c, backend, difference);
  }
}

}  // namespace parallax::test
