#include "calibrate/bundle_adjustment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "parallax/error.h"
#include "pipeline/calibration/rectification.h"
#include "tests/support/raw_rigs.h"
#include "tests/support/rendered_board.h"

namespace parallax::app {
namespace {

using test::kSquare_m;

std::vector<Vector3> Board() {
  std::vector<Vector3> board;
  for (int y = 0; y < 6; ++y) {
    for (int x = 0; x < 9; ++x) board.push_back({x * kSquare_m, y * kSquare_m, 0});
  }
  return board;
}

// Corners as the rig sees them, with noise of this sigma; z_m bends the board.
std::vector<BoardView> Views(const RawRig& rig, int count, double noise_px, std::uint32_t seed,
                             double bend_m = 0) {
  std::mt19937 random(seed);
  const auto normal = [&] {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() & 0xFFFFU) / 65536 - 0.5;
    return sum * noise_px;
  };
  const CameraProjection left(rig.left), right(rig.right);
  std::vector<BoardView> views;
  for (const BoardPose& pose : test::BoardPoses(count, 8 * kSquare_m, 5 * kSquare_m, 0.5, 0.3)) {
    BoardView view;
    view.pose = pose;
    const std::vector<Vector3> board = Board();
    for (std::size_t i = 0; i < board.size(); ++i) {
      const double u = board[i].x / (4 * kSquare_m) - 1;
      const Vector3 p = pose(board[i] + Vector3{0, 0, bend_m * u * u});
      const auto a = left.Project(p), b = right.Project(rig.right_from_left * p + rig.translation_m);
      const int corner = static_cast<int>(i);
      if (a) view.left.push_back({corner, {a->x + normal(), a->y + normal()}});
      if (b) view.right.push_back({corner, {b->x + normal(), b->y + normal()}});
    }
    // Not where it is: a little off.
    view.pose.camera_from_board = RotationOf({0.03, -0.02, 0.01}) * pose.camera_from_board;
    view.pose.translation_m = pose.translation_m + Vector3{0.01, 0.01, -0.02};
    views.push_back(view);
  }
  return views;
}

RawRig Started(RawRig rig) {  // away from the truth
  rig.left.fx_px *= 1.05;
  rig.left.fy_px *= 1.05;
  rig.right.fx_px *= 0.96;
  rig.left.cx_px += 6;
  rig.left.distortion = rig.right.distortion = {};
  rig.translation_m = rig.translation_m + Vector3{0.01, 0.005, 0.005};
  return rig;
}

std::vector<double> NumbersOf(const RawRig& rig, int coefficients, const RawRig& reference) {
  std::vector<double> numbers;
  for (const CameraModel* c : {&rig.left, &rig.right}) {
    numbers.insert(numbers.end(), {c->fx_px, c->fy_px, c->cx_px, c->cy_px});
    numbers.insert(numbers.end(), c->distortion.begin(), c->distortion.begin() + coefficients);
  }
  // Turned against the reference, in the order of the derivatives.
  const Vector3 turn = RotationVectorOf(rig.right_from_left * Transposed(reference.right_from_left));
  numbers.insert(numbers.end(),
                 {turn.x, turn.y, turn.z, rig.translation_m.x, rig.translation_m.y, rig.translation_m.z});
  return numbers;
}

TEST(BundleAdjustment, FindsTheTruthWithoutNoise) {
  for (const RawRig& rig : {test::WideRig(), test::FisheyeRig()}) {
    const int coefficients = rig.left.lens == LensModel::kFisheye ? 4 : 5;
    const BundleResult result =
        AdjustBundle(Board(), Views(rig, 12, 0, 1), Started(rig), {.num_coefficients = coefficients});
    EXPECT_LT(result.rms_px, 1e-5);
    EXPECT_NEAR(result.rig.left.fx_px, rig.left.fx_px, 1e-3);
    EXPECT_NEAR(result.rig.right.cy_px, rig.right.cy_px, 1e-3);
    EXPECT_NEAR(result.rig.baseline_m(), rig.baseline_m(), 1e-7);
    EXPECT_EQ(result.num_outliers, 0);
  }
}

TEST(BundleAdjustment, ErrorsAreAsLargeAsItSays) {
  for (const RawRig& rig : {test::WideRig(), test::FisheyeRig()}) {
    const int coefficients = rig.left.lens == LensModel::kFisheye ? 4 : 5;
    double sum = 0;
    int count = 0;
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      const BundleResult result =
          AdjustBundle(Board(), Views(rig, 12, 0.2, seed), Started(rig), {.num_coefficients = coefficients});
      EXPECT_NEAR(result.noise_px, 0.2, 0.02);
      const std::vector<double> is = NumbersOf(result.rig, coefficients, rig),
                                was = NumbersOf(rig, coefficients, rig);
      for (std::size_t i = 0; i < is.size(); ++i) {
        const double sigmas = (is[i] - was[i]) / result.Sigma(static_cast<int>(i));
        EXPECT_LT(std::abs(sigmas), 4) << "number " << i;
        sum += sigmas * sigmas;
        ++count;
      }
    }
    EXPECT_GT(sum / count, 0.4);  // neither boasting nor too shy
    EXPECT_LT(sum / count, 2.0);
  }
}

TEST(BundleAdjustment, LeavesOutliersOut) {
  const RawRig rig = test::WideRig();
  std::vector<BoardView> views = Views(rig, 12, 0.1, 3);
  views[2].left[7].pixel.x += 9;
  views[5].right[11].pixel.y -= 20;
  const BundleResult result = AdjustBundle(Board(), views, Started(rig), {});
  EXPECT_TRUE(result.views[2].left[7].is_outlier);
  EXPECT_TRUE(result.views[5].right[11].is_outlier);
  EXPECT_LT(result.num_outliers, 6);
  EXPECT_NEAR(result.rms_px, 0.1 * std::sqrt(2), 0.01);
}

TEST(BundleAdjustment, TellsABentBoard) {
  const RawRig rig = test::WideRig();
  BundleOptions options;
  options.fit_bend = true;
  const BundleResult flat = AdjustBundle(Board(), Views(rig, 12, 0.1, 4), Started(rig), options);
  const int first = NumRigParameters(options);
  EXPECT_LT(std::abs(flat.bend_m.x), 5 * flat.Sigma(first));
  const BundleResult bent = AdjustBundle(Board(), Views(rig, 12, 0.1, 4, 0.004), Started(rig), options);
  EXPECT_NEAR(bent.bend_m.x, 0.004, 0.0008);
  EXPECT_GT(std::abs(bent.bend_m.x), 8 * bent.Sigma(first));
}

TEST(BundleAdjustment, RefusesTooLittle) {
  const RawRig rig = test::WideRig();
  std::vector<BoardView> views = Views(rig, 1, 0, 1);
  views[0].left.resize(5);
  views[0].right.resize(5);
  EXPECT_THROW(AdjustBundle(Board(), views, rig, {}), InvalidArgument);
  EXPECT_THROW(AdjustBundle({}, views, rig, {}), InvalidArgument);
}

TEST(BundleAdjustment, TriangulatesWhatItProjects) {
  const RawRig rig = test::WideRig();
  const Rectification r = MakeRectification(rig);
  const Vector3 p{0.3, -0.2, 2};
  const auto a = CameraProjection(rig.left).Project(p);
  const auto b = CameraProjection(rig.right).Project(rig.right_from_left * p + rig.translation_m);
  EXPECT_NEAR(TriangulatedDepth(rig, r.rectified_from_left, *a, *b), (r.rectified_from_left * p).z, 1e-6);
  EXPECT_TRUE(std::isnan(TriangulatedDepth(rig, r.rectified_from_left, *b, *a)));  // behind
}

}  // namespace
}  // namespace parallax::app
