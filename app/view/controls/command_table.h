// The window's keyboard commands, one row each.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::app {

struct Command {
  std::string name;  // "pause": unique
  // The command's keys, separated by blanks: "Space", "N", "Ctrl+Z", "Shift+Left", "+ ="; empty = none.
  // Letters are capital; Shift is stated only for letters and named keys ("?" is "?" on every keyboard).
  std::string keys;
  std::string help;  // "pause, resume"; empty = in no list
  std::function<void()> action;
  std::function<bool()> is_offered{};  // whether a button for it is shown; null = always
};

class CommandTable {
 public:
  // Throws InvalidArgument if another command already has the name or a key.
  void Add(Command command);

  // Runs the command with that name or key. False if there is none.
  bool Run(std::string_view name);
  bool Press(std::string_view key);

  const std::vector<Command>& commands() const { return commands_; }
  // The name of the command that ran last (empty before the first), and the number of runs.
  const std::string& last() const { return last_; }
  long num_run() const { return num_run_; }

 private:
  bool RunIt(const Command* command);

  std::vector<Command> commands_;
  std::string last_;
  long num_run_ = 0;
};

}  // namespace parallax::app
