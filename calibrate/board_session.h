// Collects boards for a calibration from a stream of pairs while the user moves a board in front of the
// cameras: decides which pairs to take and what is still missing.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/board.h"
#include "calibrate/stereo_calibration.h"

namespace parallax {

// What a pair shows of the board.
struct BoardSight {
  BoardView view;
  bool is_still = false;  // in both images where it was in the pair before
  bool is_taken = false;
  // The distance from the left camera, roughly, by a focal length that the boards taken so far suggest. NaN
  // if the board is not seen.
  double distance_m = std::numeric_limits<double>::quiet_NaN();
  double tilt_degrees = std::numeric_limits<double>::quiet_NaN();  // against the image plane
};

// Something that a good calibration needs.
struct SessionNeed {
  std::string text;       // "boards 7 of 12"
  double done_share = 0;  // 1: there is enough of it
};

// The same pairs give the same boards and advice every time.
class BoardSession {
 public:
  enum class Takes {
    kNewPlaces,  // of a stream: where the board stands still, elsewhere than in all pairs taken so far
    kEveryPair   // of pictures that somebody chose, also where no board is found
  };
  explicit BoardSession(const BoardSpec& board, Takes takes = Takes::kNewPlaces);

  // Searches the pair that follows in time for the board. Throws Error if its size is not that of the first.
  const BoardSight& Look(const std::string& name, const CameraImageView& left, const CameraImageView& right,
                         std::optional<double> time_s);
  // The same where the corners are known already.
  const BoardSight& Add(BoardView view, int width_px, int height_px, std::optional<double> time_s);

  const BoardSight& last() const { return last_; }
  const std::vector<BoardView>& taken() const { return taken_; }
  std::size_t num_moving() const { return num_moving_; }  // pairs not taken because the board moved
  int width_px() const { return width_px_; }              // 0 before the first pair
  int height_px() const { return height_px_; }
  const CameraCoverage& left() const { return left_; }
  const CameraCoverage& right() const { return right_; }

  // Boards, covered cells, tilts and distances.
  std::vector<SessionNeed> Needs() const;
  bool IsEnough() const;
  // The ninth of the image (0 to 8, row by row) that should see the board next; nullopt if enough cells are
  // covered.
  std::optional<std::size_t> WantedPlace() const;
  // What to do next, one line: "move it to the upper right corner and tilt its left side away from the cameras,
  // then hold it still".
  std::string Advice() const;

 private:
  struct RoughPose {
    double distance_m = 0, slope_right = 0,
           slope_down = 0;  // how much farther a step to the right or down is
  };
  // The homography from the board's plane, (x, y, 1) in m from the board's middle, to the left image, in
  // image widths from its middle. nullopt if too little of the board is seen.
  std::optional<Matrix3> PlaneOf(const BoardView& view) const;
  double FocalWidths() const;
  static RoughPose PoseOf(const Matrix3& plane, double focal_widths);
  std::vector<RoughPose> TakenPoses() const;
  std::array<bool, 4> TiltedSides() const;
  double SpreadOfDistances() const;
  // Throws Error unless it is that of the first image.
  void RequireSize(const std::string& name, int width_px, int height_px);
  bool IsStill(const BoardView& view, std::optional<double> time_s) const;
  bool IsNew(const BoardView& view) const;
  void Take(const BoardView& view);

  BoardSpec board_;
  Takes takes_;
  CornerFinder finder_;
  int width_px_ = 0, height_px_ = 0;
  BoardSight last_;
  std::optional<double> last_time_s_;
  std::vector<BoardView> taken_;
  std::vector<Matrix3> planes_;  // of the boards taken
  CameraCoverage left_, right_;
  std::size_t num_moving_ = 0;
};

}  // namespace parallax
