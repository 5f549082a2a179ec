// Pictures of a GStreamer pipeline.
#pragma once

#include <memory>
#include <string>

#include "datasets/live/live_options.h"
#include "pipeline/frames/frame_source.h"

namespace parallax {

// spec: "gst:PIPELINE", a line in the syntax of gst-launch-1.0 with one appsink (both images in one picture)
// or two: those named left and right, or the first and the second of the line. Frames stream_000000, ... have
// the time of their buffers (PTS) on the pipeline's clock. The source ends if all its first elements end
// (files, num-buffers); any other pipeline is opened again. Throws Error if the line cannot be parsed or
// played, and always in a program built without GStreamer.
std::unique_ptr<FrameSource> OpenGstreamer(const std::string& spec, const LiveOptions& options = {});

}  // namespace parallax
