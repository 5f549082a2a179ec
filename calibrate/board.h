// Calibration boards: their names, their corners, and finding them in images.
#pragma once

#include <string>
#include <vector>

#include "calibrate/bundle_adjustment.h"
#include "pipeline/types/frame.h"

namespace parallax {

enum class BoardKind { kChessboard, kCharuco, kAprilGrid };

// Chessboards are counted by inner corners, ChArUco boards by squares, AprilGrids by tags, as in OpenCV and
// Kalibr.
struct BoardSpec {
  BoardKind kind = BoardKind::kChessboard;
  int columns = 0, rows = 0;
  double square_m = 0;                // side of a square; of a tag of an AprilGrid
  std::string dictionary = "4X4_50";  // ChArUco
  double marker_ratio = 0.75;  // ChArUco: marker's side by square's; AprilGrid: gap by tag's side (0.3)

  // Corners in metres, in the plane of the board: x along a row, y down, z = 0; by number.
  std::vector<Vector3> Corners() const;
  // Whether the board looks the same when rotated by 180 degrees, so that its two ends cannot be
  // distinguished.
  bool IsAmbiguous() const { return kind == BoardKind::kChessboard && (columns + rows) % 2 == 0; }
};

// Reads "chessboard:7x6", "charuco:5x7[:4X4_50[:0.75]]" or "aprilgrid:6x6[:0.3]". square_m: side of a square
// or tag, m. Throws InvalidArgument for anything else.
BoardSpec ParseBoard(const std::string& text, double square_m);

// Finds the board's corners in images, to a fraction of a pixel.
class CornerFinder {
 public:
  explicit CornerFinder(const BoardSpec& board);

  // Empty if the board is not found, or fewer than 6 of its corners. Corners of a chessboard are numbered so
  // that the first one's outer square is black, if the image shows it.
  std::vector<SeenCorner> Find(const CameraImageView& image) const;

 private:
  BoardSpec board_;
};

}  // namespace parallax
