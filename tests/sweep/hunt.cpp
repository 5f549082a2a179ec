#include "tests/sweep/hunt.h"

#include <exception>
#include <optional>
#include <sstream>

#include "config/backends.h"
#include "pipeline/cpu/cpu_matcher.h"
#include "pipeline/simd/instruction_sets.h"

namespace parallax::test {
namespace {

// A well mixed number of two (the finaliser of SplitMix64).
std::uint64_t Mixed(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t z = seed * 0x9E3779B97F4A7C15U + number + 0x632BE59BD9B4E019U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

// Now and then an image as large as a camera's, with as many cells as the reference does in a second or two.
void DrawLargeSize(SweepRandom& random, SweepCase& sweep) {
  const std::int64_t most_cells = sweep.parameters.method == Method::kSgm ? 8'000'000 : 2'000'000;
  sweep.options.width = random.Between(300, 1400);
  sweep.options.height = random.Between(60, 500);
  int& num_disparities = sweep.parameters.matching_cost.num_disparities;
  const std::int64_t most = most_cells / (std::int64_t{sweep.options.width} * sweep.options.height);
  if (num_disparities > most) num_disparities = std::max(1, static_cast<int>(most));
}

// The limit that the case asks for, or the least that can be kept.
std::size_t MemoryLimit(const HuntCase& c) {
  if (c.memory_percent == 0) return 0;
  const MatcherOptions largest = LargestSizeOf(c.sweep);
  const std::size_t whole = MakeHuntMatcher(c, c.sweep.parameters, largest)->memory_bytes();
  MatcherOptions limited = largest;
  limited.memory_limit_bytes =
      std::max<std::size_t>(1, whole / 100 * static_cast<std::size_t>(c.memory_percent));
  try {
    MakeHuntMatcher(c, c.sweep.parameters, limited);
  } catch (const NeedsMoreMemory& error) {
    limited.memory_limit_bytes = error.needed_bytes();
  }
  return limited.memory_limit_bytes;
}

// The pair, another one and the pair again, through a queue.
std::string QueueDifference(const HuntCase& c, const SweepPair& pair, const SweepTruth& truth) {
  SweepCase other = c.sweep;
  other.seed += 2'000'000;
  const SweepPair between = MakeSweepPair(other);
  MatcherOptions options = LargestSizeOf(c.sweep);
  options.num_threads = c.num_threads;
  const auto queue = MakeMatcherQueue(c.backend, c.sweep.parameters, options, c.num_in_flight);
  std::string text;
  int collected = 0;
  const auto collect = [&] {
    const DisparityMap map = queue->Take();
    if (collected++ % 2 == 0) text += DifferenceOf("result of a queue", truth.map, map);
  };
  for (int i = 0; i < 5; ++i) {
    if (queue->in_flight() == queue->capacity()) collect();
    const SweepPair& next = i % 2 == 0 ? pair : between;
    queue->Submit(ViewOf(next.left), ViewOf(next.right));
  }
  while (queue->in_flight() > 0) collect();
  return text;
}

bool HasQueue(const HuntCase& c) {
  try {
    RequireMatcherQueue(c.backend, c.sweep.parameters.method);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

HuntCase MakeHuntCase(std::uint64_t seed, std::uint64_t number, const HuntGround& ground) {
  HuntCase c;
  c.seed = seed, c.number = number;
  const std::uint64_t mixed = Mixed(seed, number);
  SweepRandom random(mixed);
  const std::uint64_t case_seed = mixed >> 8;
  c.sweep = random.OneIn(3) ? MakeAdCensusSweepCase(case_seed) : MakeSweepCase(case_seed);
  if (random.OneIn(250)) {
    DrawLargeSize(random, c.sweep);
  } else if (!random.OneIn(5)) {  // small ones are the most cases an hour
    c.sweep.options.width = std::min(c.sweep.options.width, random.Between(20, 90));
    c.sweep.options.height = std::min(c.sweep.options.height, random.Between(5, 30));
  }
  c.num_threads = random.Between(1, 4);
  c.memory_percent = random.OneIn(4) ? random.Between(5, 95) : 0;
  c.num_in_flight = random.OneIn(3) ? random.Between(2, 4) : 1;
  const auto pick = [&](const std::vector<std::string>& from) {  // drawn last: the rest does not depend on it
    return from.empty()
               ? ""
               : from[static_cast<std::size_t>(random.Between(0, static_cast<int>(from.size()) - 1))];
  };
  c.backend = pick(ground.backends);
  if (c.backend == "cpu") {
    c.instruction_set = pick(ground.instruction_sets);
  } else {
    c.memory_percent = 0;  // a limit of the cpu back end
  }
  if (c.sweep.parameters.method != Method::kSgm) c.memory_percent = 0;  // which has no bands
  c.sweep.options.device = ground.device;
  return c;
}

std::unique_ptr<StereoMatcher> MakeHuntMatcher(const HuntCase& c, const Parameters& parameters,
                                               const MatcherOptions& options) {
  MatcherOptions with_threads = options;
  with_threads.num_threads = c.num_threads;
  return MakeMatcher(c.backend, parameters, with_threads);
}

std::string RunHuntCase(const HuntCase& c, const HuntMatcherFactory& make_matcher) {
  try {
    if (!c.instruction_set.empty()) cpu::UseInstructionSet(c.instruction_set);
    const SweepPair pair = MakeSweepPair(c.sweep);
    const SweepTruth truth = MakeSweepTruth(c.sweep, pair);
    const std::size_t limit_bytes = MemoryLimit(c);
    const auto make = [&](const Parameters& parameters, MatcherOptions options) {
      options.memory_limit_bytes = limit_bytes;
      return make_matcher(c, parameters, options);
    };
    std::string text = RunSweepCase(make, c.sweep, pair, truth);
    if (text.empty() && c.num_in_flight > 1 && HasQueue(c)) text = QueueDifference(c, pair, truth);
    return text;
  } catch (const std::exception& error) {
    return std::string("throws: ") + error.what() + '\n';
  }
}

std::string CommandOf(const HuntCase& c) {
  std::ostringstream text;
  text << "parallax_sweep --seed " << c.seed << " --case " << c.number << " --backend " << c.backend;
  if (!c.instruction_set.empty()) text << " --instruction-set " << c.instruction_set;
  return text.str();
}

std::string Describe(const HuntCase& c) {
  std::ostringstream text;
  text << c.backend << ' ' << c.instruction_set << ", " << c.num_threads << " threads, memory "
       << c.memory_percent << " %, " << c.num_in_flight << " in flight, " << Describe(c.sweep);
  return text.str();
}

}  // namespace parallax::test
