// Frames from recordings: MCAP files with ROS 2 images of a stereo pair.
#pragma once

#include <filesystem>
#include <memory>

#include "datasets/source.h"

namespace parallax {

// True if the extension (.mcap) or the first bytes say so.
bool IsRecording(const std::filesystem::path& path);

// Frames of a recording made by `run --record` equal the original ones: pixels, name, time, calibration. Of
// any other recording, the reader takes the pair of image topics whose names differ in left and right (or
// cam0 and cam1, infra1 and infra2), rectified ones first, with their camera_info. It pairs images by time,
// within half the time between two left images. Frames are named STEM_000000, ... A truncated recording is
// read up to its last whole chunk; the first frame's note says so. Throws Error if the file is not an MCAP,
// has no such topics, or has an unsupported encoding.
std::unique_ptr<FrameSource> OpenRecording(const std::string& file);

}  // namespace parallax
