#include "datasets/live/players.h"

#include "datasets/formats/image_decoders.h"

namespace parallax {

const Players& LoadedPlayers() {
  static const Players& players =
      *reinterpret_cast<decltype(&ParallaxPlayers)>(FunctionOfMedia("ParallaxPlayers"))();
  return players;
}

std::unique_ptr<FrameSource> OpenVideo(const std::vector<std::string>& files, PictureLayout layout) {
  return LoadedPlayers().open_video(files, layout);
}

}  // namespace parallax
