#include "datasets/live/recording.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "datasets/formats/file_bytes.h"

namespace parallax {
namespace {

constexpr double kLatest_s = 2147483647;  // that ROS's time can hold
constexpr int kMaxDisparities = 65536;
constexpr double kLargestTurn_urad = 1e6;

std::string Exact(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

std::optional<StereoRig> RigOf(std::string_view numbers) {
  WordReader words(numbers);
  std::array<double, 5> n{};
  for (double& number : n) {
    const std::optional<double> parsed = ParseNumber(words.Next());
    if (!parsed || !std::isfinite(*parsed)) return std::nullopt;
    number = *parsed;
  }
  if (!(n[0] > 0 && n[3] > 0)) return std::nullopt;
  return StereoRig{.fx_px = n[0], .cx_px = n[1], .cy_px = n[2], .baseline_m = n[3], .doffs_px = n[4]};
}

}  // namespace

std::string TextOf(const RecordedFrame& frame) {
  std::string text = "name " + frame.name + "\n";
  if (frame.timestamp_s) text += "time " + Exact(*frame.timestamp_s) + "\n";
  if (frame.rig) {
    const StereoRig& rig = *frame.rig;
    text += "rig";
    for (const double number : {rig.fx_px, rig.cx_px, rig.cy_px, rig.baseline_m, rig.doffs_px})
      text += " " + Exact(number);
    text += "\n";
  }
  if (frame.num_disparities_hint) text += "disparities " + std::to_string(*frame.num_disparities_hint) + "\n";
  if (frame.has_borders) text += "borders\n";
  if (frame.turn_urad != RightTurn_urad{}) text += "turn " + TextOf(frame.turn_urad) + "\n";
  return text;
}

RecordedFrame ParseRecordedFrame(std::string_view text) {
  RecordedFrame frame;
  for (const std::string_view line : SplitLines(text)) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view key = line.substr(0, space);
    const std::string_view value = line.substr(std::min(space + 1, line.size()));
    if (key == "name") {
      frame.name = value;
    } else if (key == "time") {
      frame.timestamp_s = ParseNumber(value);
    } else if (key == "rig") {
      frame.rig = RigOf(value);
    } else if (key == "turn") {
      frame.turn_urad = ParseTurn(value).value_or(RightTurn_urad{});
    } else if (key == "borders") {
      frame.has_borders = true;
    } else if (key == "disparities") {
      const std::optional<std::uint64_t> count = ParseCount(value);
      if (count && *count >= 1 && *count <= kMaxDisparities)
        frame.num_disparities_hint = static_cast<int>(*count);
    }
  }
  return frame;
}

std::string TextOf(const RightTurn_urad& turn) {
  return std::to_string(turn[0]) + " " + std::to_string(turn[1]);
}

std::optional<RightTurn_urad> ParseTurn(std::string_view text) {
  WordReader words(text);
  RightTurn_urad turn{};
  for (int& part : turn) {
    const std::optional<double> number = ParseNumber(words.Next());
    if (!number || !(std::abs(*number) <= kLargestTurn_urad)) return std::nullopt;
    part = static_cast<int>(*number);
  }
  return turn;
}

std::int64_t RecordedTime_ns(const StereoFrame& frame, std::size_t index) {
  if (frame.stamp_ns && *frame.stamp_ns >= 0) return *frame.stamp_ns;
  const double time_s = frame.timestamp_s && std::isfinite(*frame.timestamp_s)
                            ? *frame.timestamp_s
                            : static_cast<double>(index) / 10;
  return std::llround(std::clamp(time_s, 0.0, kLatest_s) * 1e9);
}

}  // namespace parallax
