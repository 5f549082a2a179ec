// Frames from video files, through OpenCV's videoio.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "datasets/live/live_options.h"
#include "pipeline/frames/frame_source.h"

namespace parallax {

// One file whose pictures hold left and right image, or two files, left and right. Frames are called
// STEM_000000, ...; two files end with the shorter one. No rig. Throws Error when a file cannot be opened, or
// always in a program built without PARALLAX_VIDEO.
std::unique_ptr<FrameSource> OpenVideo(const std::vector<std::string>& files,
                                       PictureLayout layout = PictureLayout::kSideBySide);

}  // namespace parallax
