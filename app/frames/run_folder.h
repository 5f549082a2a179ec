// The folder of a run. Its journal keeps `--resume` from mixing results.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "app/frames/frame_writer.h"
#include "app/frames/run_options.h"
#include "app/output/result_folder.h"
#include "config/parameters_yaml.h"
#include "pipeline/types/frame.h"

namespace parallax::app {

class RunFolder {
 public:
  // The arguments must outlive it. other: keeps the journal instead of this process; may be null. Throws what
  // ResultFolder throws, and InvalidArgument if --resume would mix results of two versions, parameters,
  // calibrations, cleanings or shards.
  RunFolder(const RunOptions& options, const ChosenParameters& chosen, const FrameWriter& writer,
            ResultKeeper* other = nullptr);

  // Called before the first frame; also writes parameters.yaml. Does nothing where another process keeps the
  // journal.
  void Begin();

  // Whether all requested outputs of the frame exist, complete and from the same input. frame: null before it
  // is read, when only the origin tells. Throws Error if the existing outputs have another input.
  bool IsDone(const std::string& name, std::string_view origin, const StereoFrame* frame) const;

  // Called before and after a frame is written; thread-safe.
  void Start(const StereoFrame& frame);
  void Finish(const StereoFrame& frame, const Parameters& parameters);

  // Answers other processes from the journal, and takes their records of written frames.
  ResultKeeper& keeper() { return *keeper_; }
  void Note(const JournalRecord& record) { folder_->Note(record); }

  // Does what Journal::Hurry does.
  void Hurry() {
    if (folder_) folder_->Hurry();
  }

  // Called after the last frame: parameters.yaml leaves the number of disparities open where frames differ in
  // it.
  void End() const;

  // Removes the files of unfinished frames. Called if the program ends without completing them.
  void RemoveAllTemporaryFiles() const { folder_->RemoveTemporaryFiles(true); }

  std::filesystem::path parameters_file() const { return options_.output / "parameters.yaml"; }
  // Its text. disparities_open: the number of disparities is left open.
  std::string ParametersText(bool disparities_open) const;

 private:
  void CheckIsTheSame() const;
  void WriteParameters(bool disparities_open) const;
  JournalRecord RunRecord() const;

  const RunOptions& options_;
  const ChosenParameters& chosen_;
  const FrameWriter& writer_;
  std::optional<ResultFolder> folder_;  // if this process keeps the journal
  ResultKeeper* keeper_;
  std::atomic<bool> disparities_differ_ = false;  // between frames, or from the requested number
};

// Whether a frame was matched with a number of disparities other than this one.
bool HasOtherDisparities(const FinishedResult& result, std::string_view num_disparities);
// The text of a shard's parameters.yaml as one process writes it.
std::string WithoutShard(const std::string& parameters_text);
// Frames that the journal of a shard's folder reports as done, before the run continues.
std::set<std::string, std::less<>> ReportedDone(const std::filesystem::path& folder);
inline constexpr std::string_view kShardOption = "--shard";  // key of the run's record
// Record of the journal with the arguments of the command, each under the key "argument".
inline constexpr std::string_view kCommandRecord = "command", kArgumentKey = "argument";
// Key of the run's record: the version that made the results.
inline constexpr std::string_view kVersionKey = "parallax";
// Key of a frame's record: the camera turn that --rig-follow corrected.
inline constexpr std::string_view kTurnKey = "turn";

}  // namespace parallax::app
