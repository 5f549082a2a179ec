// What a run did: for people and as summary.json.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/live/live_options.h"
#include "pipeline/frames/frame_road.h"

namespace parallax::app {

// What is known of a run before its first frame.
struct RunDescription {
  std::vector<std::string> source;
  std::string kind;  // of the source
  std::string backend;
  std::string config;  // preset or file
  std::vector<std::string> assignments;
  std::vector<std::string> outputs;  // names; empty = the usual ones
  std::string rig = {};              // as it was given; empty = the source's own
  std::string cloud_clean = {};      // K,RATIO; empty = clouds as they are
  bool density = false;              // the clouds' density was asked for
};

std::string_view NameOf(FrameOutcome outcome);  // "done", "skipped", "failed", "dropped"

class RunSummary {
 public:
  explicit RunSummary(RunDescription description = {}) : description_(std::move(description)) {}

  void Add(FrameReport report);
  // Frames of a live source for which there was no time; they have no report.
  void AddDropped(std::size_t count) { num_dropped_ += count; }
  // What a live source counted. The pairs that it replaced count as dropped.
  void SetLive(const LiveCounts& counts) { live_ = counts; }
  // From the capture of a frame to the end of its last result, where the time of capture is known.
  void AddLatency(double ms) { latencies_ms_.push_back(ms); }
  // Ends the counting of time and puts the frames in the order of the source.
  void Finish(double elapsed_s, bool interrupted);

  std::size_t Count(FrameOutcome outcome) const;
  std::size_t num_incomplete() const;  // done, but with outputs missing
  const std::vector<FrameReport>& frames() const { return frames_; }

  std::string Text() const;  // a few lines
  std::string Json() const;

 private:
  double FramesPerSecond() const;

  RunDescription description_;
  std::vector<FrameReport> frames_;
  std::size_t num_dropped() const { return num_dropped_ + (live_ ? live_->num_replaced : 0); }

  std::size_t num_dropped_ = 0;
  std::optional<LiveCounts> live_;
  std::vector<double> latencies_ms_;
  double elapsed_s_ = 0;
  bool interrupted_ = false;
};

}  // namespace parallax::app
