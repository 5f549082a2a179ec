// A run that `parallax compare` compares: figures read from a JSON file of eval, or computed from the disparities in
// an output folder of run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/scores/evaluator.h"
#include "app/scores/scores.h"

namespace parallax::app {

struct ScoredRun {
  std::string name;              // as it was given
  std::string what;              // back end and configuration, or where the estimates came from
  std::optional<Metric> metric;  // none: a folder, which has no figures yet
  std::vector<FrameScores> frames;
  Scores total;
  std::vector<std::string> source;  // of a folder: the SOURCE that was matched

  bool is_folder() const { return !source.empty(); }
};

// Reads a JSON file of `parallax eval --json` or a page of `parallax eval --report`, whole, or of a folder of `parallax run` what summary.json
// tells: its frames are yet to be scored. Throws Error for a file or folder that is neither.
ScoredRun ReadRun(const std::filesystem::path& path);

// The figure of a frame; NaN where the run has no such frame or figure.
double FigureOf(const ScoredRun& run, const std::string& frame, const std::string& key);

}  // namespace parallax::app
