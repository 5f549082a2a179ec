// parallax merge: shards joined to what one process would have made.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/eval/eval_session.h"
#include "app/output/result_folder.h"

namespace parallax::app {

struct MergeOptions {
  std::vector<std::string> folders;  // of shards, or that hold them
  std::filesystem::path output;      // of `run`; empty: the one folder that was named
  UsedFolder used_folder{.has_resume = false};
  EvalOutputs eval;  // of `eval`
};

// Results of `run`: files are linked into the folder, or copied where that cannot be; journal.tsv,
// parameters.yaml and summary.json are those of one process. places: ShardPlaces. Throws as ReadShards and
// ResultFolder, and Error at the end where frames failed.
void MergeRuns(const MergeOptions& options, const std::vector<std::filesystem::path>& places);

// Scores of `eval`: tables, CSV, JSON and report as one process gives them. Throws as ReadShards and
// EvalSession.
void MergeScores(const MergeOptions& options, const std::vector<std::filesystem::path>& places);

// `to` becomes another name of the file, or a copy of it. Throws Error where that cannot be.
void LinkOrCopy(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace parallax::app
