// Presets and YAML, or the message for a library that was built without them.
#include "parallax/parameters.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "library/settings.h"
#include "parallax/error.h"
#include "pipeline/types/parameter_info.h"
#ifdef PARALLAX_WITH_FILES
#include "config/parameter_text.h"
#include "config/parameters_yaml.h"
#endif

namespace parallax {
namespace {

#ifdef PARALLAX_WITH_FILES
MatchResult::Settings Load(const std::string& name, bool with_range = true) {
  const ChosenParameters chosen =
      LoadChosenParameters(name, {}, with_range ? AutoRange::kRefused : AutoRange::kTaken);
  return {chosen.parameters, chosen.uncertainty};
}
#else
[[noreturn]] void ThrowWithoutFiles(const std::string& what) {
  throw Error(what + ": this library was built without presets and YAML: build it with PARALLAX_APP=ON");
}
MatchResult::Settings Load(const std::string& name, bool = true) {
  if (name == "default") return {};
  ThrowWithoutFiles(name);
}
#endif

}  // namespace

std::shared_ptr<const MatchResult::Settings> LoadSettings(const std::string& preset_or_file) {
  return std::make_shared<const MatchResult::Settings>(Load(preset_or_file));
}

std::shared_ptr<const MatchResult::Settings> CheckedSettings(const Parameters& parameters,
                                                             const std::string& sigma_preset) {
  ValidateOrThrow(parameters);
  return std::make_shared<const MatchResult::Settings>(
      MatchResult::Settings{parameters, Load(sigma_preset, false).uncertainty});
}

Parameters Preset(const std::string& name_or_file) { return Load(name_or_file).parameters; }

#ifdef PARALLAX_WITH_FILES
void SetByKey(Parameters& parameters, const std::string& key, const std::string& text) {
  const std::vector<std::string>& keys = ParameterKeys();
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
    const std::string nearest = NearestParameterKey(key);
    throw InvalidArgument(
        "unknown parameter '" + key + "'" +
        (nearest.empty() ? ": docs/parameters.md lists all" : ": did you mean " + nearest + "?"));
  }
  Parameters changed = parameters;
  if (const auto fault = SetParameter(changed, key, text)) throw InvalidArgument(key + ' ' + *fault);
  // Its range; what must fit other keys, which may be set next, is the matcher's to check.
  VisitParameters(changed, [&]<typename T>(const ParameterInfo& info, const T& value) {
    if constexpr (std::is_same_v<T, int> || std::is_same_v<T, float>) {
      if (info.key != key || (value >= info.min && value <= info.max)) return;
      throw InvalidArgument(key + " is " + text + ": use " + ParameterRange(key));
    }
  });
  parameters = changed;
}

std::string ParametersYaml(const Parameters& parameters) { return ToYaml(parameters); }
#else
std::string_view PresetNames() { return "default"; }
void SetByKey(Parameters&, const std::string& key, const std::string&) { ThrowWithoutFiles(key); }
std::string ParametersYaml(const Parameters&) { ThrowWithoutFiles("parameters as YAML"); }
#endif

}  // namespace parallax
