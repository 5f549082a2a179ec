// Cameras by number.
#pragma once

#include <memory>
#include <string>

#include "datasets/live/live_options.h"
#include "pipeline/frames/frame_source.h"

namespace parallax {

// spec: "camera:0" (one picture holds both images) or "camera:0,1" (left, right), or devices instead of
// numbers ("camera:/dev/v4l/by-id/..."), followed by size=WxH, fps=N, format=MJPG (four characters). Frames
// camera_000000, ... Throws InvalidArgument for another spec, Error if a camera cannot be opened.
std::unique_ptr<FrameSource> OpenCamera(const std::string& spec, const LiveOptions& options = {});

}  // namespace parallax
