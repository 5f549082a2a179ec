// The summary of a run: as text and as summary.json.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/frames/latency_histogram.h"
#include "app/frames/report_spool.h"
#include "calibrate/rig_watch.h"
#include "datasets/live/live_options.h"
#include "pipeline/frames/frame_pipeline.h"

namespace parallax::app {

// What is known about a run before its first frame.
struct RunDescription {
  std::vector<std::string> source;
  std::string kind;  // of the source
  std::string backend;
  std::string config;  // preset or file
  std::vector<std::string> assignments;
  std::vector<std::string> outputs;  // names; empty = the usual ones
  std::string rig = {};              // as it was given; empty = the source's own
  std::string cloud_clean = {};      // K,RATIO; empty = clouds as they are
};

// "from capture to result: median ...", in one line.
std::string LatencyText(const LatencyHistogram& latency);

// "rig turned by 0.012, -0.001, 0.003 deg (+- 0.010), rows 0.20 px": the turn and its largest standard deviation.
std::string RigText(const RigDrift& drift);

// The same turn with the errors that it causes, as "rig_watch" of summary.json.
std::string RigJson(const RigDrift& drift);

std::string_view NameOf(FrameOutcome outcome);  // "done", "skipped", "failed", "dropped"

class RunSummary {
 public:
  // folder: for the temporary file of RecordSpool.
  explicit RunSummary(RunDescription description = {}, const std::filesystem::path& folder = {})
      : description_(std::move(description)), frames_(folder) {}

  void Add(const FrameReport& report);
  // Counts frames that a live source dropped; they have no report.
  void AddDropped(std::size_t count) { num_dropped_ += count; }
  // Takes what a live source counted. The pairs that it replaced count as dropped.
  void SetLive(const LiveCounts& counts) { live_ = counts; }
  // Takes the warning about the first frames; empty if there was none.
  void SetWarning(std::string line) { warning_ = std::move(line); }
  // Takes the result of watching the rig.
  void SetDrift(const RigDrift& drift) { drift_ = drift; }
  // Called for a frame with a calibration. The summary states the nearest distance that the disparities of
  // every frame reach, and their number.
  void SetRange(const StereoRig& rig, const Parameters& parameters);
  // Adds the time from a frame's capture to the end of its last output. Called only if the time of capture is
  // known.
  void AddLatency(double ms) { latency_.Add(ms); }
  const LatencyHistogram& latency() const { return latency_; }
  // Stops the clock and puts the frames in the order of the source.
  void Finish(double elapsed_s, bool interrupted);

  std::size_t num_frames() const { return frames_.size(); }
  std::size_t Count(FrameOutcome outcome) const { return num_of_[static_cast<std::size_t>(outcome)]; }
  std::size_t num_incomplete() const { return num_incomplete_; }  // done, but with outputs missing
  // The first in the order of the source.
  std::optional<FrameReport> FirstFailed() const;
  std::optional<FrameReport> FirstIncomplete() const;

  std::string Text() const;  // a few lines
  void WriteJson(std::ostream& stream) const;
  // Writes the same to a file, which is replaced when complete. Throws Error if that fails.
  void WriteJson(const std::filesystem::path& file) const;

 private:
  std::optional<FrameReport> First(const std::function<bool(const FrameFigures&)>& test) const;
  double FramesPerSecond() const;
  std::size_t num_dropped() const {
    return num_dropped_ + (live_ ? live_->num_replaced + live_->num_late : 0);
  }

  RunDescription description_;
  ReportSpool frames_;
  std::array<std::size_t, 4> num_of_{};  // by outcome
  std::size_t num_incomplete_ = 0, num_dropped_ = 0;
  std::optional<LiveCounts> live_;
  LatencyHistogram latency_;
  std::string warning_;
  std::optional<RigDrift> drift_;
  int num_disparities_ = 0;
  double nearest_m_ = 0;  // the range of these frames; 0 without a calibration
  double elapsed_s_ = 0;
  bool interrupted_ = false;
};

}  // namespace parallax::app
