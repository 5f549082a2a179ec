// The trees' verdicts on every instruction set against the reference, on maps such as no matcher gives:
// noise, slopes, every kind of rejection, pixels that have lost their selected disparity, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "parallax/image.h"
#include "pipeline/cpu/filters/judgement.h"
#include "pipeline/reference/refinement.h"
#include "pipeline/simd/instruction_sets.h"
#include "tests/pipeline/cpu/filters/random_maps.h"
#include "tests/support/images.h"
#include "tests/support/matcher_sweep.h"
#include "tests/support/plain_parameters.h"

namespace parallax::cpu {
namespace {

struct JudgementCase {
  Parameters parameters = test::PlainParameters();
  HostImage<std::uint8_t> guide;
  HostImage<float> selected;
  DisparityMap map;
};

JudgementCase MakeJudgementCase(int seed) {
  test::SweepRandom random(static_cast<std::uint64_t>(seed));
  const int width = random.OneIn(4) ? random.Between(1, 9) : random.Between(1, 200);
  const int height = random.OneIn(4) ? random.Between(1, 9) : random.Between(1, 110);
  JudgementCase c;
  const int lowest = random.OneOf(0, 0, random.Between(-500, 500));
  const int num_disparities = random.OneOf(random.Between(1, 200), 1024);
  c.parameters.matching_cost.min_disparity = lowest;
  c.parameters.matching_cost.num_disparities = num_disparities;
  RefinementParameters& p = c.parameters.refinement;
  p.trees = TreeSet::kDriving;
  p.plane_step = random.OneOf(1, 2, 3, 4, 4, 16);
  p.plane_tile = p.plane_step * random.OneOf(4, 4, 64 / p.plane_step);
  p.plane_tolerance = static_cast<float>(random.Between(1, 20)) / 8;
  const RandomSurface surface{random.Between(0, 3), width, lowest, num_disparities};
  const int rejected = random.OneOf(1, 2, 5, 30);
  c.guide = test::ImageFrom<std::uint8_t>(width, height, [&](int x, int) {
    return surface.surface == 0 ? random.Between(0, 255) : x > width / 3 ? 40 + random.Between(0, 9) : 90;
  });
  c.selected = test::ImageFrom<float>(width, height, [&](int x, int y) {
    if (random.OneIn(40)) return std::numeric_limits<float>::quiet_NaN();
    const float noise = static_cast<float>(random.Between(-128, 128)) / 256.0F;
    return surface.At(x, y, noise, random);
  });
  c.map.validity = test::ImageFrom<std::uint8_t>(width, height, [&](int x, int y) {
    if (std::isnan(c.selected(x, y))) return kNotUnique | (random.OneIn(2) ? kOccluded : 0);
    return random.OneIn(rejected) ? 1 << random.Between(0, 4) : 0;
  });
  c.map.confidence = HostImage<std::uint8_t>(width, height, 0);
  c.map.disparity = test::ImageFrom<float>(width, height, [&](int x, int y) {
    return c.map.validity(x, y) != 0 ? test::kNone : c.selected(x, y);
  });
  return c;
}

DisparityMap Judged(const JudgementCase& c, ThreadPool& threads) {
  DisparityMap map = Clone(c.map);
  const int width = map.disparity.width(), height = map.disparity.height();
  const std::size_t framed_bytes = FramedBytes(width, height);
  AlignedBuffer<std::uint8_t> memory(framed_bytes +
                                     JudgementWorkspaceBytes(c.parameters.refinement, width, height));
  std::memset(memory.data(), 0x7B, memory.size());
  const FramedMap framed(width, height, memory.data());
  CopyInto(map.disparity, framed);
  JudgePixels(c.parameters, c.guide.ConstView(), c.selected.ConstView(), framed, map.validity,
              memory.data() + framed_bytes, threads);
  CopyInto(framed, map.disparity);
  return map;
}

TEST(Judgement, EqualsTheReferenceOnEveryInstructionSet) {
  ThreadPool threads(2);
  int num_changed = 0;
  for (int seed = 1; seed <= 60; ++seed) {
    const JudgementCase c = MakeJudgementCase(seed);
    DisparityMap expected = Clone(c.map);
    reference::JudgePixels(c.parameters, c.guide.ConstView(), c.selected.ConstView(), expected, threads);
    if (!test::DifferenceOf("judged", c.map, expected).empty()) ++num_changed;
    for (const std::string& name : InstructionSets()) {
      UseInstructionSet(name);
      EXPECT_EQ(test::DifferenceOf("judged", expected, Judged(c, threads)), "")
          << "seed " << seed << " on " << name;
    }
    UseInstructionSet("");
  }
  EXPECT_GT(num_changed, 30) << "the cases hardly ask for a verdict";
}

}  // namespace
}  // namespace parallax::cpu
