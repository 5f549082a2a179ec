#include "datasets/media.h"

#include "datasets/live/video_source.h"
#include "datasets/module.h"

namespace parallax {

const Media& LoadedMedia() {
  static const Media& media = *reinterpret_cast<decltype(&ParallaxMedia)>(FunctionOfModule(
      {"libparallax_media.so", "the readers of videos, streams and rarer image formats",
       "libopencv-imgcodecs406, libopencv-videoio406", "build and install the target parallax_media, too"},
      "ParallaxMedia"))();
  return media;
}

std::unique_ptr<FrameSource> OpenVideo(const std::vector<std::string>& files, PictureLayout layout) {
  return LoadedMedia().open_video(files, layout);
}

}  // namespace parallax
