// Names of tests that run for every preset.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "config/presets.h"

namespace parallax {

// What a test's name says of its parameter: not the bytes in memory.
inline void PrintTo(const PresetFile& preset, std::ostream* out) { *out << preset.name; }

inline std::string TestNameOf(const testing::TestParamInfo<PresetFile>& preset) {
  std::string name(preset.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace parallax
