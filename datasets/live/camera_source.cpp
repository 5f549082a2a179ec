#include "datasets/live/camera_source.h"

#include <string_view>
#include <utility>
#include <vector>

#include "datasets/formats/file_bytes.h"
#include "datasets/live/live_source.h"
#include "datasets/live/v4l2_camera.h"
#include "parallax/error.h"

namespace parallax {
namespace {

struct CameraSpec {
  std::vector<CameraChoice> cameras;
  std::vector<std::string> labels;
};

[[noreturn]] void Refuse(const std::string& spec, const std::string& why) {
  throw InvalidArgument(
      "'" + spec + "': " + why +
      "; name cameras as camera:N (both images in one picture) or camera:LEFT,RIGHT, with size=WxH, "
      "fps=N, format=MJPG or bits=10 (of Y16) after that, such as camera:0,size=2560x720,fps=30");
}

void SetKey(const std::string& spec, std::string_view key, std::string_view value, CameraChoice& all) {
  if (key == "size") {
    const std::size_t x = value.find('x');
    const auto width = ParseCount(value.substr(0, x));
    const auto height = x == std::string_view::npos ? std::nullopt : ParseCount(value.substr(x + 1));
    constexpr std::uint64_t kMost_px = 32768;
    if (!width || !height || *width < 1 || *height < 1 || *width > kMost_px || *height > kMost_px)
      Refuse(spec, "'" + std::string(value) + "' is not a size");
    all.width = static_cast<int>(*width);
    all.height = static_cast<int>(*height);
  } else if (key == "fps") {
    const auto rate = ParseNumber(value);
    if (!rate || !(*rate >= 0.1 && *rate <= 1000))
      Refuse(spec, "'" + std::string(value) + "' is not a frame rate");
    all.frames_per_s = *rate;
  } else if (key == "format") {
    if (value.empty() || value.size() > 4) Refuse(spec, "'" + std::string(value) + "' is not a pixel format");
    all.pixel_format = value;
  } else if (key == "bits") {
    const auto bits = ParseCount(value);
    if (!bits || *bits < 9 || *bits > 16)
      Refuse(spec, "'" + std::string(value) + "' is not a number of bits from 9 to 16");
    all.bits = static_cast<int>(*bits);
  } else {
    Refuse(spec, "'" + std::string(key) + "' is unknown");
  }
}

CameraSpec ParseCameras(const std::string& spec) {
  CameraSpec parsed;
  CameraChoice all;
  std::string_view list = std::string_view(spec).substr(spec.find(':') + 1);
  while (true) {
    const std::string_view word = list.substr(0, list.find(','));
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos && !word.starts_with('/') && !parsed.cameras.empty()) {
      SetKey(spec, word.substr(0, equals), word.substr(equals + 1), all);
    } else {
      const auto number = ParseCount(word);
      constexpr std::uint64_t kMostCameras = 1000;
      const bool is_path = word.starts_with('/');
      if (!is_path && (!number || *number > kMostCameras))
        Refuse(spec, "'" + std::string(word) + "' is not a camera");
      if (parsed.cameras.size() == 2) Refuse(spec, "names more than two cameras");
      CameraChoice camera;
      camera.device = is_path ? std::string(word) : "/dev/video" + std::to_string(*number);
      parsed.cameras.push_back(camera);
      parsed.labels.push_back("camera " + (is_path ? std::string(word) : std::to_string(*number)));
    }
    if (word.size() == list.size()) break;
    list.remove_prefix(word.size() + 1);
  }
  if (parsed.cameras.size() == 2 && parsed.cameras[0].device == parsed.cameras[1].device)
    Refuse(spec, "left and right are the same camera");
  for (CameraChoice& camera : parsed.cameras) {
    camera = {camera.device, all.width, all.height, all.frames_per_s, all.pixel_format, all.bits};
  }
  return parsed;
}

}  // namespace

std::unique_ptr<FrameSource> OpenCamera(const std::string& spec, const LiveOptions& options) {
  const CameraSpec parsed = ParseCameras(spec);
  std::vector<LiveFeed> feeds;
  for (std::size_t i = 0; i < parsed.cameras.size(); ++i) {
    const auto open = [choice = parsed.cameras[i], label = parsed.labels[i]] {
      return OpenV4l2Camera(choice, label);
    };
    feeds.push_back({.label = parsed.labels[i], .num_streams = 1, .open = open, .device = open()});
  }
  return MakeLiveSource("camera", std::move(feeds), options);
}

}  // namespace parallax
