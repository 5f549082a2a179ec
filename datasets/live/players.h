// Frames from video files, through OpenCV's videoio, and from GStreamer pipelines. Both are in the module of
// datasets/formats/image_decoders.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "datasets/live/live_device.h"
#include "datasets/live/live_options.h"
#include "pipeline/frames/frame_source.h"

namespace parallax {

struct Players {
  // Does what OpenVideo below does.
  std::unique_ptr<FrameSource> (*open_video)(const std::vector<std::string>& files, PictureLayout layout);
  // A playing GStreamer pipeline; label: in messages; image_memory: for its pictures, null: the heap. Throws Error.
  std::unique_ptr<LiveDevice> (*open_stream)(const std::string& line, const std::string& label,
                                             std::shared_ptr<HostMemory> image_memory);
};

// Loads the module at the first call. May be called from any thread. Throws Error if it cannot be loaded.
const Players& LoadedPlayers();

// One file whose pictures hold left and right image, or two files, left and right. Frames are named
// STEM_000000, ...; two files end with the shorter one. No rig. Throws Error when a file cannot be opened,
// and always in a program built without PARALLAX_VIDEO.
std::unique_ptr<FrameSource> OpenVideo(const std::vector<std::string>& files,
                                       PictureLayout layout = PictureLayout::kSideBySide);

}  // namespace parallax

extern "C" const parallax::Players* ParallaxPlayers();
