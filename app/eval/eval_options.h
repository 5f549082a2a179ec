// The options of `parallax eval`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/eval/eval_session.h"
#include "app/eval/truth_files.h"
#include "app/options/matching_options.h"
#include "app/options/named_rig.h"
#include "app/output/result_folder.h"
#include "app/scores/cloud_scores.h"
#include "app/scores/evaluator.h"
#include "app/team/shard.h"
#include "datasets/source.h"

namespace parallax::app {

struct EvalOptions {
  std::vector<std::string> source;  // empty: single files are scored
  std::string kind;                 // empty: recognised
  std::string metric;               // empty: the benchmark's of the source's kind
  std::optional<std::size_t> max_frames;
  MatchingOptions matching;
  RigOptions rig;
  std::string estimates;      // empty: the matcher runs
  TruthFiles truth;           // the files of --truth and its companions, which replace the source's
  std::string estimate_file;  // without a source
  std::optional<float> max_disparity_px;
  bool round = false;
  EvalOutputs outputs;
  std::filesystem::path scores;  // folder that keeps every frame's scores; empty: none
  UsedFolder used_scores;        // what to do with scores that are already there
  std::string shard_text;        // as ParseShard takes it; empty = all frames
  std::optional<Shard> shard{};  // the shard, whose folder `scores` names
  CloudScoreOptions clouds;
  bool uncertainty = false;
  bool show_filled = false;  // filled pixels are as bright as others in the report's pictures
  bool check = true;         // check the first frames for faults that make results worthless

  std::vector<Metric> MetricsOf(SourceKind source_kind) const {
    return metric.empty() ? MetricsFor(source_kind) : std::vector<Metric>{MetricNamed(metric)};
  }
};

}  // namespace parallax::app
