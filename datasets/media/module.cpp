#include "datasets/system/module.h"
#include "datasets/media/functions.h"

extern "C" {

__attribute__((visibility("default"))) const char* ParallaxModuleVersion() { return PARALLAX_VERSION; }

__attribute__((visibility("default"))) const parallax::ImageDecoders* ParallaxImageDecoders() {
  using namespace parallax;
  static constexpr ImageDecoders kDecoders{media::DecodeImage, media::DecodeGray8,    media::DecodeGray16,
                                           media::EncodeWebp,  media::ColorsOfMosaic, media::GrayOfMosaic};
  return &kDecoders;
}

__attribute__((visibility("default"))) const parallax::Players* ParallaxPlayers() {
  using namespace parallax;
  static constexpr Players kPlayers{media::OpenVideo, media::OpenStream};
  return &kPlayers;
}
}
