#include "app/help/command_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

#include "app/frames/frame_writer.h"
#include "app/scores/evaluator.h"
#include "config/backends.h"
#include "config/parameter_text.h"
#include "config/presets.h"
#include "config/uncertainty_text.h"
#include "datasets/source.h"

namespace parallax::app {
namespace {

std::vector<std::string> SplitAtCommas(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream stream(list);
  stream.exceptions(std::ios::badbit);  // of refused memory
  for (std::string item; std::getline(stream, item, ',');) {
    item.erase(0, item.find_first_not_of(' '));
    items.push_back(item);
  }
  return items;
}

std::vector<std::string> BackendNames() {
  std::vector<std::string> names{"auto"};
  for (const BackendState& backend : Backends()) names.emplace_back(backend.name);
  return names;
}

std::vector<std::string> KindNames() {
  std::vector<std::string> names;
  for (int kind = 0; kind <= static_cast<int>(SourceKind::kSynthetic); ++kind)
    names.emplace_back(NameOf(static_cast<SourceKind>(kind)));
  return names;
}

std::vector<std::string> MetricChoices() { return {std::begin(kMetricNames), std::end(kMetricNames)}; }

std::vector<std::string> Assignments() {
  std::vector<std::string> starts;
  for (const std::string& key : ParameterKeys()) starts.push_back(key + '=');
  for (const std::string& key : UncertaintyKeys()) starts.push_back(key + '=');
  return starts;
}

// Options whose values this program has names for, though others may stand there too (a file), or the check
// is made later.
struct NamedValues {
  std::string_view option;
  std::vector<std::string> (*names)();
};
constexpr NamedValues kNamedValues[] = {
    {"--backend", BackendNames},
    {"--backends", BackendNames},
    {"--config", [] { return SplitAtCommas(std::string(PresetNames())); }},
    {"--kind", KindNames},
    {"--metric", MetricChoices},
    {"--preset", [] { return SplitAtCommas(std::string(PresetNames())); }},
    {"--set", Assignments},
    {"--write", [] { return SplitAtCommas(OutputNames()); }},
};

// CLI11 writes the values that a check allows into the name of the type: "TEXT:{image,cloud}".
std::vector<std::string> CheckedChoices(const std::string& type_name) {
  const std::size_t begin = type_name.find('{'), end = type_name.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return SplitAtCommas(type_name.substr(begin + 1, end - begin - 1));
}

ValueKind KindOf(const std::string& value_name) {
  const auto has = [&](std::string_view word) { return value_name.find(word) != std::string::npos; };
  if (has("FILE") || has("SOURCE") || has("CLOUD")) return ValueKind::kFile;
  return has("DIR") ? ValueKind::kFolder : ValueKind::kText;
}

OptionEntry Describe(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  entry.title = entry.names.empty() ? option.get_name() : entry.names.back();
  entry.description = option.get_description();
  if (option.get_items_expected_max() == 0) return entry;  // a flag
  const std::string type_name = option.get_type_name();
  entry.value_name = type_name.substr(0, type_name.find(':'));
  entry.kind = entry.names.empty() ? ValueKind::kFile : KindOf(entry.value_name);
  entry.takes_list = option.get_delimiter() == ',';
  entry.choices = CheckedChoices(type_name);
  for (const NamedValues& named : kNamedValues) {
    const bool is_it = std::find(entry.names.begin(), entry.names.end(), named.option) != entry.names.end();
    if (is_it && entry.choices.empty()) entry.choices = named.names();
  }
  return entry;
}

CommandEntry Describe(const CLI::App& app, const std::string& path) {
  CommandEntry command;
  command.name = app.get_name();
  command.path = path;
  command.description = app.get_description();
  command.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    (option->nonpositional() ? command.options : command.positionals).push_back(Describe(*option));
  }
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    command.commands.push_back(
        Describe(*child, path.empty() ? child->get_name() : path + ' ' + child->get_name()));
  }
  return command;
}

}  // namespace

CommandEntry DescribeCommands(const CLI::App& app) { return Describe(app, ""); }

}  // namespace parallax::app
