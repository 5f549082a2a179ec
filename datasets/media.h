// What OpenCV reads for us: images of the rarer formats, videos and streams. Its libraries for them pull in
// some 230 others, which take 110 ms to load; so they are linked by a module (media/) that is loaded when
// such a file is met. PNG and JPEG are read without it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/formats/file_bytes.h"
#include "datasets/live/live_device.h"
#include "datasets/live/live_options.h"
#include "parallax/image.h"
#include "pipeline/frame.h"
#include "pipeline/frames/frame_source.h"

namespace parallax {

// The module's functions. The first three decode a whole file (`path` is for messages) as ReadImage,
// ReadGray8 and ReadGray16 of formats/image_file.h say; open_video is that of live/video_source.h. All throw
// Error.
struct Media {
  CameraImage (*decode_image)(const std::filesystem::path& path, const FileBytes& bytes);
  HostImage<std::uint8_t> (*decode_gray8)(const std::filesystem::path& path, const FileBytes& bytes);
  HostImage<std::uint16_t> (*decode_gray16)(const std::filesystem::path& path, const FileBytes& bytes);
  std::unique_ptr<FrameSource> (*open_video)(const std::vector<std::string>& files, PictureLayout layout);
  // A pipeline of GStreamer that plays; label: in messages.
  std::unique_ptr<LiveDevice> (*open_stream)(const std::string& line, const std::string& label);
};

// Loads the module at the first call. May be called from any thread. Throws Error where it cannot be loaded.
const Media& LoadedMedia();

}  // namespace parallax

// What the module exports beside its version.
extern "C" const parallax::Media* ParallaxMedia();
