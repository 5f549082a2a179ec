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
  const std::map<std::string, PictureLayout> layouts = {{"side-by-side", PictureLayout::kSideBySide},
                                                        {"top-bottom", PictureLayout::kTopBottom}};
  command
      .add_option("--layout", options.layout,
                  "How both images lie in a picture of a video, camera or stream: side-by-side (left at the "
                  "left) or top-bottom (left above)")
      ->transform(CLI::CheckedTransformer(layouts).description(""))
      ->type_name("LAYOUT")
      ->default_str("side-by-side");
  command
      .add_option(
          "--pair-tolerance", options.pair_tolerance_ms,
          "Of two cameras or streams: the largest difference of the times of a pair, ms; 0 = half the "
          "time between frames")
      ->type_name("MS")
      ->check(CLI::Range(0.0, 10000.0))
      ->capture_default_str();
}

LiveOptions ToldOnStderr(LiveOptions options) {
  options.monitor = std::make_shared<LiveMonitor>();
  options.monitor->TellTo([](const std::string& line) {
    std::fprintf(stderr, "parallax: %s\n", Printable(line).c_str());
    Log(line);
  });
  return options;
}

std::string LiveText(const LiveCounts& counts) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (counts.num_unpaired[0] + counts.num_unpaired[1] > 0) {
    add(fmt::format("{} left and {} right pictures found no partner", counts.num_unpaired[0],
                    counts.num_unpaired[1]));
  }
  if (counts.num_damaged > 0) add(fmt::format("{} pictures were damaged", counts.num_damaged));
  if (counts.num_losses > 0) {
    const auto times = [](std::size_t n) { return n == 1 ? "once" : fmt::format("{} times", n); };
    add(fmt::format("stopped {} and came again {}, {:.1f} s without pictures", times(counts.num_losses),
                    times(counts.num_reopened), counts.lost_s));
  }
  return text;
}

}  // namespace parallax::app
