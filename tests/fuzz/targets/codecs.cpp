// What other libraries decode: JPEG, TIFF, BMP, PNG of rare kinds, videos.
#include <dlfcn.h>

#include <string>

#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/live/players.h"
#include "parallax/error.h"
#include "tests/fuzz/target_list.h"
#include "tests/support/avi_video.h"
#include "tests/support/built_paths.h"

namespace parallax::fuzz {
namespace {

void FeedImageFile(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [](const auto& path) {
    const CameraImage image = ReadImage(path);
    std::visit([](const auto& i) { Require(i.width() > 0 && i.height() > 0, "the image has pixels"); },
               image);
  });
}

void FeedTruthImage(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [](const auto& path) { Require(ReadGray8(path).width() > 0, "the mask has pixels"); });
  ReadAsFile(bytes, [](const auto& path) { Require(ReadGray16(path).width() > 0, "the image has pixels"); });
  ReadAsFile(bytes, [](const auto& path) {
    const HostImage<float> map = ReadScaledDisparity(path, 4);
    Require(!(map(0, 0) < 0) && !(map(0, 0) > 64), "a scaled value is in range");
  });
}

// Pictures of one size, or an error of one line.
void FeedVideo(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [](const auto& path) {
    const auto source = OpenVideo({path.string()});
    for (int i = 0; i < 4 && source->NextName(); ++i) {
      const StereoFrame frame = source->Read();
      Require(WidthOf(ViewOf(frame.left)) == WidthOf(ViewOf(frame.right)), "both halves are of one size");
    }
  });
}

// What image_seeds.cpp makes for a target. It is a library of its own, because loading OpenCV's codecs takes 50 ms.
std::vector<Bytes> ImageSeeds(const char* target) {
  static void* const library = dlopen(test::kImageSeeds, RTLD_NOW);
  Require(library != nullptr, "image_seeds is built");
  std::vector<Bytes> seeds;
  reinterpret_cast<void (*)(const char*, std::vector<Bytes>&)>(dlsym(library, "MakeImageSeeds"))(target,
                                                                                                 seeds);
  return seeds;
}

// Findings: what looks like DICOM was given to a library that ended the program; sizes that no file holds.
std::vector<Bytes> OtherImageSeeds() {
  std::vector<Bytes> seeds = ImageSeeds("other_image");
  seeds.emplace_back(128, std::uint8_t{0});
  for (const char c : std::string_view("DICM\x02\0\0\0\0D\0\0\xff\xff", 14))
    seeds.back().push_back(static_cast<std::uint8_t>(c));
  seeds.push_back(BytesOf("P3\n88888 8888\n255\n1 2 3"));
  seeds.push_back(BytesOf("P2\n12555 55555\n55\n5"));
  return seeds;
}

std::string GrayVideo() {
  std::string video = "YUV4MPEG2 W16 H8 F10:1 Ip A1:1 Cmono\n";
  for (int i = 0; i < 3; ++i) video += "FRAME\n" + std::string(16 * 8, static_cast<char>(40 + 20 * i));
  return video;
}

}  // namespace

const Target kJpeg{"jpeg", FeedImageFile, [] { return ImageSeeds("jpeg"); }};
const Target kTiff{"tiff", FeedImageFile, [] { return ImageSeeds("tiff"); }};
const Target kOtherImage{"other_image", FeedImageFile, OtherImageSeeds};
const Target kTruthImage{"truth_image", FeedTruthImage, [] { return ImageSeeds("truth_image"); }};
const Target kVideo{"video", FeedVideo, [] {
                      return std::vector<Bytes>{BytesOf(GrayVideo()), BytesOf(test::AviVideo(2, 2))};
                    }};

}  // namespace parallax::fuzz
