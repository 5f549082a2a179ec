#include "app/options/named_rig.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/adjusted_source.h"
#include "datasets/formats/file_bytes.h"
#include "pipeline/error.h"

namespace parallax::app {

void AddRigOption(CLI::App& command, std::string& rig) {
  command
      .add_option(
          "--rig", rig,
          "Calibration of the rectified pair, in place of the source's: focal length and the left image's "
          "principal point in px, baseline in m, and by how much the right principal point lies further "
          "right, px [0]")
      ->type_name("FX,CX,CY,BASELINE[,DOFFS]");
}

StereoRig ParseRig(const std::string& text) {
  std::vector<double> numbers;
  bool readable = true;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::optional<double> number = ParseNumber(std::string_view(text).substr(begin, end - begin));
    readable = readable && number && std::isfinite(*number);
    numbers.push_back(number.value_or(0));
    begin = end + 1;
  }
  if (!readable || numbers.size() < 4 || numbers.size() > 5) {
    throw InvalidArgument(
        "--rig '" + text +
        "' is not FX,CX,CY,BASELINE[,DOFFS], in px and metres, e.g. 721.5,609.6,172.9,0.537");
  }
  if (!(numbers[0] > 0) || !(numbers[3] > 0)) {
    throw InvalidArgument("--rig '" + text + "': focal length and baseline must be above 0");
  }
  return {.fx_px = numbers[0],
          .cx_px = numbers[1],
          .cy_px = numbers[2],
          .baseline_m = numbers[3],
          .doffs_px = numbers.size() > 4 ? numbers[4] : 0};
}

std::unique_ptr<FrameSource> WithNamedRig(std::unique_ptr<FrameSource> source, const std::string& rig) {
  if (rig.empty()) return source;
  return std::make_unique<AdjustedSource>(std::move(source), [named = ParseRig(rig)](StereoFrame& frame) {
    if (!frame.rectified) return;
    frame.rig = named;
    frame.rig_note.clear();
  });
}

}  // namespace parallax::app
