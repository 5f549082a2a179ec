// The settings behind a Matcher and its results: the parameters and the table of uncertainty.
#pragma once

#include <memory>
#include <string>

#include "parallax/matcher.h"
#include "pipeline/uncertainty/uncertainty.h"

namespace parallax {

struct MatchResult::Settings {
  Parameters parameters;
  UncertaintyParameters uncertainty;
};

// The settings of a preset or a YAML file. Throws what Preset throws.
std::shared_ptr<const MatchResult::Settings> LoadSettings(const std::string& preset_or_file);
// The settings with the uncertainty table of a preset or a YAML file. Throws InvalidArgument with all faults
// of the parameters, and what Preset throws.
std::shared_ptr<const MatchResult::Settings> CheckedSettings(const Parameters& parameters,
                                                             const std::string& sigma_preset);

}  // namespace parallax
