// The program's commands and options as data, for help, shell completion and the manual page.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace parallax::app {

// The value of an option or positional argument.
enum class ValueKind { kNone, kText, kFile, kFolder };

struct OptionEntry {
  std::vector<std::string> names;  // "-o", "--output"; empty for a positional
  std::string title;               // "--output", or the name of the positional
  ValueKind kind = ValueKind::kNone;
  std::string value_name;            // "FILE"; empty for a flag
  std::vector<std::string> choices;  // its possible values; empty if it is free
  bool takes_list = false;           // several values, separated by commas
  std::string description;
};

struct CommandEntry {
  std::string name;  // "emd"
  std::string path;  // "cloud emd"; empty for the program
  std::string description, footer;
  std::vector<OptionEntry> options, positionals;
  std::vector<CommandEntry> commands;
};

// Describes the commands as the command line declares them. Choices are those that an option is checked
// against, or the known names of presets, parameters, back ends, kinds of sources, metrics and outputs.
CommandEntry DescribeCommands(const CLI::App& app);

}  // namespace parallax::app
