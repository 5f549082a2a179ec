#include "calibrate/board.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string_view>

#include "calibrate/corner_fit.h"
#include "calibrate/gray_mat.h"
#include "calibrate/opencv_markers.h"
#include "datasets/formats/file_bytes.h"
#include "parallax/error.h"

namespace parallax {
namespace {

constexpr std::size_t kFewestCorners = 6;

constexpr std::pair<std::string_view, int> kDictionaries[] = {
    {"4X4_50", cv::aruco::DICT_4X4_50},
    {"4X4_100", cv::aruco::DICT_4X4_100},
    {"4X4_250", cv::aruco::DICT_4X4_250},
    {"4X4_1000", cv::aruco::DICT_4X4_1000},
    {"5X5_50", cv::aruco::DICT_5X5_50},
    {"5X5_100", cv::aruco::DICT_5X5_100},
    {"5X5_250", cv::aruco::DICT_5X5_250},
    {"5X5_1000", cv::aruco::DICT_5X5_1000},
    {"6X6_50", cv::aruco::DICT_6X6_50},
    {"6X6_100", cv::aruco::DICT_6X6_100},
    {"6X6_250", cv::aruco::DICT_6X6_250},
    {"6X6_1000", cv::aruco::DICT_6X6_1000},
    {"7X7_50", cv::aruco::DICT_7X7_50},
    {"7X7_250", cv::aruco::DICT_7X7_250},
    {"APRILTAG_36h11", cv::aruco::DICT_APRILTAG_36h11}};

MarkerDictionary DictionaryOf(const std::string& name) {
  for (const auto& [known, id] : kDictionaries) {
    if (known == name) return PredefinedMarkers(id);
  }
  std::string all;
  for (const auto& [known, id] : kDictionaries) all.append(all.empty() ? "" : ", ").append(known);
  throw InvalidArgument("unknown dictionary '" + name + "': use one of " + all);
}

CharucoBoard CharucoOf(const BoardSpec& board) {
  return MakeCharuco(board.columns, board.rows, board.square_m, board.square_m * board.marker_ratio,
                     DictionaryOf(board.dictionary));
}

// Cameras of 10 or 12 bits in 16 fill only the lower part: the brightest pixel decides.
cv::Mat StretchedGrayOf(const CameraImageView& image) {
  const auto* deep = std::get_if<HostImageView<const std::uint16_t>>(&image);
  if (deep == nullptr) return GrayMat(image);
  std::uint16_t most = 1;
  for (int y = 0; y < deep->height; ++y)
    most = std::max(most, *std::max_element(deep->Row(y), deep->Row(y) + deep->width));
  cv::Mat gray(deep->height, deep->width, CV_8UC1);
  for (int y = 0; y < deep->height; ++y) {
    for (int x = 0; x < deep->width; ++x)
      gray.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>((*deep)(x, y) * 255 / most);
  }
  return gray;
}

// spacing_px: from a corner to the next. clear_px: round a corner nothing lies but its own four squares.
void Refine(const cv::Mat& gray, double spacing_px, double clear_px, std::vector<cv::Point2f>& corners) {
  const int half =
      std::clamp(static_cast<int>(std::lround(std::min(0.17 * spacing_px, 0.7 * clear_px))), 2, 12);
  cv::cornerSubPix(gray, corners, {half, half}, {-1, -1},
                   {cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 60, 1e-4});
  const double radius_px = std::clamp(clear_px, 3.0, 14.0);
  const HostImageView<const std::uint8_t> view{gray.data, gray.cols, gray.rows,
                                               static_cast<std::ptrdiff_t>(gray.step)};
  for (cv::Point2f& corner : corners) {
    if (const auto place = FitCorner(view, {corner.x, corner.y}, radius_px))
      corner = {static_cast<float>(place->x), static_cast<float>(place->y)};
  }
}

double SpacingOf(const std::vector<cv::Point2f>& corners, int columns, int rows) {
  double spacing = std::numeric_limits<double>::infinity();
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const cv::Point2f& p = corners[static_cast<std::size_t>(y * columns + x)];
      if (x + 1 < columns)
        spacing = std::min(spacing, cv::norm(corners[static_cast<std::size_t>(y * columns + x + 1)] - p));
      if (y + 1 < rows)
        spacing = std::min(spacing, cv::norm(corners[static_cast<std::size_t>((y + 1) * columns + x)] - p));
    }
  }
  return spacing;
}

// Mean brightness round a place; nullopt outside the image.
std::optional<double> BrightnessAt(const cv::Mat& gray, cv::Point2f p, int half) {
  const int x = cvRound(p.x), y = cvRound(p.y);
  const cv::Rect window =
      cv::Rect(x - half, y - half, 2 * half + 1, 2 * half + 1) & cv::Rect({}, gray.size());
  if (x < 0 || y < 0 || x >= gray.cols || y >= gray.rows || window.empty()) return std::nullopt;
  return cv::mean(gray(window))[0];
}

std::vector<SeenCorner> FindChessboard(const cv::Mat& gray, const BoardSpec& board) {
  const cv::Size size(board.columns, board.rows);
  std::vector<cv::Point2f> corners;
  bool found = cv::findChessboardCorners(gray, size, corners,
                                         cv::CALIB_CB_ADAPTIVE_THRESH | cv::CALIB_CB_NORMALIZE_IMAGE);
  if (!found)
    found = cv::findChessboardCornersSB(gray, size, corners,
                                        cv::CALIB_CB_NORMALIZE_IMAGE | cv::CALIB_CB_EXHAUSTIVE);
  const std::size_t count = static_cast<std::size_t>(board.columns) * static_cast<std::size_t>(board.rows);
  if (!found || corners.size() != count) return {};
  const double spacing = SpacingOf(corners, board.columns, board.rows);
  Refine(gray, spacing, 0.4 * spacing, corners);
  const auto at = [&](int x, int y) -> cv::Point2f& {
    return corners[static_cast<std::size_t>(y * board.columns + x)];
  };
  // Rows run to the right where columns run down: the board is seen from its front.
  const cv::Point2f along = at(board.columns - 1, 0) - at(0, 0), down = at(0, board.rows - 1) - at(0, 0);
  if (along.cross(down) < 0) {
    for (int y = 0; y < board.rows; ++y)
      std::reverse(corners.begin() + y * board.columns, corners.begin() + (y + 1) * board.columns);
  }
  // Finds the first corner: its outer square is black (sampled near the corner, because many boards are cut
  // there). Boards that look the same from both ends start at the upper left.
  const int x1 = board.columns - 1, y1 = board.rows - 1;
  const auto outer = [&](int x, int y, int dx, int dy) {
    return at(x, y) + 0.25F * ((at(x, y) - at(x + dx, y)) + (at(x, y) - at(x, y + dy)));
  };
  const int half = std::max(1, static_cast<int>(0.1 * spacing));
  const auto first = BrightnessAt(gray, outer(0, 0, 1, 1), half),
             last = BrightnessAt(gray, outer(x1, y1, -1, -1), half);
  bool turned = false;
  if (!board.IsAmbiguous() && first && last) {
    turned = *first > *last;
  } else {
    const cv::Point2f diagonal = at(x1, y1) - at(0, 0);
    turned = diagonal.x + diagonal.y < 0;
  }
  if (turned) std::reverse(corners.begin(), corners.end());
  std::vector<SeenCorner> seen;
  for (std::size_t i = 0; i < corners.size(); ++i)
    seen.push_back({static_cast<int>(i), {corners[i].x, corners[i].y}});
  return seen;
}

cv::Ptr<cv::aruco::DetectorParameters> DetectorOf(const cv::Mat& gray) {
  const auto parameters = cv::makePtr<cv::aruco::DetectorParameters>();
  parameters->cornerRefinementMethod = cv::aruco::CORNER_REFINE_NONE;
  parameters->adaptiveThreshWinSizeMax = std::max(23, gray.cols / 20 | 1);
  parameters->minMarkerPerimeterRate = 0.015;
  return parameters;
}

std::vector<SeenCorner> FindCharuco(const cv::Mat& gray, const BoardSpec& board) {
  const auto charuco = CharucoOf(board);
  std::vector<std::vector<cv::Point2f>> markers;
  std::vector<int> ids;
  cv::aruco::detectMarkers(gray, DictionaryOf(board.dictionary), markers, ids, DetectorOf(gray));
  if (ids.empty()) return {};
  std::vector<cv::Point2f> corners;
  std::vector<int> numbers;
  cv::aruco::interpolateCornersCharuco(markers, ids, gray, charuco, corners, numbers);
  if (corners.size() < kFewestCorners) return {};
  double spacing = std::numeric_limits<double>::infinity();
  for (const auto& marker : markers)
    for (std::size_t i = 0; i < 4; ++i)
      spacing = std::min(spacing, cv::norm(marker[i] - marker[(i + 1) % 4]) / board.marker_ratio);
  // Markers stand in the middle of the white squares: their nearest corners lie across.
  Refine(gray, spacing, std::min(0.4, 0.65 * (1 - board.marker_ratio)) * spacing, corners);
  std::vector<SeenCorner> seen;
  for (std::size_t i = 0; i < corners.size(); ++i) seen.push_back({numbers[i], {corners[i].x, corners[i].y}});
  std::sort(seen.begin(), seen.end(),
            [](const SeenCorner& a, const SeenCorner& b) { return a.corner < b.corner; });
  return seen;
}

// The corners of tags may be ordered and rows counted in several ways; the right one lies on a plane.
std::vector<SeenCorner> FindAprilGrid(const cv::Mat& gray, const BoardSpec& board) {
  std::vector<std::vector<cv::Point2f>> tags;
  std::vector<int> ids;
  cv::aruco::detectMarkers(gray, DictionaryOf("APRILTAG_36h11"), tags, ids, DetectorOf(gray));
  const std::vector<Vector3> places = board.Corners();
  std::vector<SeenCorner> best;
  double least = std::numeric_limits<double>::infinity();
  double spacing = std::numeric_limits<double>::infinity();
  std::vector<cv::Point2f> all;
  std::vector<int> known;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= board.columns * board.rows || std::count(ids.begin(), ids.end(), ids[i]) > 1) continue;
    known.push_back(ids[i]);
    for (std::size_t k = 0; k < 4; ++k) {
      all.push_back(tags[i][k]);
      spacing = std::min(spacing, cv::norm(tags[i][k] - tags[i][(k + 1) % 4]));
    }
  }
  if (known.size() < 3) return {};
  // A tag is eight cells wide, the outer ones black: the others begin across the corner, and the small
  // square in the gap ends there.
  Refine(gray, spacing, std::min(1 / 8.0, board.marker_ratio) * 1.3 * spacing, all);
  for (int order = 0; order < 8; ++order) {
    std::vector<SeenCorner> seen;
    std::vector<cv::Point2f> on_board, in_image;
    for (std::size_t i = 0; i < known.size(); ++i) {
      const int column = known[i] % board.columns, counted = known[i] / board.columns;
      const int row = order < 4 ? board.rows - 1 - counted : counted;
      for (int k = 0; k < 4; ++k) {
        const int number = 4 * (row * board.columns + column) + (k + order) % 4;
        const cv::Point2f pixel = all[4 * i + static_cast<std::size_t>(k)];
        const Vector3& place = places[static_cast<std::size_t>(number)];
        seen.push_back({number, {pixel.x, pixel.y}});
        on_board.emplace_back(static_cast<float>(place.x / board.square_m),
                              static_cast<float>(place.y / board.square_m));
        in_image.push_back(pixel);
      }
    }
    const cv::Mat homography = cv::findHomography(on_board, in_image);
    if (homography.empty()) continue;
    std::vector<cv::Point2f> projected;
    cv::perspectiveTransform(on_board, projected, homography);
    double sum = 0;
    for (std::size_t i = 0; i < projected.size(); ++i) sum += cv::norm(projected[i] - in_image[i]);
    if (sum < least) {
      least = sum;
      best = std::move(seen);
    }
  }
  std::sort(best.begin(), best.end(),
            [](const SeenCorner& a, const SeenCorner& b) { return a.corner < b.corner; });
  return best;
}

}  // namespace

std::vector<Vector3> BoardSpec::Corners() const {
  std::vector<Vector3> corners;
  if (kind == BoardKind::kAprilGrid) {
    const double step = square_m * (1 + marker_ratio);
    for (int y = 0; y < rows; ++y) {
      for (int x = 0; x < columns; ++x) {
        const double left = x * step, top = y * step;
        corners.insert(corners.end(), {{left, top, 0},
                                       {left + square_m, top, 0},
                                       {left + square_m, top + square_m, 0},
                                       {left, top + square_m, 0}});
      }
    }
    return corners;
  }
  if (kind == BoardKind::kCharuco) {
    for (const cv::Point3f& p : CornersOf(CharucoOf(*this))) corners.push_back({p.x, p.y, 0});
    return corners;
  }
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) corners.push_back({x * square_m, y * square_m, 0});
  }
  return corners;
}

BoardSpec ParseBoard(const std::string& text, double square_m) {
  const auto fail = [&]() -> InvalidArgument {
    return InvalidArgument(
        "board '" + text +
        "' is unknown: use chessboard:COLUMNSxROWS (inner corners, e.g. chessboard:9x6), "
        "charuco:COLUMNSxROWS[:DICTIONARY[:RATIO]] (squares, e.g. charuco:5x7:4X4_50:0.75) or "
        "aprilgrid:COLUMNSxROWS[:GAP] (tags, e.g. aprilgrid:6x6:0.3)");
  };
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (parts.size() < 2) throw fail();
  BoardSpec board;
  std::size_t most_parts = 2;
  if (parts[0] == "charuco") {
    board.kind = BoardKind::kCharuco;
    most_parts = 4;
  } else if (parts[0] == "aprilgrid") {
    board.kind = BoardKind::kAprilGrid;
    board.marker_ratio = 0.3;
    most_parts = 3;
  } else if (parts[0] != "chessboard") {
    throw fail();
  }
  const std::size_t x = parts[1].find('x');
  if (x == std::string::npos) throw fail();
  const std::uint64_t columns = ParseCount(parts[1].substr(0, x)).value_or(0);
  const std::uint64_t rows = ParseCount(parts[1].substr(x + 1)).value_or(0);
  const std::uint64_t fewest = board.kind == BoardKind::kAprilGrid ? 2 : 3;
  if (columns < fewest || rows < fewest || columns > 60 || rows > 60 || parts.size() > most_parts)
    throw fail();
  board.columns = static_cast<int>(columns);
  board.rows = static_cast<int>(rows);
  if (board.kind == BoardKind::kCharuco && parts.size() > 2) board.dictionary = parts[2];
  if (parts.size() == most_parts && most_parts > 2) {
    const auto ratio = ParseNumber(parts.back());
    if (!ratio || !(*ratio > 0.05 && *ratio < (board.kind == BoardKind::kCharuco ? 1 : 3))) throw fail();
    board.marker_ratio = *ratio;
  }
  if (!(square_m > 0)) throw InvalidArgument("the side of a square must be above 0, in metres");
  if (square_m > 1) {
    throw InvalidArgument("a square of " + std::to_string(square_m) +
                          " m is unlikely: give its side in metres, or with its unit, e.g. 24.23mm");
  }
  board.square_m = square_m;
  if (board.kind == BoardKind::kCharuco) {
    const auto dictionary = DictionaryOf(board.dictionary);
    if (board.columns * board.rows / 2 > dictionary->bytesList.rows) {
      throw InvalidArgument("board '" + text +
                            "' needs more markers than its dictionary has: use a larger dictionary");
    }
  }
  return board;
}

CornerFinder::CornerFinder(const BoardSpec& board) : board_(board) {}

std::vector<SeenCorner> CornerFinder::Find(const CameraImageView& image) const {
  const cv::Mat gray = StretchedGrayOf(image);
  try {
    switch (board_.kind) {
      case BoardKind::kChessboard:
        return FindChessboard(gray, board_);
      case BoardKind::kCharuco:
        return FindCharuco(gray, board_);
      case BoardKind::kAprilGrid:
        return FindAprilGrid(gray, board_);
    }
  } catch (const cv::Exception& error) {  // an image that is too small for a window of its filters
    RethrowRefusedMemory(error);
    return {};
  }
  return {};
}

}  // namespace parallax
