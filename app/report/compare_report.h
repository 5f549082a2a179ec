// The page of `parallax compare`: several runs over the same frames, the first of which is the baseline.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "app/report/error_analysis.h"
#include "app/report/picture_store.h"
#include "app/report/report_page.h"
#include "app/report/scored_run.h"
#include "app/report/sign_test.h"
#include "pipeline/types/frame.h"

namespace parallax::app {

// One run against the first one, over the frames that all runs have.
struct RunComparison {
  SignTest signs;
  double mean_of_first = 0, mean = 0;  // of the figure over the common frames
};

// The findings of `parallax compare`.
struct Comparison {
  Metric metric = Metric::kKitti2012;
  std::string key;                    // the figure that is compared
  std::vector<ScoredRun> runs;        // two or more
  std::vector<std::string> frames;    // names of the frames for which every run has the figure
  std::vector<RunComparison> others;  // of runs[1], ...
};

// Compares the runs by the metric's main figure. Throws Error if no frame has it in all of them.
Comparison Compare(std::vector<ScoredRun> runs, Metric metric);

class CompareReport {
 public:
  // place: see EvalReport.
  CompareReport(std::filesystem::path place, Metric metric, std::size_t num_runs);

  // Adds a frame. estimates: one per run, of the truth's size, px; empty images for runs without one.
  void AddFrame(const StereoFrame& frame, std::span<const HostImage<float>> estimates);

  void Finish(const Comparison& comparison);

 private:
  std::filesystem::path place_;
  Metric metric_;
  PictureStore store_;
  std::vector<ErrorAnalysis> analyses_;  // one per run
  std::vector<PageFrame> frames_;
};

// "A", "B", ...; after 26 letters "27".
std::string LetterOf(std::size_t run);

}  // namespace parallax::app
