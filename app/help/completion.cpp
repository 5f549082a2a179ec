#include "app/help/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

namespace parallax::app {
namespace {

std::string Replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

// Within single quotes of a shell.
std::string ShellQuoted(const std::string& text) { return "'" + Replaced(text, "'", "'\\''") + "'"; }

std::string Words(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

bool AreAssignments(const OptionEntry& option) {
  return !option.choices.empty() && option.choices.front().ends_with('=');
}

void ForEachCommand(const CommandEntry& command, const std::function<void(const CommandEntry&)>& visit) {
  visit(command);
  for (const CommandEntry& child : command.commands) ForEachCommand(child, visit);
}

// The paths of all commands but the program, quoted: 'run' 'cloud' 'cloud emd'.
std::vector<std::string> QuotedPaths(const CommandEntry& program) {
  std::vector<std::string> paths;
  ForEachCommand(program, [&](const CommandEntry& command) {
    if (!command.path.empty()) paths.push_back(ShellQuoted(command.path));
  });
  return paths;
}

std::vector<std::string> ChildNames(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const CommandEntry& child : command.commands) names.push_back(child.name);
  return names;
}

constexpr const char* kBashBegin = R"(# Completion of parallax in bash, made by `parallax completion bash`.
_parallax() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" path="" words="" kind="" i
  # bash takes --name=VALUE for three words.
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" ]]; then
    previous="${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "${path:+$path }${COMP_WORDS[i]}" in
)";

constexpr const char* kBashEnd = R"(  if [[ $kind == list ]]; then
    local before=""
    [[ $current == *,* ]] && before="${current%,*},"
    compopt -o nospace 2>/dev/null
    COMPREPLY=($(compgen -P "$before" -W "$words" -- "${current##*,}"))
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "$kind" in
    assignment) compopt -o nospace 2>/dev/null ;;
    file) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$current")) ;;
    folder) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -d -- "$current")) ;;
  esac
}
complete -F _parallax parallax
)";

std::string BashKind(const OptionEntry& option) {
  if (AreAssignments(option)) return "assignment";
  if (option.takes_list && !option.choices.empty()) return "list";
  if (option.kind == ValueKind::kFile) return "file";
  return option.kind == ValueKind::kFolder ? "folder" : "value";
}

}  // namespace

std::string CompletionScript(const CommandEntry& program) {
  std::string script = kBashBegin;
  script += fmt::format("      {}) path=\"${{path:+$path }}${{COMP_WORDS[i]}}\" ;;\n    esac\n  done\n",
                        fmt::join(QuotedPaths(program), " | "));
  script += "  case \"$path:$previous\" in\n";
  ForEachCommand(program, [&](const CommandEntry& command) {
    for (const OptionEntry& option : command.options) {
      if (option.kind == ValueKind::kNone) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) patterns.push_back(ShellQuoted(command.path + ':' + name));
      script += fmt::format("    {}) kind={}; words={} ;;\n", fmt::join(patterns, " | "), BashKind(option),
                            ShellQuoted(Words(option.choices)));
    }
  });
  script += "  esac\n  if [[ -z $kind ]]; then\n    case \"$path\" in\n";
  ForEachCommand(program, [&](const CommandEntry& command) {
    std::vector<std::string> names;
    for (const OptionEntry& option : command.options)
      names.insert(names.end(), option.names.begin(), option.names.end());
    std::vector<std::string> places = ChildNames(command);
    bool is_file = false;
    for (const OptionEntry& positional : command.positionals) {
      places.insert(places.end(), positional.choices.begin(), positional.choices.end());
      is_file = is_file || positional.choices.empty();
    }
    script += fmt::format(
        "      {})\n        if [[ $current == -* ]]; then words={}; else words={}; kind={}; fi ;;\n",
        ShellQuoted(command.path), ShellQuoted(Words(names)), ShellQuoted(Words(places)),
        is_file ? "file" : "value");
  });
  return script + "    esac\n  fi\n" + kBashEnd;
}

}  // namespace parallax::app
