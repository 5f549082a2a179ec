// What pairs of images show of a board, as CalibrateStereo takes it.
#pragma once

#include <string>

#include "calibrate/board.h"
#include "calibrate/stereo_calibration.h"

namespace parallax {

enum class TakenPairs {
  kAll,       // also those that show no board, which a calibration names
  kNewPlaces  // of a stream: where both images show the board, and not where it was before
};

// Looks for the board in a pair and, where the pair is taken, adds what it shows to input.views. The first pair
// sets the size. Returns whether the pair is taken. Throws Error where its images have another size than the
// first ones.
bool AddPair(CalibrationInput& input, const CornerFinder& finder, TakenPairs taken, const std::string& name,
             const CameraImageView& left, const CameraImageView& right);

}  // namespace parallax
