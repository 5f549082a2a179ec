// Small recordings, as other programs write them too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/formats/mcap_writer.h"
#include "datasets/formats/ros_messages.h"
#include "datasets/live/recording.h"

namespace parallax::test {

struct RecordedTopic {
  std::string name;
  std::string_view type;
  std::string encoding = "cdr";
};

// Channel i is of topics[i]; write() fills the file.
inline void WriteRecording(const std::filesystem::path& path, const std::vector<RecordedTopic>& topics,
                           const std::function<void(McapWriter&)>& write, bool finish = true) {
  std::vector<McapSchema> schemas;
  std::vector<McapChannel> channels;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    const auto id = static_cast<std::uint16_t>(i + 1);
    schemas.push_back({id, std::string(topics[i].type), "ros2msg", "# one a topic\n"});
    channels.push_back({static_cast<std::uint16_t>(i), id, topics[i].name, topics[i].encoding});
  }
  McapWriter writer(path, std::move(schemas), std::move(channels));
  write(writer);
  if (finish) writer.Finish();
}

// Pixels that differ from place to place and from seed to seed.
template <typename T>
HostImage<T> Pattern(int width, int height, unsigned seed) {
  HostImage<T> image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const unsigned value =
          (static_cast<unsigned>(x) * 2654435761U) ^ (static_cast<unsigned>(y) * 40503U) ^ seed;
      if constexpr (std::is_same_v<T, Rgb8>) {
        image(x, y) = {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8),
                       static_cast<std::uint8_t>(value >> 16)};
      } else {
        image(x, y) = static_cast<T>(value);
      }
    }
  }
  return image;
}

}  // namespace parallax::test
