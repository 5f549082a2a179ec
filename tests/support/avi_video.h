// Videos for tests.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

namespace parallax::test {

// An uncompressed video of gray pictures, 64 x 32, in an AVI whose headers state num_stated pictures.
inline std::string AviVideo(std::uint32_t num_stated, int num_held) {
  constexpr std::uint32_t kWidth = 64, kHeight = 32, kPicture_bytes = 3 * kWidth * kHeight;
  const auto words = [](std::initializer_list<std::uint32_t> values) {
    std::string text;
    for (const std::uint32_t value : values) text.append(reinterpret_cast<const char*>(&value), 4);
    return text;
  };
  const auto chunk = [&](const std::string& name, const std::string& content) {
    return name + words({static_cast<std::uint32_t>(content.size())}) + content;
  };
  const auto list = [&](const std::string& name, const std::string& content) {
    return chunk("LIST", name + content);
  };
  const std::string main_header =
      words({100000, 0, 0, 0x10, num_stated, 0, 1, 0, kWidth, kHeight, 0, 0, 0, 0});
  const std::string stream_header =
      "vids" + words({0, 0, 0, 0, 1, 10, 0, num_stated, kPicture_bytes, 0, 0, 0, kHeight << 16 | kWidth});
  const std::string format = words({40, kWidth, kHeight, 24 << 16 | 1, 0, kPicture_bytes, 0, 0, 0, 0});
  std::string pictures;
  for (int i = 0; i < num_held; ++i) pictures += chunk("00db", std::string(kPicture_bytes, '\x50'));
  return chunk("RIFF",
               "AVI " +
                   list("hdrl", chunk("avih", main_header) +
                                    list("strl", chunk("strh", stream_header) + chunk("strf", format))) +
                   list("movi", pictures));
}

}  // namespace parallax::test
