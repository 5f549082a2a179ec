// Pictures of a GStreamer pipeline.
#pragma once

#include <memory>
#include <string>

#include "datasets/live/live_options.h"
#include "pipeline/frames/frame_source.h"

namespace parallax {

// spec: "gst:PIPELINE", a line as gst-launch-1.0 takes it with one appsink (both images in one picture) or
// two: those named left and right, or the first and the second of the line. Frames stream_000000, ... with
// the time of their buffers (PTS) on the pipeline's clock. It ends where every element that begins it ends
// (files, num-buffers); all else is opened again. Throws Error where the line cannot be read or played, or
// always in a program built without GStreamer.
std::unique_ptr<FrameSource> OpenGstreamer(const std::string& spec, const LiveOptions& options = {});

}  // namespace parallax
