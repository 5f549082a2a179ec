// Computes a rig, and a verdict on it, from the corners of a board in pairs of images.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/board.h"
#include "calibrate/bundle_adjustment.h"
#include "pipeline/calibration/rectification.h"

namespace parallax {

// The lens model of the cameras, and the number of coefficients to fit.
struct LensChoice {
  LensModel lens = LensModel::kPlumbBob;
  int num_coefficients = 5;
  int num_held = 0;  // the last of them, which the boards do not determine: they stay 0
  friend bool operator==(const LensChoice&, const LensChoice&) = default;
};

// A lens model tried on the boards: fitted to some of the pairs, measured on the others.
struct LensTrial {
  LensChoice lens;
  double held_out_px = 0;  // rms distance of the other pairs' corners from their expected places
  std::string problem;     // why it is not chosen unless all have such a reason; empty = none
};

struct RejectedBoard {
  std::string name, reason;
};

// The depth error: sigma of Z in metres, mean over the image.
struct DepthError {
  double distance_m = 0;
  double calibration_m = 0;  // of the rig's own uncertainty
  double matching_m = 0;     // of 0.25 px of disparity
  double total_m = 0;
};

struct CameraCoverage {
  std::array<int, 100> corners{};  // in a 10x10 grid of the image
  int num_cells = 0;               // that hold a corner
  void Add(const std::vector<SeenCorner>& seen, int width_px, int height_px);
};

// Two rigs, one of the odd and one of the even boards, compared where boards were seen.
struct CrossValidation {
  double projection_median_px = 0, projection_max_px = 0;  // of the left camera, after the best rotation
  double depth_median_percent = 0, depth_max_percent = 0;  // at the boards' median distance
};

struct StereoCalibration {
  int width_px = 0, height_px = 0;
  LensChoice lens;
  std::vector<LensTrial> lens_trials;  // the usual one first; empty if no rig was found
  BundleResult bundle;                 // its views are the boards that were used
  BundleOptions bundle_options;
  double mono_left_px = 0, mono_right_px = 0;  // rms of each camera alone, of the same boards
  KeptShare kept;                              // by the rectified view at zoom 1; 0 if there is none
  std::vector<RejectedBoard> rejected;
  std::vector<double> board_rms_px;  // of each used board, both cameras
  std::vector<double> tilt_degrees, distance_m;
  double epipolar_median_px = 0, epipolar_p95_px = 0;
  CameraCoverage left, right;
  double tilt_spread_degrees = 0;  // largest angle between two boards
  BoardBend bend_m;
  double bend_sigmas = 0;  // its largest component in standard deviations
  std::optional<CrossValidation> cross_validation;
  std::vector<DepthError> depth_errors;
  // good, usable (with warnings), refused (with causes).
  std::string verdict;
  std::vector<std::string> causes;    // why the verdict is "refused", in words; empty otherwise
  std::vector<std::string> warnings;  // advice for improvement
  bool IsRefused() const { return verdict == "refused"; }
};

struct CalibrationInput {
  BoardSpec board;
  std::optional<LensChoice> lens;  // nullopt: chosen by cross-validation
  int width_px = 0, height_px = 0;
  std::vector<BoardView> views;  // of all pairs, in order, including those in which the board was not found
  std::optional<double> expected_baseline_m;
};

// Throws Error in one line for too few boards.
StereoCalibration CalibrateStereo(const CalibrationInput& input);

inline constexpr int kFewestBoards = 5;

}  // namespace parallax
