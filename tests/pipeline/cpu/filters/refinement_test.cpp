// The refinement on every instruction set against the reference, on maps such as no matcher gives: holes of
// every size, noise, slopes, values of every rejection.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "parallax/image.h"
#include "pipeline/cpu/filters/plane_filling.h"
#include "pipeline/cpu/filters/smoothing.h"
#include "pipeline/reference/refinement.h"
#include "pipeline/simd/instruction_sets.h"
#include "tests/pipeline/cpu/filters/random_maps.h"
#include "tests/support/images.h"
#include "tests/support/matcher_sweep.h"
#include "tests/support/plain_parameters.h"

namespace parallax::cpu {
namespace {

struct RefinementCase {
  Parameters parameters = test::PlainParameters();
  HostImage<std::uint8_t> guide;
  DisparityMap map;
};

RefinementCase MakeRefinementCase(int seed) {
  test::SweepRandom random(static_cast<std::uint64_t>(seed));
  const int width = random.OneIn(4) ? random.Between(1, 9) : random.Between(1, 150);
  const int height = random.OneIn(4) ? random.Between(1, 9) : random.Between(1, 90);
  RefinementCase c;
  const int lowest = random.Between(-50, 50), num_disparities = random.Between(1, 200);
  c.parameters.matching_cost.min_disparity = lowest;
  c.parameters.matching_cost.num_disparities = num_disparities;
  RefinementParameters& p = c.parameters.refinement;
  p.planes = true;
  p.plane_step = random.OneOf(1, 2, 3, 4, 16);
  p.plane_tile = p.plane_step * random.OneOf(4, 4, 64 / p.plane_step);
  p.plane_tolerance = static_cast<float>(random.Between(1, 20)) / 8;
  p.smoothing_passes = random.Between(1, 3);
  p.smoothing_range = static_cast<float>(random.Between(1, 64)) / 8;
  const int holes = random.Between(0, 3);
  const RandomSurface surface{random.Between(0, 3), width, lowest, num_disparities};
  c.guide = test::ImageFrom<std::uint8_t>(width, height, [&](int, int) { return random.Between(0, 3) * 20; });
  c.map.validity = test::ImageFrom<std::uint8_t>(
      width, height, [&](int, int) { return random.OneIn(3) ? random.Between(0, 63) : 0; });
  c.map.confidence = HostImage<std::uint8_t>(width, height, 0);
  c.map.disparity = test::ImageFrom<float>(width, height, [&](int x, int y) {
    const bool is_hole = holes == 0   ? random.OneIn(3)
                         : holes == 1 ? (c.map.validity(x, y) & kRejected) != 0 && random.OneIn(2)
                         : holes == 2 ? !random.OneIn(30)
                                      : false;
    if (is_hole) return test::kNone;
    const float noise = static_cast<float>(random.Between(0, 100)) / 100.0F;
    return surface.At(x, y, noise, random);
  });
  return c;
}

// Planes, then smoothing, of a copy.
DisparityMap Refined(const RefinementCase& c, ThreadPool& threads) {
  DisparityMap map = Clone(c.map);
  const int width = map.disparity.width(), height = map.disparity.height();
  const std::size_t framed_bytes = FramedBytes(width, height);
  AlignedBuffer<std::uint8_t> memory(2 * framed_bytes +
                                     PlaneWorkspaceBytes(c.parameters.refinement, width, height) +
                                     SmoothingWorkspaceBytes(width, height));
  std::memset(memory.data(), 0x7B, memory.size());
  const FramedMap before(width, height, memory.data()), after(width, height, memory.data() + framed_bytes);
  CopyInto(map.disparity, before);
  std::uint8_t* workspace = memory.data() + 2 * framed_bytes;
  FillFromPlanes(c.parameters, c.guide.ConstView(), before, after, map.validity, workspace, threads);
  CopyInto(after, map.disparity);
  Smooth(c.parameters.refinement, map.disparity, workspace, threads);
  return map;
}

TEST(Refinement, EqualsTheReferenceOnEveryInstructionSet) {
  ThreadPool threads(2);
  for (int seed = 1; seed <= 60; ++seed) {
    const RefinementCase c = MakeRefinementCase(seed);
    DisparityMap expected = Clone(c.map);
    reference::FillFromPlanes(c.parameters, c.guide.ConstView(), expected, threads);
    reference::Smooth(c.parameters.refinement, expected.disparity.View(), threads);
    for (const std::string& name : InstructionSets()) {
      UseInstructionSet(name);
      EXPECT_EQ(test::DifferenceOf("refined", expected, Refined(c, threads)), "")
          << "seed " << seed << " on " << name;
    }
    UseInstructionSet("");
  }
}

}  // namespace
}  // namespace parallax::cpu
