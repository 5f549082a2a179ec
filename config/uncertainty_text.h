// The table of uncertainty as text: the section `uncertainty` of files of parameters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/uncertainty/uncertainty.h"

namespace parallax {

inline constexpr std::string_view kUncertaintySection = "uncertainty";

// Every key, "uncertainty.name", in the order of the table.
const std::vector<std::string>& UncertaintyKeys();

// Whether the key, or section, belongs here: it is `uncertainty` or begins with `uncertainty.`.
bool IsOfUncertainty(std::string_view key);

// Sets the values of a valid key from their texts, strictly. Returns what is wrong, with its remedy, or
// nullopt when they were set.
std::optional<std::string> SetUncertainty(UncertaintyParameters& parameters, std::string_view key,
                                          const std::vector<std::string>& values);

// "0.3" or "0.3, 0.2": what stands between the commas of a list, spaces and the list's own brackets taken
// away.
std::vector<std::string> ListItems(std::string_view text);

// What a value may be: "11 numbers, 0.001 .. 1000". The key must be valid.
std::string UncertaintyRange(std::string_view key);

// All of it as one line of YAML, "{confidence_px: [...], ...}".
std::string UncertaintyLine(const UncertaintyParameters& parameters);

// The section as YAML with comments; reads back to the same table.
std::string UncertaintyYaml(const UncertaintyParameters& parameters);

// Its rows of the table of parameters for people (parameter_table.h).
std::string UncertaintyRows();

}  // namespace parallax
