// Frames from recordings: MCAP files with ROS 2 images of a stereo pair.
#pragma once

#include <filesystem>
#include <memory>

#include "datasets/source.h"

namespace parallax {

// By the ending of its name (.mcap) or by its first bytes.
bool IsRecording(const std::filesystem::path& path);

// Frames of a recording that `run --record` wrote are those that it was given: pixels, name, time,
// calibration. Of any other one, the pair of image topics whose names differ in left and right (or cam0 and
// cam1, infra1 and infra2) is taken, rectified ones first, with their camera_info; pairs are made by the
// images' time, within half the time between two left images; frames are called STEM_000000, ... One that was
// cut is read up to its last whole chunk, which the first frame's note says. Throws Error where the file is
// no MCAP, has no such topics, or is encoded in a way that is not known.
std::unique_ptr<FrameSource> OpenRecording(const std::string& file);

}  // namespace parallax
