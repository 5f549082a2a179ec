#include "app/output/command_line.h"

#include <algorithm>

namespace parallax::app {
namespace {

std::vector<std::string>& Stored() {
  static std::vector<std::string> arguments;
  return arguments;
}

}  // namespace

std::string Quoted(std::string_view argument) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+@%";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(argument);
  }
  std::string quoted = "'";
  for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void SetCommandLine(int argc, char** argv) { Stored().assign(argv + std::min(argc, 1), argv + argc); }

const std::vector<std::string>& CommandArguments() { return Stored(); }

std::string CommandLine() {
  if (Stored().empty()) return "";
  std::string text = "parallax";
  for (const std::string& argument : Stored()) text += ' ' + Quoted(argument);
  return text;
}

}  // namespace parallax::app
