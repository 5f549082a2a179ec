// What a run says about itself while it goes on, for ROS 2's /diagnostics.
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
  // Frames a second are those since the call before. fault: of the rig, in one
  // line; empty = none. An error after three seconds without a frame, a warning with a fault.
  RosStatus Now(const RunSummary& summary, const LiveCounts& live, const RigDrift& rig,
                const std::string& fault);

 private:
  std::size_t num_before_ = 0;  // frames matched at the call before
  Stopwatch since_before_, since_frame_;
};

}  // namespace parallax::app
