#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cuda/cloud/cuda_cloud_measures.h"
#include "cuda/cloud/emd/emd_solver.h"
#include "parallax/error.h"
#include "tests/cuda/require_device.h"
#include "tests/support/emd_clouds.h"

namespace parallax {
namespace {

using test::EmdCloud;
using test::ExpectEmdHolds;
using test::ExpectSoundEmd;

// A fault is to fail, not to hang.
EmdOptions WithGap(double gap) { return test::EmdWithGap(gap, 20); }

class CudaEmd : public test::CudaTest {
 protected:
  EmdResult Solve(const std::vector<Point3f>& a, const std::vector<Point3f>& b, const EmdOptions& options,
                  const cuda::EmdLaunch& launch = {}) {
    if (!solver_) solver_ = std::make_unique<cuda::EmdSolver>();
    const EmdPair pair = {a, b};
    return solver_->Solve({&pair, 1}, options, launch)[0];
  }
  std::unique_ptr<cuda::EmdSolver> solver_;
};

TEST_F(CudaEmd, HoldsScipysValueOnEveryKindOfCloud) {
  for (const test::EmdTruth& truth : test::kEmdTruths) {
    SCOPED_TRACE(truth.kind);
    const auto a = EmdCloud(truth.kind, 500, 1), b = EmdCloud(truth.kind, 500, 4);
    for (const double gap : {0.05, 0.005, 0.001, 0.0001}) {
      const EmdResult result = Solve(a, b, WithGap(gap));
      ExpectEmdHolds({a, b}, result, truth.mean_m);
      EXPECT_EQ(result.stop, EmdStop::kGap);
      EXPECT_LE(result.upper_m - result.lower_m, gap * result.upper_m);
    }
  }
}

TEST_F(CudaEmd, HoldsTheExactValueAtEverySize) {
  for (const int n : {1, 2, 3, 31, 32, 33, 63, 1000, 1025, 4097}) {
    SCOPED_TRACE(n);
    const auto a = EmdCloud("uniform", n, 2), b = EmdCloud("shell", n, 3);
    const double exact_m = ExactEmd({a, b}).upper_m;
    const EmdResult result = Solve(a, b, WithGap(0.002));
    ExpectEmdHolds({a, b}, result, exact_m);
    EXPECT_LE(result.upper_m - result.lower_m, 0.002 * result.upper_m);
  }
}

// More than kFlatBoxes boxes: boxes are looked for by way of their parents.
TEST_F(CudaEmd, AgreesWithTheCpuOnLargeClouds) {
  for (const char* kind : {"uniform", "clusters", "duplicates"}) {
    SCOPED_TRACE(kind);
    const auto a = EmdCloud(kind, 9001, 2), b = EmdCloud(kind, 9001, 3);
    const EmdResult result = Solve(a, b, WithGap(0.01)), on_cpu = AuctionEmd({a, b}, WithGap(0.002));
    ExpectSoundEmd({a, b}, result);
    EXPECT_LE(result.upper_m - result.lower_m, 0.01 * result.upper_m);
    EXPECT_LE(result.lower_m, on_cpu.upper_m);
    EXPECT_GE(result.upper_m, on_cpu.lower_m);
  }
}

TEST_F(CudaEmd, GivesTheSameBitsForAnyNumberOfBlocks) {
  for (const char* kind : {"uniform", "clusters", "line"}) {
    const auto a = EmdCloud(kind, 1500, 2), b = EmdCloud(kind, 1500, 3);
    const EmdResult first = Solve(a, b, WithGap(0.003));
    for (const int blocks : {1, 2, 7, 40}) {
      for (const int threads : {64, 512}) {
        SCOPED_TRACE(std::string(kind) + " " + std::to_string(blocks) + " blocks");
        cuda::EmdLaunch launch;
        launch.blocks_per_pair = blocks;
        launch.block_threads = threads;
        const EmdResult result = Solve(a, b, WithGap(0.003), launch);
        EXPECT_EQ(result.match_of_a, first.match_of_a);
        EXPECT_EQ(result.upper_m, first.upper_m);
        EXPECT_EQ(result.lower_m, first.lower_m);
        EXPECT_EQ(result.rounds, first.rounds);
      }
    }
  }
}

TEST_F(CudaEmd, SolvesManyPairsOfDifferentSizesAsOneByOne) {
  std::vector<std::vector<Point3f>> clouds;
  std::vector<EmdPair> pairs;
  for (int k = 0; k < 300; ++k) {
    clouds.push_back(EmdCloud(k % 3 ? "uniform" : "clusters", 1 + 7 * (k / 2), k));
  }
  for (int k = 0; k < 300; k += 2) pairs.push_back({clouds[k], clouds[k + 1]});
  const auto measures = MakeCudaCloudMeasures();
  const std::vector<EmdResult> results = measures->EarthMoversDistances(pairs, WithGap(0.01));
  ASSERT_EQ(results.size(), pairs.size());
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    SCOPED_TRACE(k);
    ExpectSoundEmd(pairs[k], results[k]);
    EXPECT_LE(results[k].upper_m - results[k].lower_m, 0.01 * results[k].upper_m);
    if (k % 15 != 0) continue;
    const EmdResult alone = measures->EarthMoversDistances({&pairs[k], 1}, WithGap(0.01))[0];
    EXPECT_EQ(alone.match_of_a, results[k].match_of_a);
    EXPECT_EQ(alone.lower_m, results[k].lower_m);
  }
  EXPECT_TRUE(measures->EarthMoversDistances({}, WithGap(0.01)).empty());
}

TEST_F(CudaEmd, IsZeroForTheSamePoints) {
  auto a = EmdCloud("uniform", 777, 5);
  auto b = a;
  EXPECT_EQ(Solve(a, b, EmdOptions()).upper_m, 0);
  std::reverse(b.begin(), b.end());
  const EmdResult result = Solve(a, b, WithGap(0.001));
  ExpectSoundEmd({a, b}, result);
  EXPECT_EQ(result.upper_m, 0);
  const std::vector<Point3f> equal(100, Point3f{1, 2, 3});
  EXPECT_EQ(Solve(equal, equal, EmdOptions()).upper_m, 0);
}

TEST_F(CudaEmd, EndsWhereTheGapIsBeyondItsResolution) {
  test::ExpectEmdEndsAtItsResolution(
      [this](const auto& a, const auto& b, const EmdOptions& options) { return Solve(a, b, options); });
}

TEST_F(CudaEmd, StopsAtItsLimitsWithABijection) {
  test::ExpectEmdStopsAtItsLimitsWithABijection(
      [this](const auto& a, const auto& b, const EmdOptions& options) { return Solve(a, b, options); });
}

TEST_F(CudaEmd, RefusesBadInput) {
  const auto a = EmdCloud("uniform", 5, 1), b = EmdCloud("uniform", 6, 1);
  EXPECT_THROW(Solve(a, b, EmdOptions()), InvalidArgument);
  EXPECT_THROW(Solve({}, {}, EmdOptions()), InvalidArgument);
}

}  // namespace
}  // namespace parallax
