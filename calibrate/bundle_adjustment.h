// The cameras and poses that best explain the observed corners of a board, with the uncertainty of each
// number.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "pipeline/calibration/raw_rig.h"

namespace parallax {

// A corner of the board, by number, and its place in an image.
struct SeenCorner {
  int corner = 0;  // index into the board's corners
  Vector2 pixel;
  bool is_outlier = false;  // left out of the fit
};

struct BoardPose {
  Matrix3 camera_from_board;
  Vector3 translation_m;
  Vector3 operator()(const Vector3& p) const { return camera_from_board * p + translation_m; }
};

// One moment: what left and right saw of the board. One of the lists may be empty.
struct BoardView {
  std::string name;
  std::vector<SeenCorner> left, right;
  BoardPose pose;  // in the left camera's frame
};

// The board's height over a plane, m: bend.x u^2 + bend.y v^2 + bend.z u v, with u, v from -1 to 1 across it.
using BoardBend = Vector3;

// The parameters that are fitted, in addition to the poses of the boards.
enum class Freedom {
  kPoses,  // the poses alone
  kFocal,  // one factor for each camera's focal lengths, and the distortion: for a start far from the truth
  kAll
};

struct BundleOptions {
  bool two_cameras = true;   // false: only the left camera; the pose of the right one is fixed
  int num_coefficients = 5;  // of the distortion: the first 0, 5 or 8 of a plumb bob, 4 of a fisheye
  // The number of the last coefficients that stay fixed. The covariance counts them as unknown within a
  // lens's usual size, so the sigmas of the others include the effect of leaving them out.
  int num_held = 0;
  bool fit_bend = false;  // also the board's shape
  Freedom freedom = Freedom::kAll;
  bool start_is_near =
      false;  // plain least squares without the corners already marked as outliers; no covariance
};

// The rig's numbers in the order of the covariance: fx fy cx cy and the coefficients of the left camera, the
// same of the right one, a rotation vector (radians, applied after right_from_left) and translation_m, the
// bend.
struct BundleResult {
  RawRig rig;
  BoardBend bend_m;
  std::vector<BoardView> views;    // with their poses
  std::vector<double> covariance;  // n x n, row by row
  int num_parameters = 0;          // n, of the rig
  double rms_px = 0;               // distance of the corners from their expected places, without outliers
  double rms_left_px = 0, rms_right_px = 0;
  double noise_px = 0;  // sigma of one coordinate of a corner
  double usual_px = 0;  // median distance of all corners from their expected places, with outliers
  int num_corners = 0, num_outliers = 0;

  // NaN if there is no covariance.
  double Sigma(int parameter) const {
    const auto n = static_cast<std::size_t>(num_parameters), i = static_cast<std::size_t>(parameter);
    return covariance.empty() ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(covariance[i * n + i]);
  }
};

// Levenberg-Marquardt from the given rig and poses, poses eliminated (Triggs et al. 2000, section 6). The
// first fits weigh corners by Cauchy's function, so a few bad boards have little effect. Then corners further
// away than 5 sigma (robust) are left out, and the rest is fitted by least squares. Deterministic. Throws
// InvalidArgument if there are fewer measurements than unknowns.
BundleResult AdjustBundle(const std::vector<Vector3>& board, std::vector<BoardView> views, const RawRig& rig,
                          const BundleOptions& options);

// The rig with its number `parameter` changed by `step`, in the order above; the bend is not part of it.
RawRig Changed(const RawRig& rig, const BundleOptions& options, int parameter, double step);
int NumRigParameters(const BundleOptions& options);

// Expected minus observed place of each corner of a view, px; NaN where the camera cannot see it.
std::vector<Vector2> ResidualsOf(const std::vector<Vector3>& board, const std::vector<SeenCorner>& corners,
                                 const CameraModel& camera, const BoardPose& pose);

// Depth of the point that two pixels see, along the left camera's rectified z: the middle of the shortest
// line between their rays. NaN where they do not meet in front of the camera.
double TriangulatedDepth(const RawRig& rig, const Matrix3& rectified_from_left, const Vector2& left,
                         const Vector2& right);

}  // namespace parallax
