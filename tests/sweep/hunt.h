// One case of the hunt for a bit that differs: a case of the sweep (tests/support/sweep_case.h) with a
// method, a back end, an instruction set, threads, a memory limit and frames in flight. It follows from the
// hunt's seed, its number and what may be drawn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/sweep_case.h"

namespace parallax::test {

// What may be drawn. Parameters, sizes and pixels of a case do not depend on it.
struct HuntGround {
  std::vector<std::string> backends;          // of "cpu", "cuda"
  std::vector<std::string> instruction_sets;  // of the cpu back end
  int device = 0;                             // of the cuda back end
};

struct HuntCase {
  std::uint64_t seed = 0, number = 0;
  SweepCase sweep;
  std::string backend, instruction_set;
  int num_threads = 1;
  int memory_percent = 0;  // of what the matcher takes without a limit; 0 = no limit
  int num_in_flight = 1;   // more than 1: the same frames through a queue as well
};

HuntCase MakeHuntCase(std::uint64_t seed, std::uint64_t number, const HuntGround& ground);

// Makes matchers and queues of the case's back end; tests put others in their place.
using HuntMatcherFactory =
    std::function<std::unique_ptr<StereoMatcher>(const HuntCase&, const Parameters&, const MatcherOptions&)>;
std::unique_ptr<StereoMatcher> MakeHuntMatcher(const HuntCase& c, const Parameters& parameters,
                                               const MatcherOptions& options);

// Every difference from the reference, the first stage first, or what was thrown; empty where there is none.
std::string RunHuntCase(const HuntCase& c, const HuntMatcherFactory& make_matcher = MakeHuntMatcher);

// The command that runs the case again on any machine that has the back end.
std::string CommandOf(const HuntCase& c);
// All that was drawn, in one line.
std::string Describe(const HuntCase& c);

}  // namespace parallax::test
