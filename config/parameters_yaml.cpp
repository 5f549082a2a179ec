#include "config/parameters_yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>

#include "config/parameter_text.h"
#include "config/presets.h"
#include "config/uncertainty_text.h"
#include "parallax/error.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFileSize_bytes = 1 << 20;
constexpr int kMaxBases = 8;

// "; did you mean X?" or nothing.
std::string Suggestion(const std::string& nearest) {
  return nearest.empty() ? "" : ": did you mean " + nearest + "?";
}

bool Holds(const std::vector<std::string>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}
bool IsKey(const std::string& key) { return Holds(ParameterKeys(), key) || Holds(UncertaintyKeys(), key); }

// The keys of a section.
std::vector<std::string> KeysIn(const std::string& section) {
  std::vector<std::string> keys;
  for (const std::vector<std::string>* all : {&ParameterKeys(), &UncertaintyKeys()}) {
    std::copy_if(all->begin(), all->end(), std::back_inserter(keys),
                 [&](const std::string& key) { return key.starts_with(section + '.'); });
  }
  return keys;
}

// The valid key or section that is most similar; empty if none is similar.
std::string NearestKey(const std::string& key) {
  std::vector<std::string> of_uncertainty = {std::string(kUncertaintySection)};
  if (key.find('.') != std::string::npos) of_uncertainty = UncertaintyKeys();
  const std::string nearest = NearestName(key, of_uncertainty);
  return nearest.empty() ? NearestParameterKey(key) : nearest;
}

// One reading of a file with its bases and assignments: collects values and every fault.
class ParameterReader {
 public:
  explicit ParameterReader(AutoRange auto_range = AutoRange::kRefused) : auto_range_(auto_range) {}
  void ReadPathOrPreset(const std::string& path_or_preset, const std::string& asked_by);
  void ReadText(std::string_view yaml, const std::string& name, const fs::path& folder);
  void Assign(const std::string& assignment);
  ChosenParameters Finish();

 private:
  void ReadDocument(const YAML::Node& document, const std::string& name, const fs::path& folder);
  void ReadStage(const YAML::Node& stage, const std::string& stage_name, const std::string& file);
  void ReadValue(const YAML::Node& value, const std::string& key, const std::string& place);
  void ReadList(const YAML::Node& value, const std::string& key, const std::string& place);
  void Set(const std::string& key, std::string_view text, const std::string& place);
  void SetList(const std::string& key, const std::vector<std::string>& values, const std::string& place);
  void Fault(const std::string& place, const std::string& text) { faults_.push_back(place + ": " + text); }

  const AutoRange auto_range_;
  ChosenParameters chosen_;
  std::map<std::string, std::string, std::less<>> places_;  // key -> "FILE:LINE" that set it
  std::set<std::string, std::less<>> unreadable_;           // keys whose text was faulty
  std::vector<std::string> faults_;
  int num_bases_ = 0;
};

// The start of the second document of a text. (YAML::LoadAll of yaml-cpp 0.7 never returns for a text like
// ",", from which it makes documents without end.)
std::optional<YAML::Mark> SecondDocument(const std::string& text) {
  struct Starts : YAML::EventHandler {
    std::vector<YAML::Mark> marks;
    void OnDocumentStart(const YAML::Mark& mark) override { marks.push_back(mark); }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
    void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}
  } starts;
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  while (starts.marks.size() < 2 && parser.HandleNextDocument(starts)) {
  }
  return starts.marks.size() < 2 ? std::nullopt : std::optional(starts.marks[1]);
}

std::string Place(const std::string& file, const YAML::Mark& mark) {
  return mark.is_null() ? file : file + ':' + std::to_string(mark.line + 1);
}

std::string ReadFile(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw Error(path.string() + ": is a folder, not a file of parameters");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(path.string() + ": cannot be read: " + std::strerror(errno));
  const std::uintmax_t size_bytes = fs::file_size(path, error);
  if (!error && size_bytes > kMaxFileSize_bytes) {
    throw Error(path.string() + ": has " + std::to_string(size_bytes) +
                " bytes, too many for a file of parameters (at most 1 MiB)");
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void ParameterReader::ReadPathOrPreset(const std::string& path_or_preset, const std::string& asked_by) {
  if (const PresetFile* preset = FindPreset(path_or_preset)) {
    ReadText(preset->yaml, "preset " + path_or_preset, {});
    return;
  }
  std::error_code error;
  if (!fs::exists(path_or_preset, error)) {
    std::vector<std::string> names;
    for (const PresetFile& preset : Presets()) names.emplace_back(preset.name);
    throw InvalidArgument(asked_by + path_or_preset + ": no such file, and no preset (" +
                          std::string(PresetNames()) + ")" + Suggestion(NearestName(path_or_preset, names)));
  }
  ReadText(ReadFile(path_or_preset), path_or_preset, fs::path(path_or_preset).parent_path());
}

void ParameterReader::ReadText(std::string_view yaml, const std::string& name, const fs::path& folder) {
  const std::string text(yaml);
  YAML::Node document;
  std::optional<YAML::Mark> second;
  try {
    second = SecondDocument(text);
    if (!second) document = YAML::Load(text);
  } catch (const YAML::Exception& error) {
    throw InvalidArgument(
        Place(name, error.mark) + ": not valid YAML: " + error.msg +
        ": write stages with indented keys, such as 'aggregation:' and below it '  p1: 10'");
  }
  if (second) {
    throw InvalidArgument(Place(name, *second) + ": a second document begins here: keep one");
  }
  ReadDocument(document, name, folder);
}

void ParameterReader::ReadDocument(const YAML::Node& document, const std::string& name,
                                   const fs::path& folder) {
  if (document.IsNull()) return;  // nothing differs from the defaults
  if (!document.IsMap()) {
    throw InvalidArgument(
        Place(name, document.Mark()) +
        ": not a file of parameters: it must hold stages with keys, such as 'aggregation:' and "
        "below it '  p1: 10'");
  }
  // The base first, wherever it stands, so that this file's own values win.
  std::set<std::string> seen;
  for (const auto& entry : document) {
    if (!entry.first.IsScalar() || entry.first.Scalar() != "base") continue;
    const std::string place = Place(name, entry.first.Mark());
    if (!entry.second.IsScalar() || entry.second.Scalar().empty()) {
      Fault(place, "base must be the name of a preset (" + std::string(PresetNames()) + ") or of a file");
    } else if (!seen.insert("base").second) {
      Fault(place, "base is given twice: keep one");
    } else if (++num_bases_ > kMaxBases) {
      throw InvalidArgument(place + ": more than " + std::to_string(kMaxBases) +
                            " nested bases: does a file name itself as its base?");
    } else {
      const std::string& base = entry.second.Scalar();
      ReadPathOrPreset(FindPreset(base) != nullptr ? base : (folder / base).string(), place + ": base ");
    }
  }
  for (const auto& entry : document) {
    const std::string place = Place(name, entry.first.Mark());
    if (!entry.first.IsScalar()) {
      Fault(place, "a key must be a plain word");
      continue;
    }
    const std::string& stage = entry.first.Scalar();
    if (stage == "base") continue;
    if (IsKey(stage) && stage.find('.') == std::string::npos) {  // it belongs to no stage
      if (seen.insert(stage).second) {
        ReadValue(entry.second, stage, place);
      } else {
        Fault(place, stage + " is given twice: keep one");
      }
      continue;
    }
    if (KeysIn(stage).empty()) {
      const std::string nearest = NearestKey(stage);
      const bool flat = nearest == stage;  // "aggregation.p1: 10" written in one
      Fault(place, flat ? "key '" + stage + "' must be nested: '" + stage.substr(0, stage.find('.')) +
                              ":' and below it '  " + stage.substr(stage.find('.') + 1) + ": ...'"
                        : "unknown key '" + stage + "'" + Suggestion(nearest));
    } else if (!seen.insert(stage).second) {
      Fault(place, "stage " + stage + " is given twice: merge the two");
    } else {
      ReadStage(entry.second, stage, name);
    }
  }
}

void ParameterReader::ReadStage(const YAML::Node& stage, const std::string& stage_name,
                                const std::string& file) {
  if (stage.IsNull()) return;  // all its keys are commented out
  if (!stage.IsMap()) {
    Fault(Place(file, stage.Mark()), stage_name + " is a stage: put its keys below it, indented, such as '" +
                                         KeysIn(stage_name).front().substr(stage_name.size() + 1) + ": ...'");
    return;
  }
  std::set<std::string> seen;
  for (const auto& entry : stage) {
    const std::string place = Place(file, entry.first.Mark());
    if (!entry.first.IsScalar()) {
      Fault(place, "a key must be a plain word");
      continue;
    }
    const std::string key = stage_name + '.' + entry.first.Scalar();
    if (!IsKey(key)) {
      Fault(place, "unknown key '" + key + "'" + Suggestion(NearestKey(key)));
    } else if (!seen.insert(key).second) {
      Fault(place, key + " is given twice: keep one");
    } else {
      ReadValue(entry.second, key, place);
    }
  }
}

void ParameterReader::ReadValue(const YAML::Node& value, const std::string& key, const std::string& place) {
  if (IsOfUncertainty(key)) return ReadList(value, key, place);
  if (value.IsScalar() && value.Tag() != "!") {
    Set(key, value.Scalar(), place);
    return;
  }
  unreadable_.insert(key);
  const char* what = value.IsScalar()     ? "a text in quotes"
                     : value.IsNull()     ? "empty"
                     : value.IsSequence() ? "a list"
                                          : "a map";
  Fault(place, key + " is " + what + ": use one value, " + ParameterRange(key));
}

// A number, or a list of numbers.
void ParameterReader::ReadList(const YAML::Node& value, const std::string& key, const std::string& place) {
  std::vector<std::string> values;
  const auto take = [&](const YAML::Node& node) {
    if (node.IsScalar() && node.Tag() != "!") values.push_back(node.Scalar());
    return node.IsScalar() && node.Tag() != "!";
  };
  const bool is_readable = value.IsSequence() ? std::all_of(value.begin(), value.end(), take) : take(value);
  if (is_readable) return SetList(key, values, place);
  Fault(place, key + " does not contain numbers: use " + UncertaintyRange(key));
}

void ParameterReader::Assign(const std::string& assignment) {
  const std::string& place = assignment;
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) {
    Fault(place, "write key=value, such as aggregation.p1=10");
    return;
  }
  const std::string key = assignment.substr(0, equals);
  if (!IsKey(key)) {
    Fault(place, "unknown key '" + key + "'" + Suggestion(NearestKey(key)));
    return;
  }
  const std::string_view value = std::string_view(assignment).substr(equals + 1);
  if (IsOfUncertainty(key)) return SetList(key, ListItems(value), place);
  Set(key, value, place);
}

void ParameterReader::Set(const std::string& key, std::string_view text, const std::string& place) {
  places_[key] = place;
  unreadable_.erase(key);
  if (const auto fault = SetChosen(chosen_, key, text, auto_range_)) {
    Fault(place, key + ' ' + *fault);
    unreadable_.insert(key);
  }
}

void ParameterReader::SetList(const std::string& key, const std::vector<std::string>& values,
                              const std::string& place) {
  chosen_.chosen_keys.insert(key);
  if (const auto fault = SetUncertainty(chosen_.uncertainty, key, values)) Fault(place, key + ' ' + *fault);
}

ChosenParameters ParameterReader::Finish() {
  for (const ParameterFault& fault : Validate(chosen_.parameters)) {
    // A combination is wrong where one of its keys was set: the fault's own, else another that it names.
    auto place = places_.find(fault.key);
    for (auto other = places_.begin(); place == places_.end() && other != places_.end(); ++other) {
      if (fault.message.find(other->first) != std::string::npos) place = other;
    }
    if (unreadable_.contains(fault.key)) continue;  // already said
    faults_.push_back(place == places_.end() ? fault.message : place->second + ": " + fault.message);
  }
  if (!faults_.empty()) {
    std::string text;
    for (const std::string& fault : faults_) text += (text.empty() ? "" : "\n") + fault;
    throw InvalidArgument(text);
  }
  return std::move(chosen_);
}

}  // namespace

std::optional<std::string> SetChosen(ChosenParameters& chosen, const std::string& key, std::string_view text,
                                     AutoRange auto_range) {
  if (key == kNumDisparitiesKey && text == "auto") {
    if (auto_range == AutoRange::kRefused)
      return "is 'auto', which is chosen from the first frames of a source: here use a whole number, " +
             ParameterRange(key);
    chosen.is_range_auto = true;
    chosen.chosen_keys.erase(key);
    return std::nullopt;
  }
  if (const auto fault = SetParameter(chosen.parameters, key, text)) return fault;
  if (key == kNumDisparitiesKey) chosen.is_range_auto = false;
  chosen.chosen_keys.insert(key);
  return std::nullopt;
}

ChosenParameters LoadChosenParameters(const std::string& path_or_preset,
                                      const std::vector<std::string>& assignments, AutoRange auto_range) {
  ParameterReader reader(auto_range);
  reader.ReadPathOrPreset(path_or_preset, "");
  for (const std::string& assignment : assignments) reader.Assign(assignment);
  return reader.Finish();
}

Parameters LoadParameters(const std::string& path_or_preset) {
  return LoadChosenParameters(path_or_preset).parameters;
}

ChosenParameters ParseParameters(std::string_view yaml, const std::string& name,
                                 const std::vector<std::string>& assignments) {
  ParameterReader reader;
  reader.ReadText(yaml, name, fs::path(name).parent_path());
  for (const std::string& assignment : assignments) reader.Assign(assignment);
  return reader.Finish();
}

std::string ToYaml(const Parameters& parameters, const std::set<std::string, std::less<>>& left_open) {
  std::string yaml, stage;
  VisitParameters(parameters, [&](const ParameterInfo& info, const auto&) {
    const std::string key(info.key);
    const std::size_t dot = key.find('.');
    const bool in_stage = dot != std::string::npos;
    if (in_stage && key.substr(0, dot) != stage) {
      stage = key.substr(0, dot);
      yaml += stage + ":\n";
    }
    const bool open = left_open.contains(key);
    std::string line = std::string(in_stage ? "  " : "") + (open ? "# " : "") +
                       key.substr(in_stage ? dot + 1 : 0) + ": " + ParameterText(parameters, key);
    line.resize(std::max<std::size_t>(line.size() + 2, 28), ' ');
    yaml += line + "# ";
    if (open) yaml += "set by the data set if it states one; ";
    if (!info.unit.empty()) yaml += std::string(info.unit) + ", ";
    yaml += ParameterRange(key) + ": " + std::string(info.meaning) + '\n';
  });
  return yaml;
}

}  // namespace parallax
