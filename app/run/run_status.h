// The state of a run in progress, for the topic /diagnostics of ROS 2.
#pragma once

#include <cstddef>
#include <string>

#include "app/frames/summary.h"
#include "calibrate/rig_watch.h"
#include "datasets/formats/ros_messages.h"
#include "datasets/live/live_options.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::app {

class RunStatus {
 public:
  // The frame rate covers the time since the previous call. fault: of the rig, in one line, or empty. The level is
  // an error after three seconds without a frame, and a warning if there is a fault.
  RosStatus Now(const RunSummary& summary, const LiveCounts& live, const RigDrift& rig,
                const std::string& fault);

 private:
  std::size_t num_before_ = 0;  // frames matched at the previous call
  Stopwatch since_before_, since_frame_;
};

}  // namespace parallax::app
