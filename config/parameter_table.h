// The table of every parameter: docs/parameters.md and `parallax info --parameters`.
#pragma once

#include <string>

namespace parallax {

// Markdown: one row per key with unit, range, default and meaning; ends with a line feed.
std::string ParameterTable();

}  // namespace parallax
