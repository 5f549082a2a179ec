// Ground truth named on the command line, for pairs and single files that bring none.
#pragma once

#include <string>

#include "pipeline/frame.h"

namespace CLI {
class App;
}

namespace parallax::app {

struct TruthFiles {
  std::string
      disparity;  // PFM; 16-bit PNG (KITTI); or, with a scale, an 8-bit image as of Middlebury's old sets
  int scale = 0;  // of 8-bit truth: disparity = value / scale; 0 = not given
  std::string nonoccluded;  // 8-bit image, 255 = non-occluded; empty = not told
  std::string objects;      // 8-bit image, 0 = background; empty = not told
};

// Declares --truth, --truth-scale, --truth-mask (--mask) and --objects. files must outlive the parsing.
void AddTruthOptions(CLI::App& command, TruthFiles& files);

// Throws Error for bad files, InvalidArgument when 8-bit truth comes without its scale.
GroundTruth ReadTruth(const TruthFiles& files);

// Puts the masks that are named in the place of those that a truth has. Throws Error for bad files.
void ReadMasks(const TruthFiles& files, GroundTruth& truth);

}  // namespace parallax::app
