// Pictures for print: overviews of frames as PNG, curves as SVG.
#pragma once

#include <string>
#include <vector>

#include "app/report/error_analysis.h"
#include "app/scores/evaluator.h"
#include "pipeline/types/frame.h"

namespace parallax::app {

class PrintPictures {
 public:
  // files: FILE.png gets the overview of the first frame, or of every frame where its name holds "{name}", in
  // whose place the frame's name comes; FILE.svg gets the curves over all frames. Throws InvalidArgument for
  // other endings, Error where the folder of a file is missing.
  PrintPictures(std::vector<std::string> files, Metric metric);

  bool has_curves() const { return has_curves_; }
  // Writes the frame's pictures. frame.truth must be there. Throws Error where one cannot be written.
  void Draw(const StereoFrame& frame, const EvaluatedFrame& evaluated);
  // For the curves.
  void AddErrors(const ErrorAnalysis& errors) { analysis_ += errors; }
  void Finish() const;

 private:
  std::vector<std::string> files_;
  Metric metric_;
  bool has_curves_ = false, is_first_ = true;
  ErrorAnalysis analysis_;
};

// The errors as a metric counts them: KITTI's with the holes filled. estimate: px, of any size that the truth
// allows.
ErrorAnalysis AnalyseAsScored(Metric metric, const StereoFrame& frame, const EvaluatedFrame& evaluated);

}  // namespace parallax::app
