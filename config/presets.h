// The sets of parameters that come with the program: config/presets/*.yaml, compiled in.
#pragma once

#include <span>
#include <string_view>

namespace parallax {

struct Preset {
  std::string_view name;  // "kitti"
  std::string_view yaml;  // the file's text
};

// All presets, by name.
std::span<const Preset> Presets();

// The preset of this name, or nullptr.
const Preset* FindPreset(std::string_view name);

// "ad_census, default, eth3d, ...", for messages.
std::string_view PresetNames();

}  // namespace parallax
