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

// Sets the values of a valid key from their texts, strictly. Returns the fault with its remedy, or nullopt if
// they were set.
std::optional<std::string> SetUncertainty(UncertaintyParameters& parameters, std::string_view key,
                                          const std::vector<std::string>& values);

// "0.3" or "0.3, 0.2": the values of a list, without its brackets and the spaces around it.
std::vector<std::string> ListItems(std::string_view text);

// The allowed values: "11 numbers, 0.001 .. 1000". The key must be valid.
std::string UncertaintyRange(std::string_view key);

// The whole table as one line of YAML, "{confidence_px: [...], ...}".
std::string UncertaintyLine(const UncertaintyParameters& parameters);

// The section as YAML with comments; reads back to the same table.
std::string UncertaintyYaml(const UncertaintyParameters& parameters);

// The rows of the table in the table of parameters (parameter_table.h).
std::string UncertaintyRows();

}  // namespace parallax
