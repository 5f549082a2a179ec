// Markers and boards of OpenCV before and after 4.7, which changed their interface (Debian 12 has 4.6, Debian 13 4.10).
#pragma once

#include <opencv2/aruco/charuco.hpp>
#include <vector>

namespace parallax {

using MarkerDictionary = cv::Ptr<cv::aruco::Dictionary>;
using CharucoBoard = cv::Ptr<cv::aruco::CharucoBoard>;

#if CV_VERSION_MAJOR > 4 || CV_VERSION_MINOR >= 7
inline MarkerDictionary PredefinedMarkers(int id) {
  return cv::makePtr<cv::aruco::Dictionary>(cv::aruco::getPredefinedDictionary(id));
}
inline CharucoBoard MakeCharuco(int columns, int rows, double square, double marker,
                                const MarkerDictionary& dictionary) {
  return cv::makePtr<cv::aruco::CharucoBoard>(cv::Size(columns, rows), static_cast<float>(square),
                                              static_cast<float>(marker), *dictionary);
}
inline std::vector<cv::Point3f> CornersOf(const CharucoBoard& board) { return board->getChessboardCorners(); }
inline void DrawCharuco(const CharucoBoard& board, cv::Size size, cv::Mat& picture) {
  board->generateImage(size, picture, 0, 1);
}
inline void DrawMarker(const MarkerDictionary& dictionary, int id, int side_px, cv::Mat& picture) {
  cv::aruco::generateImageMarker(*dictionary, id, side_px, picture, 1);
}
#else
inline MarkerDictionary PredefinedMarkers(int id) { return cv::aruco::getPredefinedDictionary(id); }
inline CharucoBoard MakeCharuco(int columns, int rows, double square, double marker,
                                const MarkerDictionary& dictionary) {
  return cv::aruco::CharucoBoard::create(columns, rows, static_cast<float>(square),
                                         static_cast<float>(marker), dictionary);
}
inline std::vector<cv::Point3f> CornersOf(const CharucoBoard& board) { return board->chessboardCorners; }
inline void DrawCharuco(const CharucoBoard& board, cv::Size size, cv::Mat& picture) {
  board->draw(size, picture, 0, 1);
}
inline void DrawMarker(const MarkerDictionary& dictionary, int id, int side_px, cv::Mat& picture) {
  cv::aruco::drawMarker(dictionary, id, side_px, picture, 1);
}
#endif

}  // namespace parallax
