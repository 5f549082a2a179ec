#include "tests/golden/golden.h"
#include "tests/support/built_paths.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>

namespace parallax::test {
namespace {

const std::map<std::string, std::string>& GoldenHashes() {
  static const std::map<std::string, std::string> hashes = [] {
    std::map<std::string, std::string> map;
    std::ifstream file(SourcePath("tests/golden/hashes.txt"));
    for (std::string line; std::getline(file, line);) {
      const std::size_t space = line.find(' ');
      if (line.empty() || line[0] == '#' || space == std::string::npos) continue;
      map[line.substr(0, space)] = line.substr(space + 1);
    }
    return map;
  }();
  return hashes;
}

}  // namespace

void Hash::AddBytes(const void* data, std::size_t size_bytes) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size_bytes; ++i) value_ = (value_ ^ bytes[i]) * 0x100000001B3u;
}

template <typename T>
void Hash::Add(HostImageView<const T> image) {
  const std::int32_t size[] = {image.width, image.height};
  AddBytes(size, sizeof size);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const T& pixel = image(x, y);
      if constexpr (std::is_floating_point_v<T>) {
        if (pixel != pixel) {
          constexpr std::uint32_t kNan = 0x7FC00000u;
          AddBytes(&kNan, sizeof kNan);
          continue;
        }
      }
      AddBytes(&pixel, sizeof pixel);
    }
  }
}

template void Hash::Add(HostImageView<const std::uint8_t>);
template void Hash::Add(HostImageView<const std::uint16_t>);
template void Hash::Add(HostImageView<const std::uint64_t>);
template void Hash::Add(HostImageView<const float>);
template void Hash::Add(HostImageView<const Rgb8>);

Hash HashOf(const DisparityMap& map) {
  Hash hash;
  hash.Add(map.disparity.ConstView());
  hash.Add(map.validity.ConstView());
  hash.Add(map.confidence.ConstView());
  return hash;
}

void ExpectGolden(const std::string& name, const Hash& hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash.value()));
  const auto found = GoldenHashes().find(name);
  if (found == GoldenHashes().end()) {
    ADD_FAILURE() << "tests/golden/hashes.txt has no line\n" << name << ' ' << text;
  } else if (found->second != text) {
    ADD_FAILURE() << "was " << name << ' ' << found->second << ", is now\n" << name << ' ' << text;
  }
}

}  // namespace parallax::test
