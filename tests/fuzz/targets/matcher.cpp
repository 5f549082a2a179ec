// Images and parameters from the fuzzer's bytes: every instruction set, and the GPU where there is one, has the
// reference's bits.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "config/backends.h"
#include "pipeline/cpu/cpu_matcher.h"
#include "pipeline/simd/instruction_sets.h"
#include "tests/fuzz/target_list.h"
#include "tests/support/sweep_case.h"

namespace parallax::fuzz {
namespace {

constexpr int kMostCells = 30'000;

// Says once what is compared, so that a run which was meant for a GPU cannot miss it in silence.
bool ListBackends(const std::vector<std::string>& sets, bool has_gpu) {
  std::fputs("compared with the reference:", stderr);
  for (const std::string& name : sets) std::fprintf(stderr, " cpu (%s)", name.c_str());
  std::fputs(has_gpu ? " cuda\n" : "; no cuda\n", stderr);
  return true;
}

// The sweep's draws, at a size that allows many cases a second. The bytes that are left become pixels.
void FeedMatcher(std::span<const std::uint8_t> bytes) {
  static const std::vector<std::string> sets = cpu::InstructionSets();
  static const bool has_gpu = ResolveBackend("auto") == "cuda";
  [[maybe_unused]] static const bool is_listed = ListBackends(sets, has_gpu);

  using test::SweepCase;
  test::SweepRandom random(bytes);
  SweepCase c = test::DrawSweepCase(random);
  if (random.OneIn(3)) test::DrawAdCensus(random, c);
  c.seed = static_cast<std::uint64_t>(random.Between(0, 11));  // strides and the matcher's size
  c.options.width = std::min(c.options.width, 70);
  c.options.height = std::min(c.options.height, 12);
  int& num_disparities = c.parameters.matching_cost.num_disparities;
  num_disparities = std::min(num_disparities, std::max(1, kMostCells / (c.options.width * c.options.height)));
  c.options.num_threads = random.Between(1, 2);
  if (!Validate(c.parameters).empty()) return;

  const test::SweepPair pair = MakeSweepPair(c, random);
  const test::SweepTruth truth = MakeSweepTruth(c, pair);
  const auto check = [&](const std::string& backend, const std::string& name) {
    const std::string differences =
        RunSweepCase([&](const Parameters& parameters,
                         const MatcherOptions& options) { return MakeMatcher(backend, parameters, options); },
                     c, pair, truth);
    Require(differences.empty(), name + ", " + Describe(c) + ": " + differences);
  };
  for (const std::string& name : sets) {
    cpu::UseInstructionSet(name);
    check("cpu", name);
  }
  if (has_gpu) check("cuda", "cuda");
}

}  // namespace

const Target kMatcher{
    "matcher", FeedMatcher, [] {
      std::vector<Bytes> seeds;
      std::mt19937_64 engine(1);
      for (int i = 0; i < 12; ++i) {
        Bytes& seed = seeds.emplace_back(Bytes(400 + 100 * static_cast<std::size_t>(i)));
        // Few values make ties; from the parameters' bytes on, every second seed has three.
        for (std::size_t at = 0; at < seed.size(); ++at)
          seed[at] = static_cast<std::uint8_t>(i % 2 == 1 && at > 150 ? engine() % 3 * 80 : engine());
      }
      return seeds;
    }};

}  // namespace parallax::fuzz
