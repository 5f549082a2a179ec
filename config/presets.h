// The sets of parameters that come with the program: config/presets/*.yaml by kind of data, and those by task
// below it, compiled in.
#pragma once

#include <span>
#include <string_view>

namespace parallax {

struct PresetFile {
  std::string_view name;  // "kitti"
  std::string_view yaml;  // the file's text
  bool is_for_task;       // of presets/tasks/: for sequences, with the filters of the section live
};

// All presets, by name: those by kind of data, then those by task.
std::span<const PresetFile> Presets();

// The preset of this name, or nullptr.
const PresetFile* FindPreset(std::string_view name);

// "accurate, ad_census, default, ...", for messages.
std::string_view PresetNames();

}  // namespace parallax
