// The journal's description of the pixels and the calibration that a result was computed from.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parallax/rig.h"
#include "pipeline/types/frame.h"

namespace parallax::app {

inline constexpr std::string_view kInputKey = "input";  // of the journal's record of a frame

// Size and checksum of the pixels: "640x480/0 0123abcd".
std::string ImageText(const CameraImage& image);

// Frames with the same text give the same results: ImageText of left and right, the rig's numbers, "D N" if
// the source states the number of disparities.
std::string InputText(const StereoFrame& frame);

// What ParseInputText reads back from an InputText; it returns nullopt for another text.
struct InputParts {
  std::string left;  // as ImageText
  std::optional<StereoRig> rig;
};
std::optional<InputParts> ParseInputText(const std::string& text);

}  // namespace parallax::app
