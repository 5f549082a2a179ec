#include "app/session/input_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <sstream>
#include <variant>

#include "datasets/system/file_identity.h"

namespace parallax::app {
namespace {

template <typename T>
std::uint32_t Crc32Of(const HostImage<T>& image) {
  std::uint32_t crc = 0;
  for (int y = 0; y < image.height(); ++y) {
    crc = Crc32({reinterpret_cast<const std::uint8_t*>(image.Row(y)),
                 static_cast<std::size_t>(image.width()) * sizeof(T)},
                crc);
  }
  return crc;
}

}  // namespace

std::string ImageText(const CameraImage& image) {
  return std::visit(
      [&](const auto& i) {
        return fmt::format("{}x{}/{} {:08x}", i.width(), i.height(), image.index(), Crc32Of(i));
      },
      image);
}

std::string InputText(const StereoFrame& frame) {
  std::string text = ImageText(frame.left) + ' ' + ImageText(frame.right);
  if (frame.rig) {
    const StereoRig& rig = *frame.rig;
    text += fmt::format(" {} {} {} {} {}", rig.fx_px, rig.cx_px, rig.cy_px, rig.baseline_m, rig.doffs_px);
  }
  if (frame.num_disparities_hint) text += fmt::format(" D {}", *frame.num_disparities_hint);
  return text;
}

std::optional<InputParts> ParseInputText(const std::string& text) {
  std::istringstream words(text);
  words.exceptions(std::ios::badbit);  // of refused memory
  std::string left_size, left_crc, right_size, right_crc;
  if (!(words >> left_size >> left_crc >> right_size >> right_crc)) return std::nullopt;
  InputParts parts{.left = left_size + ' ' + left_crc, .rig = std::nullopt};
  StereoRig rig{};
  if (words >> rig.fx_px >> rig.cx_px >> rig.cy_px >> rig.baseline_m >> rig.doffs_px) parts.rig = rig;
  return parts;
}

}  // namespace parallax::app
