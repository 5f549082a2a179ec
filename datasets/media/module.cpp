#include "datasets/module.h"
#include "datasets/media/functions.h"

extern "C" {

__attribute__((visibility("default"))) const char* ParallaxModuleVersion() { return PARALLAX_VERSION; }

__attribute__((visibility("default"))) const parallax::Media* ParallaxMedia() {
  using namespace parallax;
  static constexpr Media kMedia{media::DecodeImage, media::DecodeGray8, media::DecodeGray16, media::OpenVideo,
                                media::OpenStream};
  return &kMedia;
}
}
