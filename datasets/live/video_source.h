// Frames from video files and cameras, through OpenCV's videoio.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "datasets/source.h"

namespace parallax {

// One file whose frames hold left and right image side by side, or two files, left and right.
// Frames are called STEM_000000, ...; two files end with the shorter one. No rig. Throws Error when a file
// cannot be opened, or always in a program built without PARALLAX_VIDEO.
std::unique_ptr<FrameSource> OpenVideo(const std::vector<std::string>& files);

// spec: "camera:N" (side by side) or "camera:L,R"; numbers as the system counts its cameras. Two cameras are
// triggered one right after the other, not together. Frames camera_000000, ... with the time since opening.
// Ends with an Error when a camera stops. Throws InvalidArgument for another spec, Error as OpenVideo.
std::unique_ptr<FrameSource> OpenCamera(const std::string& spec);

}  // namespace parallax
