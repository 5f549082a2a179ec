#include "datasets/live/gstreamer_source.h"

#include <utility>
#include <vector>

#include "datasets/live/live_source.h"
#include "datasets/live/players.h"

namespace parallax {
namespace {

// The line up to its first link: what names it in messages.
std::string LabelOf(const std::string& line) {
  std::string label = line.substr(0, line.find('!'));
  while (!label.empty() && label.back() == ' ') label.pop_back();
  return "gst:" + label;
}

}  // namespace

std::unique_ptr<FrameSource> OpenGstreamer(const std::string& spec, const LiveOptions& options) {
  const std::string line = spec.substr(spec.find(':') + 1);
  const std::string label = LabelOf(line);
  const auto open = [line, label, memory = options.image_memory] {
    return LoadedPlayers().open_stream(line, label, memory);
  };
  std::unique_ptr<LiveDevice> device = open();
  const int num_streams = device->num_streams();
  std::vector<LiveFeed> feeds;
  feeds.push_back({.label = label, .num_streams = num_streams, .open = open, .device = std::move(device)});
  return MakeLiveSource("stream", std::move(feeds), options);
}

}  // namespace parallax
