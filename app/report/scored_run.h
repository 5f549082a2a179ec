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
  std::optional<Metric> metric;  // empty: a folder, which has no figures yet
  std::vector<FrameScores> frames;
  Scores total;
  std::vector<std::string> source;  // of a folder: the SOURCE that was matched

  bool is_folder() const { return !source.empty(); }
};

// Reads a JSON file of `parallax eval --json` or a page of `parallax eval --report` completely. If path is a
// folder of `parallax run`, it reads summary.json; the frames are not scored yet. Throws Error for any other
// file or folder.
ScoredRun ReadRun(const std::filesystem::path& path);

// The figure of a frame; NaN where the run lacks the frame or the figure.
double FigureOf(const ScoredRun& run, const std::string& frame, const std::string& key);

}  // namespace parallax::app
