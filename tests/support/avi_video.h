// Videos for tests.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace parallax::test {

// An uncompressed video in an AVI whose headers state num_stated pictures. pictures: rows of blue, green, red
// from the lowest one up; width in steps of 4.
inline std::string AviVideo(std::uint32_t num_stated, std::uint32_t width, std::uint32_t height,
                            const std::vector<std::string>& pictures) {
  const std::uint32_t picture_bytes = 3 * width * height;
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
  const std::string main_header = words({100000, 0, 0, 0x10, num_stated, 0, 1, 0, width, height, 0, 0, 0, 0});
  const std::string stream_header =
      "vids" + words({0, 0, 0, 0, 1, 10, 0, num_stated, picture_bytes, 0, 0, 0, height << 16 | width});
  const std::string format = words({40, width, height, 24 << 16 | 1, 0, picture_bytes, 0, 0, 0, 0});
  std::string held;
  for (const std::string& picture : pictures) held += chunk("00db", picture);
  return chunk("RIFF",
               "AVI " +
                   list("hdrl", chunk("avih", main_header) +
                                    list("strl", chunk("strh", stream_header) + chunk("strf", format))) +
                   list("movi", held));
}

// The same of gray pictures, 64 x 32.
inline std::string AviVideo(std::uint32_t num_stated, int num_held) {
  constexpr std::uint32_t kWidth = 64, kHeight = 32;
  return AviVideo(num_stated, kWidth, kHeight,
                  std::vector<std::string>(static_cast<std::size_t>(num_held),
                                           std::string(3 * kWidth * kHeight, '\x50')));
}

}  // namespace parallax::test
