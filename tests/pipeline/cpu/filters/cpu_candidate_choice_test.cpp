// The choice on every instruction set against the reference, on maps such as no matcher gives, with holes that
// were filled and some that could not be.
#include "pipeline/cpu/filters/cpu_candidate_choice.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "parallax/image.h"
#include "pipeline/reference/refinement.h"
#include "pipeline/reference/stages.h"
#include "pipeline/simd/instruction_sets.h"
#include "tests/pipeline/cpu/filters/random_maps.h"
#include "tests/support/images.h"
#include "tests/support/matcher_sweep.h"
#include "tests/support/plain_parameters.h"

namespace parallax::cpu {
namespace {

struct ChoiceCase {
  Parameters parameters = test::PlainParameters();
  HostImage<std::uint8_t> guide;
  DisparityMap filled;
};

ChoiceCase MakeChoiceCase(int seed, ThreadPool& threads) {
  test::SweepRandom random(static_cast<std::uint64_t>(seed));
  const int width = random.OneIn(4) ? random.Between(1, 9) : random.Between(1, 200);
  const int height = random.OneIn(4) ? random.Between(1, 9) : random.Between(1, 110);
  ChoiceCase c;
  const int lowest = random.OneOf(0, 0, random.Between(-500, 500));
  const int num_disparities = random.OneOf(random.Between(1, 200), 1024);
  c.parameters.matching_cost.min_disparity = lowest;
  c.parameters.matching_cost.num_disparities = num_disparities;
  RefinementParameters& p = c.parameters.refinement;
  p.trees = TreeSet::kDriving;
  p.planes = true;
  p.plane_step = random.OneOf(1, 2, 3, 4, 4, 16);
  p.plane_tile = p.plane_step * random.OneOf(4, 4, 64 / p.plane_step);
  p.plane_tolerance = static_cast<float>(random.Between(1, 20)) / 8;
  const RandomSurface surface{random.Between(0, 2), width, lowest, num_disparities};
  const int rejected = random.OneOf(1, 2, 5, 30), gray_levels = random.OneOf(20, 255);
  c.guide =
      test::ImageFrom<std::uint8_t>(width, height, [&](int, int) { return random.Between(0, gray_levels); });
  c.filled.validity = test::ImageFrom<std::uint8_t>(width, height, [&](int x, int y) {
    return random.OneIn(rejected) || (x / 20 + y / 30) % 3 == 0 ? 1 << random.Between(0, 4) : 0;
  });
  c.filled.confidence = HostImage<std::uint8_t>(width, height, 0);
  c.filled.disparity = test::ImageFrom<float>(width, height, [&](int x, int y) {
    const float noise = static_cast<float>(random.Between(-128, 128)) / 256.0F;
    return c.filled.validity(x, y) != 0 ? test::kNone : surface.At(x, y, noise, random);
  });
  if (!random.OneIn(8)) reference::FillHoles(c.filled, threads);
  return c;
}

DisparityMap Chosen(const ChoiceCase& c, ThreadPool& threads) {
  DisparityMap map = Clone(c.filled);
  const int width = map.disparity.width(), height = map.disparity.height();
  const std::size_t framed_bytes = FramedBytes(width, height);
  AlignedBuffer<std::uint8_t> memory(2 * framed_bytes +
                                     PlaneWorkspaceBytes(c.parameters.refinement, width, height));
  std::memset(memory.data(), 0x7B, memory.size());
  const FramedMap before(width, height, memory.data()), after(width, height, memory.data() + framed_bytes);
  CopyInto(map.disparity, before);
  const TilePlanes tiles = FillFromPlanes(c.parameters, c.guide.ConstView(), before, after, map.validity,
                                          memory.data() + 2 * framed_bytes, threads);
  ChooseCandidates(c.parameters, c.guide.ConstView(), before, map.validity, tiles, after, threads);
  CopyInto(after, map.disparity);
  return map;
}

TEST(CandidateChoice, EqualsTheReferenceOnEveryInstructionSet) {
  ThreadPool threads(2);
  int num_changed = 0;
  for (int seed = 1; seed <= 60; ++seed) {
    const ChoiceCase c = MakeChoiceCase(seed, threads);
    DisparityMap expected = Clone(c.filled);
    reference::FillFromPlanes(c.parameters, c.guide.ConstView(), expected, threads);
    const DisparityMap from_planes = Clone(expected);
    reference::ChooseCandidates(c.parameters, c.guide.ConstView(), c.filled, expected, threads);
    if (!test::DifferenceOf("chosen", from_planes, expected).empty()) ++num_changed;
    for (const std::string& name : InstructionSets()) {
      UseInstructionSet(name);
      EXPECT_EQ(test::DifferenceOf("chosen", expected, Chosen(c, threads)), "")
          << "seed " << seed << " on " << name;
    }
    UseInstructionSet("");
  }
  EXPECT_GT(num_changed, 20) << "the cases hardly have a choice";
}

}  // namespace
}  // namespace parallax::cpu
