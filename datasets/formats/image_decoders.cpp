#include "datasets/formats/image_decoders.h"

#include "datasets/system/module.h"

namespace parallax {

void* FunctionOfMedia(const char* name) {
  return FunctionOfModule(
      {"libparallax_media.so", "the readers of videos, streams and rarer image formats",
       "libopencv-imgcodecs406, libopencv-videoio406", "also build and install the target parallax_media"},
      name);
}

const ImageDecoders& LoadedImageDecoders() {
  static const ImageDecoders& decoders =
      *reinterpret_cast<decltype(&ParallaxImageDecoders)>(FunctionOfMedia("ParallaxImageDecoders"))();
  return decoders;
}

}  // namespace parallax
