#include "app/view/controls/command_table.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "parallax/error.h"

namespace parallax::app {
namespace {

std::vector<std::string> KeysOf(const Command& command) {
  std::istringstream words(command.keys);
  std::vector<std::string> keys;
  for (std::string key; words >> key;) keys.push_back(key);
  return keys;
}

bool HasKey(const Command& command, std::string_view key) {
  const std::vector<std::string> keys = KeysOf(command);
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

template <typename Predicate>
const Command* FindCommand(const std::vector<Command>& commands, Predicate&& predicate) {
  const auto found = std::find_if(commands.begin(), commands.end(), predicate);
  return found == commands.end() ? nullptr : &*found;
}

}  // namespace

void CommandTable::Add(Command command) {
  for (const Command& other : commands_) {
    if (other.name == command.name) throw InvalidArgument("there are two commands " + command.name);
    for (const std::string& key : KeysOf(command)) {
      if (HasKey(other, key)) {
        throw InvalidArgument("key " + key + " belongs to the commands " + other.name + " and " +
                              command.name);
      }
    }
  }
  commands_.push_back(std::move(command));
}

bool CommandTable::Run(std::string_view name) {
  return RunIt(FindCommand(commands_, [&](const Command& command) { return command.name == name; }));
}

bool CommandTable::Press(std::string_view key) {
  return RunIt(FindCommand(commands_, [&](const Command& command) { return HasKey(command, key); }));
}

bool CommandTable::RunIt(const Command* command) {
  if (command == nullptr) return false;
  last_ = command->name;
  ++num_run_;
  command->action();
  return true;
}

}  // namespace parallax::app
