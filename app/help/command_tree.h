// The program's commands and options as data: what its help, its completion in shells and its manual page are
// made of.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace parallax::app {

// What stands behind an option, or in a place without a name.
enum class ValueKind { kNone, kText, kFile, kFolder };

struct OptionEntry {
  std::vector<std::string> names;  // "-o", "--output"; empty for a positional
  std::string title;               // "--output", or the name of the positional
  ValueKind kind = ValueKind::kNone;
  std::string value_name;            // "FILE"; empty for a flag
  std::vector<std::string> choices;  // of which it may be one; empty where it is free
  bool takes_list = false;           // choices with commas between them
  std::string description;
};

struct CommandEntry {
  std::string name;  // "emd"
  std::string path;  // "cloud emd"; empty for the program
  std::string description, footer;
  std::vector<OptionEntry> options, positionals;
  std::vector<CommandEntry> commands;
};

// As the command line declares them. Choices are those that an option is checked against, and the names that
// this program knows: of presets, parameters, back ends, kinds of sources, metrics, outputs.
CommandEntry DescribeCommands(const CLI::App& app);

}  // namespace parallax::app
