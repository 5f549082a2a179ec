// Watches the rig of a run on some of its frames.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "calibrate/rig_watch.h"
#include "pipeline/frames/frame_pipeline.h"

namespace parallax::app {

inline constexpr int kUsualRigWatch = 10;  // every tenth frame of cameras and recordings

// Measures in a thread of its own.
class RigMonitor {
 public:
  // every: frames from one measurement to the next. waits: See waits for the measurement before, so that the
  // estimate depends on the frames alone; otherwise a frame is left out while that one runs. tell: called in
  // that thread with the first fault, in one line.
  RigMonitor(int every, bool waits, std::function<void(const std::string& line)> tell);
  ~RigMonitor() { Finish(); }
  RigMonitor(const RigMonitor&) = delete;
  RigMonitor& operator=(const RigMonitor&) = delete;

  // Takes the frames in their order. Those without a calibration are left out.
  void See(const std::shared_ptr<const MatchedFrame>& frame);
  // Waits for the last measurement. Safe to call again.
  RigDrift Finish();

 private:
  void Measure();

  const int every_;
  const bool waits_;
  const std::function<void(const std::string& line)> tell_;
  RigWatch watch_;
  bool has_told_ = false;
  std::size_t num_seen_ = 0;
  std::mutex mutex_;  // of next_ and the two flags
  std::condition_variable changed_;
  std::shared_ptr<const MatchedFrame> next_;
  bool is_measuring_ = false, is_ending_ = false;
  std::thread thread_;  // declared last, because its thread uses the other members
};

}  // namespace parallax::app
