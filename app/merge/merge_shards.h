// parallax merge: joins shards to the result of one process.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/eval/eval_session.h"
#include "app/output/result_folder.h"

namespace parallax::app {

struct MergeOptions {
  std::vector<std::string> folders;  // of shards, or containing them
  std::filesystem::path output;      // of `run`; empty: the one named folder
  UsedFolder used_folder{.has_resume = false};
  EvalOutputs eval;  // of `eval`
};

// Results of `run`: files are linked into the folder, or copied where linking fails; journal.tsv,
// parameters.yaml and summary.json equal those of one process. places: ShardPlaces. Throws what ReadShards
// and ResultFolder throw, and Error at the end where frames failed.
void MergeRuns(const MergeOptions& options, const std::vector<std::filesystem::path>& places);

// Scores of `eval`: tables, CSV, JSON and report equal those of one process. Throws what ReadShards and
// EvalSession throw.
void MergeScores(const MergeOptions& options, const std::vector<std::filesystem::path>& places);

// Makes `to` another link to the file, or a copy. Throws Error if that fails.
void LinkOrCopy(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace parallax::app
