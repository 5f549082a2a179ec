// Names of tests that run for every preset.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "config/presets.h"

namespace parallax {

inline std::string TestNameOf(const testing::TestParamInfo<PresetFile>& preset) {
  std::string name(preset.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace parallax
