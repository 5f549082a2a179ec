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
  // every: frames from one measurement to the next. waits: See waits for the measurement before, so that the
  // estimate depends on the frames alone; otherwise a frame is left out while that one runs. tell: called in
  // that thread with the first fault, in one line. follow: rectifies the frames, and gets the turns that the
  // estimate suggests; where it waits, in See, so that they depend on the frames alone, too. May be null.
  RigMonitor(int every, bool waits, std::function<void(const std::string& line)> tell,
             std::shared_ptr<FrameRectifier> follow = nullptr);
  ~RigMonitor() { Finish(); }
  RigMonitor(const RigMonitor&) = delete;
  RigMonitor& operator=(const RigMonitor&) = delete;

  // Takes the frames in their order. Those without a calibration are left out.
  void See(const std::shared_ptr<const StereoFrame>& frame);
  // The same of a frame that does not stay as it is: what is measured is copied.
  void SeeCopy(const StereoFrame& frame);
  RigDrift drift() const;
  std::string fault() const;  // as RigWatch's, now
  // Waits for the last measurement. Safe to call again.
  RigDrift Finish();

 private:
  // share: the frame to keep for the measurement.
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
  mutable std::mutex mutex_;  // of the fields below, up to the thread
  std::condition_variable changed_;
  std::shared_ptr<const StereoFrame> next_;
  RigDrift drift_;
  std::string fault_;
  RightTurn_urad next_turn_{};
  bool is_measuring_ = false, is_ending_ = false;
  std::thread thread_;  // declared last, because its thread uses the other members
};

// Rectifies the raw frames of a source so that the turn of its right camera is taken out (--rig-follow).
class FollowedRig {
 public:
  // turns: of frames that are made again; they are not measured.
  FollowedRig(const RigOptions& options, std::optional<TurnsOfFrames> turns)
      : rectifier_(std::make_shared<FrameRectifier>(options.Rectification())), turns_(std::move(turns)) {}

  // The source, rectified frame by frame in its order. A frame that comes rectified fails.
  static std::unique_ptr<FrameSource> Open(const std::shared_ptr<FollowedRig>& rig,
                                           std::unique_ptr<FrameSource> source, const RigOptions& options);
  bool is_measured() const { return !turns_; }
  const std::shared_ptr<FrameRectifier>& rectifier() const { return rectifier_; }
  // Before the first frame that is to be measured.
  void MeasureBy(std::shared_ptr<RigMonitor> monitor) { monitor_ = std::move(monitor); }

 private:
  void Rectify(StereoFrame& frame);

  const std::shared_ptr<FrameRectifier> rectifier_;
  const std::optional<TurnsOfFrames> turns_;
  std::shared_ptr<RigMonitor> monitor_;
};

}  // namespace parallax::app
