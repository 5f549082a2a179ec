// One parameter as text: strict reading, writing, and finding the key that was meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/types/parameter_info.h"

namespace parallax {

// Every key, "stage.name" or "name", in the order of VisitParameters.
const std::vector<std::string>& ParameterKeys();

// The valid key (or stage, for a name without a dot) with the most similar spelling; empty if none is near.
std::string NearestParameterKey(std::string_view key);

// The same among any candidates: the one with the fewest edits, at most two or a third of its length.
std::string NearestName(std::string_view name, const std::vector<std::string>& candidates);

// Sets the parameter from text, strictly: whole numbers for int, decimal numbers for float, true/false for
// bool, a name for an enum. Does not check the range (Validate does). Returns what is wrong with the text,
// with its remedy ("is 'ten': use a whole number, 0 .. 8000 cost"), or nullopt when it was set.
// The key must be valid.
std::optional<std::string> SetParameter(Parameters& parameters, std::string_view key, std::string_view text);

// The value as written in YAML: the shortest text that reads back to the same value. The key must be valid.
std::string ParameterText(const Parameters& parameters, std::string_view key);

// The allowed values: "0 .. 8000", "true, false", "5x5, 7x7, 9x7, cs9x7". The key must be valid.
std::string ParameterRange(std::string_view key);

}  // namespace parallax
