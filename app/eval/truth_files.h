// Ground truth given on the command line, for pairs and single files without their own.
#pragma once

#include <memory>
#include <string>

#include "datasets/source.h"
#include "pipeline/types/frame.h"

namespace CLI {
class App;
}

namespace parallax::app {

struct TruthFiles {
  std::string
      disparity;  // PFM; 16-bit PNG (KITTI); or an 8-bit image with a scale, as in Middlebury's old sets
  int scale = 0;  // of 8-bit truth: disparity = value / scale; 0 = not given
  std::string nonoccluded;  // 8-bit image, 255 = non-occluded; empty = unknown
  std::string objects;      // 8-bit image, 0 = background; empty = unknown
};

// Declares --truth, --truth-scale, --truth-mask (--mask) and --objects. files must outlive the parsing.
void AddTruthOptions(CLI::App& command, TruthFiles& files);

// Throws Error for bad files, InvalidArgument when 8-bit truth comes without its scale.
GroundTruth ReadTruth(const TruthFiles& files);

// A source of one frame whose truth or masks the named files replace; the source itself where no file is
// named. Throws InvalidArgument when the source has more frames. Its Read() reports bad files.
std::unique_ptr<FrameSource> WithNamedTruth(std::unique_ptr<FrameSource> source, const TruthFiles& files);

}  // namespace parallax::app
