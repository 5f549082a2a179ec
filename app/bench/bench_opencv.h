// OpenCV's semi-global matcher, to compare with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pipeline/types/frame.h"

namespace parallax::app {

// One mode of cv::StereoSGBM with the parameters of its usual form (block 5, P1 200, P2 800, consistency,
// uniqueness and speckle checks on), for 8-bit gray images.
class OpencvMatcher {
 public:
  virtual ~OpencvMatcher() = default;
  virtual void Compute(const StereoFrame& frame) = 0;
};

// "opencv:hh", "opencv:sgbm", "opencv:3way", "opencv:hh4".
std::vector<std::string> OpencvModes();

// Whether images of this width (px) are wide enough for OpenCV to match at least one column; if not, OpenCV
// would end the process.
bool OpencvCanMatch(int width, int num_disparities);

// num_disparities is rounded up to a multiple of 16, which OpenCV requires.
std::unique_ptr<OpencvMatcher> MakeOpencvMatcher(const std::string& mode, int num_disparities);

}  // namespace parallax::app
