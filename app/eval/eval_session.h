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

// Where the results go besides standard output; empty = nowhere.
struct EvalOutputs {
  std::string csv_file, json_file;
  std::string report;  // a folder, or one file ending in .html
};

// All files whose names follow from that.
std::vector<std::string> WrittenFiles(const EvalOutputs& outputs);
// Throws Error if a folder for them is missing: before frames are matched for minutes.
void CheckFoldersOf(const EvalOutputs& outputs);

// What is scored, as the outputs state it.
struct EvalSubject {
  std::string dataset;          // kind of the source, or the metric for single files
  std::string source;           // as it was given
  std::string estimates;        // where they were read; empty when the matcher ran
  std::string backend, config;  // of the matcher; empty when it did not run
  std::string parameters = {};  // all of them as YAML; empty when it did not run
};

class EvalSession {
 public:
  // metrics: the first one is printed (for synthetic scenes, Middlebury's as well); all go into the files.
  EvalSession(EvalSubject subject, std::vector<Metric> metrics, EvalOutputs outputs);

  // From now on clouds are scored, too, of the depths within limits.
  void ScoreClouds(std::unique_ptr<CloudEvaluator> evaluator, const ReprojectionParameters& limits);

  // Scores one frame, whose truth must be there, and draws what is asked for of it; one at a time. time_ms: of
  // the matcher, if it ran. Throws Error when the estimate does not fit.
  ScoredFrame Score(const StereoFrame& frame, const EvaluatedFrame& evaluated, std::optional<double> time_ms,
                    std::size_t index);

  // Takes a frame that was scored, here or elsewhere, that has nothing to score (no truth, no estimate), or
  // that is bad. In any order and from several threads: what follows takes them in the order of the source.
  void Add(ScoredFrame frame);

  // Prints the tables and writes the files. Throws Error when no frame was scored, and, after all is written,
  // when frames failed or the run was interrupted.
  void Finish(bool interrupted);

 private:
  struct Unscored {
    std::string name, reason;
  };
  void Take(const ScoredFrame& frame);
  void TakeAllThatFollow();
  Scores Total() const;
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
  std::mutex mutex_;                          // of what follows
  std::map<std::size_t, ScoredFrame> ahead_;  // by index: a frame before them has not come yet
  std::size_t next_ = 0;                      // index of that one
  std::vector<FrameScores> frames_;
  std::vector<Unscored> skipped_, failed_;
  double time_sum_ms_ = 0;
  int num_timed_ = 0;
  bool only_nonoccluded_ = true;  // so far
};

}  // namespace parallax::app
