// What `parallax calibrate` writes in addition to the rig: report.json, corners.vnl, index.html and its pictures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calibrate/stereo_calibration.h"
#include "pipeline/types/frame.h"

namespace parallax::app {

std::string ReportJson(const StereoCalibration& calibration);

// Corners of all images in the format of mrcal and mrgingham: "# filename x y level", "FILE - - -" where the
// board was not found. left_files, right_files: of the views, in order. Partial boards have "- - -" for
// unseen corners.
std::string CornersVnl(const CalibrationInput& input, const std::vector<std::string>& left_files,
                       const std::vector<std::string>& right_files);

// Text for a terminal: the verdict, its reasons, and the figures.
std::string CalibrationText(const StereoCalibration& calibration, const CalibrationInput& input);

struct ReportPicture {
  std::string file, caption;
};
// The report as an HTML page. pictures: those that were written for it.
std::string CalibrationPage(const StereoCalibration& calibration, const CalibrationInput& input,
                            const std::vector<ReportPicture>& pictures);

// Where boards were seen in the images: left and right side by side, 10x10 cells.
HostImage<Rgb8> CoveragePicture(const StereoCalibration& calibration);
// A board's two images with its corners. Arrows, 40 times as long as the error, lead from each corner to its
// expected position.
HostImage<Rgb8> ResidualPicture(const StereoCalibration& calibration, const CalibrationInput& input,
                                std::size_t board, const StereoFrame& frame);
// A rectified pair side by side with lines along rows.
HostImage<Rgb8> RectifiedPicture(const StereoFrame& frame);

}  // namespace parallax::app
