// Watches the rig of a run on some of its frames.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "app/frames/run_options.h"
#include "app/options/named_rig.h"
#include "calibrate/rig_watch.h"
#include "pipeline/types/frame.h"

namespace parallax::app {

inline constexpr int kUsualRigWatch = 10;  // every tenth frame of cameras and recordings

// Measures in a thread of its own.
class RigMonitor {
 public:
  // every: measures one frame out of this many. waits: See waits for the previous measurement, so that
  // estimates depend on the frames alone, not on time. Without waits, frames that arrive during a measurement
  // are left out. tell: called in the measuring thread with the first fault, in one line. follow: the
  // rectifier of the frames, which gets the turn to correct: from See if waits is set, else from the
  // measuring thread. May be null.
  RigMonitor(int every, bool waits, std::function<void(const std::string& line)> tell,
             std::shared_ptr<FrameRectifier> follow = nullptr);
  ~RigMonitor() { Finish(); }
  RigMonitor(const RigMonitor&) = delete;
  RigMonitor& operator=(const RigMonitor&) = delete;

  // Called with the frames in their order. Frames without a calibration are left out.
  void See(const std::shared_ptr<const StereoFrame>& frame);
  // Does the same for a frame that will change: copies it if it is measured.
  void SeeCopy(const StereoFrame& frame);
  // Returns each new estimate once; nullopt if none was made since the last call. An estimate becomes known
  // with the frame that is measured next, so that it depends on the frames alone if waits is set.
  std::optional<RigDrift> TakeNew();
  RigDrift drift() const;
  std::string fault() const;  // the current RigWatch::Fault()
  // Waits for the last measurement. Safe to call again.
  RigDrift Finish();

 private:
  // share: returns the frame to keep for the measurement.
  template <typename Share>
  void SeeNext(const StereoFrame& frame, const Share& share);
  void Measure();

  const int every_;
  const bool waits_;
  const std::function<void(const std::string& line)> tell_;
  const std::shared_ptr<FrameRectifier> follow_;
  RigWatch watch_;
  bool has_told_ = false;
  std::size_t num_seen_ = 0;
  mutable std::mutex mutex_;  // guards the members between it and thread_
  std::condition_variable changed_;
  std::shared_ptr<const StereoFrame> next_;
  RigDrift drift_;
  std::optional<RigDrift> measured_, new_;  // new_: for TakeNew
  std::string fault_;
  RightTurn_urad next_turn_{};
  bool is_measuring_ = false, is_ending_ = false;
  std::thread thread_;  // declared last, because its thread uses the other members
};

// Rectifies the raw frames of a source and corrects the turn of its right camera (--rig-follow).
class FollowedRig {
 public:
  // turns: the recorded turns of frames whose results are made again; nothing is measured then.
  FollowedRig(const RigOptions& options, std::optional<TurnsOfFrames> turns)
      : rectifier_(std::make_shared<FrameRectifier>(options.Rectification())), turns_(std::move(turns)) {}

  // The rectified source, whose frames come one after another. Frames that are already rectified fail.
  static std::unique_ptr<FrameSource> Open(const std::shared_ptr<FollowedRig>& rig,
                                           std::unique_ptr<FrameSource> source, const RigOptions& options);
  bool is_measured() const { return !turns_; }
  const std::shared_ptr<FrameRectifier>& rectifier() const { return rectifier_; }
  // Called before the first frame that is to be measured.
  void MeasureBy(std::shared_ptr<RigMonitor> monitor) { monitor_ = std::move(monitor); }

 private:
  void Rectify(StereoFrame& frame);

  const std::shared_ptr<FrameRectifier> rectifier_;
  const std::optional<TurnsOfFrames> turns_;
  std::shared_ptr<RigMonitor> monitor_;
};

}  // namespace parallax::app
