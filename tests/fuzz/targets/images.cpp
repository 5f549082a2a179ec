#include <cmath>
#include <limits>

#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "tests/fuzz/target_list.h"

namespace parallax::fuzz {
namespace {

HostImage<float> SmallMap() {
  HostImage<float> map(5, 3);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 5; ++x) map(x, y) = 0.25F * static_cast<float>(x) + static_cast<float>(y);
  }
  map(2, 1) = std::numeric_limits<float>::quiet_NaN();
  return map;
}

template <typename T>
HostImage<T> SmallImage() {
  HostImage<T> image(7, 4);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 7; ++x) {
      const int value = (x * 37 + y * 91) % 251;
      if constexpr (std::is_same_v<T, Rgb8>) {
        image(x, y) = {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(x),
                       static_cast<std::uint8_t>(y)};
      } else {
        image(x, y) = static_cast<T>(value);
      }
    }
  }
  return image;
}

template <typename T>
Bytes PngOf() {
  const auto image = SmallImage<T>();
  return WrittenBytes([&](const auto& path) { WritePng(path, image.ConstView()); }, "image.png");
}

// Every pixel is there to be read, and nothing but values and NaN is among them.
void RequireSound(const HostImage<float>& map) {
  Require(map.width() > 0 && map.height() > 0, "the map has pixels");
  for (int y = 0; y < map.height(); ++y) {
    for (int x = 0; x < map.width(); ++x) Require(!std::isinf(map(x, y)), "no value is infinite");
  }
}

void FeedPfm(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [&](const auto& path) {
    const auto map = ReadPfm(path);
    RequireSound(map);
    Require(static_cast<std::size_t>(map.width()) * map.height() * sizeof(float) < bytes.size(),
            "all values come from the file");
  });
}

void FeedDisparityPng(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [](const auto& path) { RequireSound(ReadDisparityPng(path)); });
  ReadAsFile(bytes, [](const auto& path) { RequireSound(ReadDepthPng(path)); });
}

void FeedImage(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [](const auto& path) {
    const CameraImage image = ReadImage(path);
    std::visit(
        [](const auto& i) {
          Require(i.width() > 0 && i.height() > 0, "the image has pixels");
          auto last = i(i.width() - 1, i.height() - 1);
          Require(last == i(i.width() - 1, i.height() - 1), "the last pixel can be read");
        },
        image);
  });
}

}  // namespace

const Target kPfm{"pfm", FeedPfm, [] {
                    const auto map = SmallMap();
                    const Bytes little =
                        WrittenBytes([&](const auto& p) { WritePfm(p, map.ConstView()); }, "map.pfm");
                    Bytes big = BytesOf("Pf\n1 2\n1.0\n");
                    for (const int byte : {0x41, 0x20, 0, 0, 0x7F, 0x80, 0, 0})
                      big.push_back(static_cast<std::uint8_t>(byte));
                    return std::vector<Bytes>{little, big, BytesOf("Pf\n1 1\n-1.0\nabcd")};
                  }};

const Target kDisparityPng{"disparity_png", FeedDisparityPng, [] {
                             const auto map = SmallMap();
                             const Bytes sound = WrittenBytes(
                                 [&](const auto& p) { WriteDisparityPng(p, map.ConstView()); }, "map.png");
                             // A piece that comes twice makes a chunk whose type holds a line break.
                             Bytes doubled(sound.begin(), sound.begin() + 13);
                             doubled.insert(doubled.end(), sound.begin() + 5, sound.end());
                             return std::vector<Bytes>{sound, doubled};
                           }};

const Target kImage{"image", FeedImage, [] {
                      return std::vector<Bytes>{PngOf<std::uint8_t>(),
                                                PngOf<std::uint16_t>(),
                                                PngOf<Rgb8>(),
                                                BytesOf("P5\n# comment\n3 2\n255\nabcdef"),
                                                BytesOf("P5 2 1 65535\nabcd"),
                                                BytesOf("P6\n1 2\n255\nabcdef"),
                                                BytesOf("P2\n2 2\n9\n1 2 3 4\n")};
                    }};

}  // namespace parallax::fuzz
