#include "tests/support/recordings.h"
#include "datasets/live/recording_source.h"
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

}  // namespace

const Target kMcap{"mcap", FeedMcap, [] {
                     return std::vector<Bytes>{SmallRecording(true), SmallRecording(false)};
                   }};

}  // namespace parallax::fuzz
