// The randomised sweep (matcher_sweep.h) of a matcher of the cpu back end on every instruction set of this
// machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pipeline/simd/instruction_sets.h"
#include "tests/support/matcher_sweep.h"

namespace parallax::test {

// Back to the best instruction set at the end of a test.
struct InstructionSetGuard {
  ~InstructionSetGuard() { cpu::UseInstructionSet(""); }
};

using MakeMatcherFunction = std::unique_ptr<StereoMatcher> (*)(const Parameters&, const MatcherOptions&);

inline MatcherFactory WithThreads(MakeMatcherFunction make, int num_threads) {
  return [=](const Parameters& parameters, MatcherOptions options) {
    options.num_threads = num_threads;
    return make(parameters, options);
  };
}

// Under the sanitizers a case takes ten times as long.
#ifdef __SANITIZE_ADDRESS__
inline constexpr int kSweepShare = 10;
#else
inline constexpr int kSweepShare = 1;
#endif

// Runs the seeds 1 .. count (or what the environment asks for) with one thread and with two by turns; stops
// after three failing cases. SCALAR, which takes as long as all other sets together, gets every third seed.
inline void RunSweepOnEveryInstructionSet(MakeMatcherFunction make, int count,
                                          SweepCase (*make_case)(std::uint64_t seed)) {
  const InstructionSetGuard guard;
  const auto [first, last] = SweepSeeds(count / kSweepShare);
  int failures = 0;
  for (int seed = first; seed <= last && failures < 3; ++seed) {
    const SweepCase c = make_case(static_cast<std::uint64_t>(seed));
    const SweepPair pair = MakeSweepPair(c);
    const SweepTruth truth = MakeSweepTruth(c, pair);
    for (const std::string& set : cpu::InstructionSets()) {
      if (set == "SCALAR" && seed % 3 != 0 && first != last) continue;
      cpu::UseInstructionSet(set);
      const std::string difference = RunSweepCase(WithThreads(make, 1 + seed % 2), c, pair, truth);
      if (difference.empty()) continue;
      ReportSweepFailure(c, "cpu " + set, difference);
      if (++failures == 3) break;
    }
  }
}

}  // namespace parallax::test
