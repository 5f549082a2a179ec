#include "app/help/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

#include "parallax/error.h"

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

// --- bash ------------------------------------------------------------------------

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

std::string BashScript(const CommandEntry& program) {
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

// --- zsh -------------------------------------------------------------------------

std::string ZshFunction(const CommandEntry& command) {
  return command.path.empty() ? "_parallax" : "_parallax_" + Replaced(command.path, " ", "_");
}

// In a description in brackets, and before a colon.
std::string ZshText(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string ZshAction(const OptionEntry& option) {
  const std::string choices = Words(option.choices);
  if (AreAssignments(option)) return "{compadd -S \"\" -- " + choices + "}";
  if (option.takes_list && !choices.empty())
    return "_values -s , " + ZshText(option.value_name) + " " + choices;
  if (option.kind == ValueKind::kFolder) return "_files -/";
  if (option.kind != ValueKind::kFile) return choices.empty() ? " " : "(" + choices + ")";
  return choices.empty() ? "_files" : "{compadd -- " + choices + "; _files}";
}

std::string ZshCommand(const CommandEntry& command) {
  std::string body = ZshFunction(command) + "() {\n";
  if (!command.commands.empty()) {
    std::string cases, descriptions;
    for (const CommandEntry& child : command.commands) {
      cases += fmt::format("    {}) shift words; (( CURRENT-- )); {}; return ;;\n", child.name,
                           ZshFunction(child));
      descriptions += " " + ShellQuoted(child.name + ":" + ZshText(child.description));
    }
    body += "  (( CURRENT > 2 )) && case $words[2] in\n" + cases + "  esac\n";
    body +=
        "  local -a commands=(" + descriptions + ")\n  (( CURRENT == 2 )) && _describe command commands\n";
  }
  body += "  _arguments";
  for (const OptionEntry& option : command.options) {
    for (const std::string& name : option.names) {
      std::string spec = "*" + name + "[" + ZshText(option.description) + "]";
      if (option.kind != ValueKind::kNone) spec += ":" + ZshText(option.value_name) + ":" + ZshAction(option);
      body += " \\\n    " + ShellQuoted(spec);
    }
  }
  if (!command.positionals.empty()) {
    const OptionEntry& first = command.positionals.front();
    body += " \\\n    " + ShellQuoted("*:" + ZshText(first.title) + ":" +
                                      (first.choices.empty() ? "_files" : "(" + Words(first.choices) + ")"));
  }
  return body + "\n}\n";
}

std::string ZshScript(const CommandEntry& program) {
  std::string script =
      "#compdef parallax\n# Completion of parallax in zsh, made by `parallax completion zsh`.\n";
  ForEachCommand(program, [&](const CommandEntry& command) { script += ZshCommand(command); });
  return script + "compdef _parallax parallax\n";
}

// --- fish ------------------------------------------------------------------------

std::string FishArgument(const OptionEntry& option) {
  if (option.kind == ValueKind::kFolder) return " -x -a '(__fish_complete_directories)'";
  const std::string choices = option.choices.empty() ? "" : " -a " + ShellQuoted(Words(option.choices));
  return (option.kind == ValueKind::kFile ? " -r -F" : " -x") + choices;
}

std::string FishScript(const CommandEntry& program) {
  std::string script =
      fmt::format(R"fish(# Completion of parallax in fish, made by `parallax completion fish`.
function __parallax_path
  set -l path
  for word in (commandline -opc)[2..-1]
    if contains -- (string join -- ' ' $path $word) {}
      set path $path $word
    end
  end
  string join -- ' ' $path
end
function __parallax_is
  set -l path (__parallax_path)
  test "$path" = "$argv"
end
complete -c parallax -f
)fish",
                  fmt::join(QuotedPaths(program), " "));
  ForEachCommand(program, [&](const CommandEntry& command) {
    const std::string when = "complete -c parallax -n " + ShellQuoted("__parallax_is " + command.path);
    for (const CommandEntry& child : command.commands)
      script += when + " -a " + child.name + " -d " + ShellQuoted(child.description) + "\n";
    for (const OptionEntry& positional : command.positionals)
      script += when +
                (positional.choices.empty() ? " -F" : " -a " + ShellQuoted(Words(positional.choices))) + "\n";
    for (const OptionEntry& option : command.options) {
      script += when;
      for (const std::string& name : option.names)
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.kind != ValueKind::kNone) script += FishArgument(option);
      script += " -d " + ShellQuoted(Replaced(option.description, "\n", " ")) + "\n";
    }
  });
  return script;
}

}  // namespace

std::string CompletionScript(std::string_view shell, const CommandEntry& program) {
  if (shell == "bash") return BashScript(program);
  if (shell == "zsh") return ZshScript(program);
  if (shell == "fish") return FishScript(program);
  throw InvalidArgument("no completion for the shell '" + std::string(shell) +
                        "': there is one for bash, zsh and fish");
}

}  // namespace parallax::app
