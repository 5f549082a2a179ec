// Frames of the sizes given to `parallax bench`.
#pragma once

#include <string>
#include <vector>

#include "pipeline/types/frame.h"

namespace parallax::app {

struct BenchSize {
  int width = 0, height = 0;  // px
};

struct BenchFrames {
  std::vector<StereoFrame> frames;  // all of one size and pixel type
  std::string description;          // where they come from, and how they were fitted
  std::vector<std::string> files;   // of the source
};

// The first num_frames frames of a source as they are: those of the first one's size and type.
BenchFrames LoadBenchFrames(const std::vector<std::string>& source, const std::string& kind, int num_frames);

// A synthetic drive of that size.
BenchFrames MakeBenchFrames(BenchSize size, int num_frames);

// The same frames in another size: cropped, or repeated beyond their borders. Scaling would change their
// disparities.
BenchFrames FitBenchFrames(const BenchFrames& frames, BenchSize size);

}  // namespace parallax::app
