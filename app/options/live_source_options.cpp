#include "app/options/live_source_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>

#include "app/options/logging.h"
#include "app/output/error_text.h"

namespace parallax::app {

void AddLiveOptions(CLI::App& command, LiveOptions& options) {
  std::map<std::string, PictureLayout> layouts;
  for (std::size_t i = 0; i < kPictureLayoutNames.size(); ++i)
    layouts[kPictureLayoutNames[i]] = static_cast<PictureLayout>(i);
  command
      .add_option("--layout", options.layout,
                  "Arrangement of the two images in one picture of a video, camera, stream or image file: "
                  "side-by-side "
                  "(left image on the left), top-bottom (left image on top), right-left or bottom-top")
      ->transform(CLI::CheckedTransformer(layouts).description(""))
      ->type_name("LAYOUT")
      ->default_str("side-by-side");
  command
      .add_option("--pair-tolerance", options.pair_tolerance_ms,
                  "Largest time difference between the two images of a pair from two cameras or streams, ms; "
                  "0 = half the frame interval")
      ->type_name("MS")
      ->check(CLI::Range(0.0, 10000.0))
      ->capture_default_str();
}

void PrintToStderr(const std::string& line) {
  std::fprintf(stderr, "parallax: %s\n", Printable(line).c_str());
  Log(line);
}

LiveOptions ReportingToStderr(LiveOptions options) {
  options.monitor = std::make_shared<LiveMonitor>();
  options.monitor->ReportTo(PrintToStderr);
  return options;
}

std::string LiveText(const LiveCounts& counts) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (counts.num_unpaired[0] + counts.num_unpaired[1] > 0) {
    add(fmt::format("{} left and {} right pictures have no counterpart", counts.num_unpaired[0],
                    counts.num_unpaired[1]));
  }
  if (counts.num_late > 0)
    add(fmt::format("{} pairs left out, whose results would have come after the deadline", counts.num_late));
  if (counts.num_damaged > 0) add(fmt::format("{} pictures were damaged", counts.num_damaged));
  if (counts.num_losses > 0) {
    const auto times = [](std::size_t n) { return n == 1 ? "once" : fmt::format("{} times", n); };
    add(fmt::format("stopped {} and resumed {}, {:.1f} s without pictures", times(counts.num_losses),
                    times(counts.num_reopened), counts.lost_s));
  }
  return text;
}

}  // namespace parallax::app
