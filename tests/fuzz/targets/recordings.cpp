#include "tests/support/recordings.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <variant>

#include "datasets/formats/file_bytes.h"
#include "datasets/formats/png_writer.h"
#include "datasets/formats/ros_cdr.h"
#include "datasets/formats/ros_messages.h"
#include "datasets/live/recording.h"
#include "datasets/live/recording_source.h"
#include "parallax/error.h"
#include "tests/fuzz/target_list.h"

namespace parallax::fuzz {
namespace {

constexpr int kMaxFrames = 64;

void FeedMcap(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [](const auto& path) {
    const auto source = OpenRecording(path.string());
    for (int i = 0; i < kMaxFrames && source->NextName(); ++i) {
      try {
        const StereoFrame frame = source->Read();
        Require(frame.name.find('/') == std::string::npos && !frame.name.empty(), "a name is fit for a file");
        Require(WidthOf(ViewOf(frame.left)) == WidthOf(ViewOf(frame.right)), "both images are of one size");
        Require(!frame.rig || (frame.rig->fx_px > 0 && frame.rig->baseline_m > 0), "a rig can be");
      } catch (const Error& error) {
        Require(std::string_view(error.what()).find('\n') == std::string_view::npos, "the error is one line");
      }
    }
  });
}

Bytes SmallRecording(bool with_text) {
  const StereoRig rig{.fx_px = 10, .cx_px = 3, .cy_px = 2, .baseline_m = 0.5, .doffs_px = 0};
  return WrittenBytes(
      [&](const auto& path) {
        test::WriteRecording(path,
                             {{"/left/image_rect", kRosImage},
                              {"/right/image_rect", kRosImage},
                              {"/left/camera_info", kRosCameraInfo},
                              {"/right/camera_info", kRosCameraInfo},
                              {std::string(kFrameTopic), kRosString}},
                             [&](McapWriter& writer) {
                               for (std::uint64_t time = 0; time < 3; ++time) {
                                 const auto stamp = static_cast<std::int64_t>(time);
                                 const CameraImage image = test::Pattern<std::uint8_t>(7, 5, 1);
                                 if (with_text)
                                   writer.Write(4, time,
                                                EncodeText(TextOf({.name = "f",
                                                                   .timestamp_s = 0.5,
                                                                   .rig = rig,
                                                                   .num_disparities_hint = 16,
                                                                   .has_borders = false})));
                                 writer.Write(2, time, EncodeCameraInfo(stamp, 7, 5, rig, StereoSide::kLeft));
                                 writer.Write(3, time,
                                              EncodeCameraInfo(stamp, 7, 5, rig, StereoSide::kRight));
                                 writer.Write(0, time, EncodeImage(stamp, ViewOf(image)));
                                 writer.Write(1, time, EncodeImage(stamp, ViewOf(image)));
                                 writer.EndChunk();
                               }
                             });
      },
      "a.mcap");
}

// The same file, none of whose chunks has a checksum: what damages it is looked at, not only refused.
Bytes WithoutChecksums(Bytes file) {
  constexpr std::size_t kMagic_bytes = 8, kHead_bytes = 9, kChecksumAt = 24;  // a record's code and length;
                                                                              // two times and a size
  constexpr std::uint8_t kChunk = 0x06;
  for (std::size_t at = kMagic_bytes; at + kHead_bytes < file.size();) {
    const std::size_t length = LoadAs<std::uint64_t>(&file[at + 1]);
    Require(length < file.size() - at, "a record ends in the file");
    if (file[at] == kChunk)
      std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(at + kHead_bytes + kChecksumAt), 4, 0);
    at += kHead_bytes + length;
    if (file.size() - at <= kMagic_bytes) break;
  }
  return file;
}

// Every kind of message that is read.
void FeedRosMessage(std::span<const std::uint8_t> bytes) {
  const auto decode = [](const std::function<void()>& read) {
    try {
      read();
    } catch (const Error& error) {
      Require(std::string_view(error.what()).find('\n') == std::string_view::npos, "the error is one line");
    }
  };
  decode([&] {
    const RosImage image = DecodeImage(bytes);
    const CameraImageView view = ViewOf(image.image);
    Require(WidthOf(view) > 0 && HeightOf(view) > 0, "an image has pixels");
    Require(
        static_cast<std::size_t>(WidthOf(view)) * static_cast<std::size_t>(HeightOf(view)) <= bytes.size(),
        "every pixel comes from the message");
  });
  decode([&] {
    const RosImage image = DecodeCompressedImage(bytes);
    Require(WidthOf(ViewOf(image.image)) > 0, "an image has pixels");
  });
  decode([&] { Require(DecodeCameraInfo(bytes).distortion.size() <= 14, "a lens has few numbers"); });
  decode([&] { ParseRecordedFrame(DecodeText(bytes)); });
}

}  // namespace

const Target kMcap{"mcap", FeedMcap, [] {
                     return std::vector<Bytes>{SmallRecording(true), SmallRecording(false),
                                               WithoutChecksums(SmallRecording(true))};
                   }};

const Target kRosMessage{
    "ros_message", FeedRosMessage, [] {
      const CameraImage gray = test::Pattern<std::uint8_t>(7, 5, 1),
                        deep = test::Pattern<std::uint16_t>(3, 4, 1);
      const StereoRig rig{100, 3, 2, 0.1, 0};
      std::vector<Bytes> seeds{EncodeImage(5'000'000'001, ViewOf(gray)), EncodeImage(0, ViewOf(deep)),
                               EncodeCameraInfo(1, 7, 5, rig, StereoSide::kRight),
                               EncodeText(TextOf({.name = "f",
                                                  .timestamp_s = 0.5,
                                                  .rig = rig,
                                                  .num_disparities_hint = 16,
                                                  .has_borders = true,
                                                  .turn_urad = {-123, 4567}}))};
      for (const char* encoding : {"bgr8", "rgba8", "bgra8", "8UC1", "uyvy", "yuyv"}) {
        Bytes image = seeds.front();
        const std::string_view mono8 = "mono8";
        const auto at = std::search(image.begin(), image.end(), mono8.begin(), mono8.end());
        std::copy_n(encoding, std::min<std::size_t>(mono8.size(), std::strlen(encoding) + 1), at);
        seeds.push_back(std::move(image));
      }
      // Others have longer names.
      for (const char* encoding : {"bayer_grbg8", "bayer_bggr16"}) {
        CdrWriter cdr;
        cdr.Number(std::int32_t{1}).Number(std::uint32_t{2}).Text("f");
        cdr.Number(std::uint32_t{4}).Number(std::uint32_t{6}).Text(encoding);
        cdr.Number(std::uint8_t{0}).Number(std::uint32_t{12});
        std::ranges::fill(cdr.ByteSequence(48), std::uint8_t{77});
        seeds.push_back(cdr.Take());
      }
      for (const FileBytes& file : {EncodePng(std::get<HostImage<std::uint8_t>>(gray).ConstView()),
                                    EncodePng(std::get<HostImage<std::uint16_t>>(deep).ConstView())}) {
        CdrWriter cdr;
        cdr.Number(std::int32_t{1}).Number(std::uint32_t{2}).Text("f").Text("png");
        std::ranges::copy(file, cdr.ByteSequence(file.size()).begin());
        seeds.push_back(cdr.Take());
      }
      return seeds;
    }};

}  // namespace parallax::fuzz
