// One run of `parallax eval`: scores frames as they come, then prints and writes the figures. Frames may also be
// scored by another session with the same options; the session that adds them all has the figures of all.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/eval/scored_frame.h"
#include "app/report/eval_report.h"
#include "app/scores/cloud_scores.h"
#include "app/scores/evaluator.h"
#include "app/scores/scores.h"

namespace parallax::app {

// Where the results go in addition to standard output; empty = nowhere.
struct EvalOutputs {
  std::string csv_file, json_file;
  std::string report;  // a folder, or one file ending in .html
};

// All files whose names follow from that.
std::vector<std::string> WrittenFiles(const EvalOutputs& outputs);
// Throws Error if one of their folders is missing; called before the matching.
void CheckFoldersOf(const EvalOutputs& outputs);

// The input that is scored, for the outputs.
struct EvalSubject {
  std::string dataset;          // kind of the source, or the metric for single files
  std::string source;           // as the user gave it
  std::string estimates;        // where they were read; empty if the matcher ran
  std::string backend, config;  // of the matcher; empty if it did not run
  std::string parameters = {};  // all of them as YAML; empty if it did not run
};

class EvalSession {
 public:
  // metrics: the first one is printed (for synthetic scenes, Middlebury's as well). The files hold all of
  // them.
  EvalSession(EvalSubject subject, std::vector<Metric> metrics, EvalOutputs outputs);

  // Also scores the clouds of all following frames. limits: depths outside of them are left out.
  void ScoreClouds(std::unique_ptr<CloudEvaluator> evaluator, const ReprojectionParameters& limits);

  // Scores one frame with truth and draws the requested pictures; not thread-safe. time_ms: of the matcher,
  // if it ran. Throws Error when the estimate does not fit.
  ScoredFrame Score(const StereoFrame& frame, const EvaluatedFrame& evaluated, std::optional<double> time_ms,
                    std::size_t index);

  // Takes a frame that was scored (here or elsewhere), has nothing to score (no truth, no estimate), or
  // failed. Thread-safe; frames may come in any order and are processed in the order of the source.
  void Add(ScoredFrame frame);

  // Prints the tables and writes the files. Throws Error when no frame was scored. Throws Error after
  // everything is written when frames failed or the run was interrupted.
  void Finish(bool interrupted);

 private:
  struct Unscored {
    std::string name, reason;
  };
  void Take(const ScoredFrame& frame);
  void TakeAllThatFollow();
  Scores Total() const;
  // The mean by the weights of Middlebury's table; nothing unless every scene is one of its training scenes.
  std::optional<Scores> WeightedMean() const;
  std::vector<TableSection> Sections(const Scores& total) const;
  std::string Heading() const;
  std::string Json(const Scores& total) const;
  void WriteFiles(const Scores& total, const std::vector<TableSection>& sections);

  EvalSubject subject_;
  std::vector<Metric> metrics_;
  EvalOutputs outputs_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<CloudEvaluator> clouds_;  // may be null
  ReprojectionParameters cloud_limits_;
  std::vector<Unscored> without_cloud_;
  std::optional<EvalReport> report_;
  std::mutex mutex_;                          // of the fields below
  std::map<std::size_t, ScoredFrame> ahead_;  // by index: frames that wait for an earlier one
  std::size_t next_ = 0;                      // index of the next frame to process
  std::vector<FrameScores> frames_;
  std::vector<Unscored> skipped_, failed_;
  double time_sum_ms_ = 0;
  int num_timed_ = 0;
  bool only_nonoccluded_ = true;  // so far
};

}  // namespace parallax::app
