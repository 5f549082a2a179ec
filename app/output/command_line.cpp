#include "app/output/command_line.h"

namespace parallax::app {
namespace {

std::string& Stored() {
  static std::string text;
  return text;
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

void SetCommandLine(int argc, char** argv) {
  std::string text = "parallax";
  for (int i = 1; i < argc; ++i) text += ' ' + Quoted(argv[i]);
  Stored() = text;
}

const std::string& CommandLine() { return Stored(); }

}  // namespace parallax::app
