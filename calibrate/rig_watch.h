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
  // tilt), and one standard deviation of each. Errors of the lens look like a turn about y, so that one is
  // counted from the first three measurements.
  std::array<double, 3> turn{}, sigma{};
  // By how many px, at least, all disparities are too small: those of the farthest points are this far below
  // 0. 0: no point shows it. Disparities that are too large cannot be recognised.
  double shift_px = 0;
  double rows_px = 0;          // by which rows differ: the median of the last frame
  RightTurn_urad corrected{};  // the turn that rectification corrected in that frame
  // corner_px: how far the uncorrected turn moves rows at the corners of the image, px. depth_error: the
  // error of depths at 5 m, as a share of 5 m, above 0 if they are too large; by the turn, or by the shift if
  // its error is larger. depth_sigma: one standard deviation of it.
  double corner_px = 0, depth_error = 0, depth_sigma = 0;
};

// Estimates the drift from frames of one rig, in their order. The estimate follows slow changes; after a jump
// it starts anew.
class RigWatch {
 public:
  // Measures the next frame. left, right: rectified images of one size. corrected: the turn of the right
  // camera that rectification has corrected in them. Frames with fewer than 100 matches are left out.
  void Add(const CameraImageView& left, const CameraImageView& right, const StereoRig& rig,
           const RightTurn_urad& corrected = {});

  const RigDrift& drift() const { return drift_; }
  // The turn that the next frames should correct. It differs from that of the last frame only if rows at the
  // corners move by 0.1 px or more, and by at most 2 px at a time. Nothing is corrected about y, because errors of
  // the lens look like a turn about y.
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
  std::array<double, 2> turn_px_{};  // how far a turn by one radian about x and z moves rows at the corners
};

}  // namespace parallax
