// How far a rig has moved since it was calibrated, as the rows of matches show it over many frames.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "calibrate/row_offsets.h"
#include "parallax/rig.h"
#include "pipeline/calibration/rectifier.h"

namespace parallax {

// The turn of the right camera, in the rectified frame, since the calibration.
struct RigDrift {
  int num_frames = 0;  // that were measured
  // Radians about x (rows shift as a whole), y (convergence: all disparities shift, rows hardly) and z (rows
  // tilt), and one standard deviation of each. Errors of the lens look like a turn about y: it is that since
  // the first three measurements.
  std::array<double, 3> turn{}, sigma{};
  // By which all disparities are too small at least: that of the farthest points lies so far below 0. px; 0 if
  // nothing shows it. Disparities that are too large do not show.
  double shift_px = 0;
  double rows_px = 0;          // by which rows differ: the median of the last frame
  RightTurn_urad taken_out{};  // of that frame by its rectification
  // By which the turn, less what rectification takes out, moves rows at the image's corners, px. By which it, or
  // the shift if that is larger, makes
  // depths at 5 m too large (above 0) or too small, as a share of 5 m; one standard deviation.
  double corner_px = 0, depth_error = 0, depth_sigma = 0;
};

// Estimates it from frames of one rig, in their order. The estimate follows slow changes; after a jump it
// starts anew.
class RigWatch {
 public:
  // Both images rectified and of one size; taken_out: the turn of the right camera that rectification has taken out
  // of them. Frames with fewer than 100 matches are left out.
  void Add(const CameraImageView& left, const CameraImageView& right, const StereoRig& rig,
           const RightTurn_urad& taken_out = {});

  const RigDrift& drift() const { return drift_; }
  // What to take out next of a rig that is followed: the turn about x and z, where it moves rows at the corners by
  // 0.1 px or more against what was taken out of the last frame, and at most 2 px of it at a time. About y
  // nothing, because errors of the lens look like it.
  RightTurn_urad NextTurn() const;
  // What is wrong, in one line with the remedy: rows at the corners differ by more than a pixel, or depths at
  // 5 m are off by more than 5 %, each beyond five standard deviations. Empty if nothing is.
  std::string Fault() const;

 private:
  // About x, y, z, and the ratio of focal lengths less 1.
  static constexpr int kNumParts = 4;
  struct Part {
    double value = 0, variance = 0;
    int num_surprises = 0;  // measurements in turn that do not fit
  };

  std::array<Part, kNumParts> parts_{};
  double first_y_ = 0;          // about y, after the first three measurements
  std::vector<double> far_px_;  // disparities of the farthest points of the last frames
  RigDrift drift_;
  double corner_sigma_px_ = 0;
  std::array<double, 2> turn_px_{};  // rows at the corners of a turn about x and z by a radian
};

}  // namespace parallax
