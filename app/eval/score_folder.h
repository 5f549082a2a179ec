// Scores stored frame by frame in a folder (eval --scores DIR): --resume continues with them, and `parallax merge`
// joins those of shards. scores.tsv is a journal like that of a run (docs/run.md).
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/eval/eval_options.h"
#include "app/eval/eval_session.h"
#include "app/eval/scored_frame.h"
#include "app/output/journal.h"
#include "app/output/result_folder.h"
#include "app/scores/cloud_scores.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::app {

inline constexpr const char* kScoresName = "scores.tsv";
inline constexpr const char *kEvalRecord = "eval", *kScoresEndRecord = "end",
                            *kScoresGoOnRecord = "goes_on";  // record kinds other than the frames'
inline constexpr std::string_view kOriginKey = "origin";     // of a frame's record

// What all scores in a folder share: the information that `eval` needs to make tables and files from them.
struct EvalDescription {
  EvalSubject subject;
  std::vector<Metric> metrics;
  bool has_clouds = false;
  CloudScoreOptions clouds{};
  std::string cloud_backend{};
  ReprojectionParameters cloud_limits{};
  std::string report{};  // the value of --report as an absolute path; empty = none
};
// The first record of a folder: the description, and the options that change scores.
JournalRecord RecordOf(const EvalDescription& description, const EvalOptions& options);
EvalDescription EvalDescriptionOf(const JournalRecord& record);

// Why two records are compared: to resume a folder (kGoesOn), or to merge shards.
enum class Compared { kGoesOn, kShards };
// How two records differ, in words; empty if they agree in all that changes figures. Never compared: the
// shard and the back ends. Also not compared: --max-frames with kGoesOn, --report with kShards.
std::string DifferenceOf(const JournalRecord& was, const JournalRecord& is, Compared compared);

class ScoreFolder {
 public:
  // Makes the folder and locks its file. Throws Error if that fails. Throws InvalidArgument if it holds
  // scores that are neither resumed nor overwritten, or that do not match `common`.
  ScoreFolder(const std::filesystem::path& folder, const UsedFolder& used, const JournalRecord& common);

  // The record of a frame that was already scored from the same files; thread-safe.
  std::optional<JournalRecord> Find(std::string_view name, std::string_view origin) const;
  // May be called from several threads.
  void Keep(const JournalRecord& frame) { journal_.Append(frame); }
  // Writes the record that ends the scores. all_names: DealtSource::AllNames() of a shard; empty without one.
  void End(bool interrupted, const std::string& all_names);

 private:
  Journal journal_;
  std::map<std::string, JournalRecord, std::less<>> before_;  // by name
};

}  // namespace parallax::app
