#include "app/help/man_page.h"

#include <fmt/format.h>

namespace parallax::app {
namespace {

// No character of the text is a command of roff, and hyphens can be copied to a shell.
std::string ForRoff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    const bool begins_line = escaped.empty() || escaped.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Entry(const OptionEntry& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += (names.empty() ? "\\fB" : ", \\fB") + ForRoff(name) + "\\fR";
  if (option.names.empty()) names = "\\fI" + ForRoff(option.title) + "\\fR";
  if (!option.names.empty() && option.kind != ValueKind::kNone)
    names += " \\fI" + ForRoff(option.value_name) + "\\fR";
  return ".TP\n" + names + "\n" + ForRoff(option.description) + "\n";
}

std::string Synopsis(const CommandEntry& command) {
  std::string line = "\\fBparallax " + ForRoff(command.path) + "\\fR [\\fIoptions\\fR]";
  if (!command.commands.empty()) line += " \\fIcommand\\fR";
  for (const OptionEntry& positional : command.positionals)
    line += " \\fI" + ForRoff(positional.title) + "\\fR";
  return line;
}

void AppendCommand(const CommandEntry& command, std::string& page) {
  page += ".SS \"parallax " + command.path + "\"\n" + Synopsis(command) + "\n.PP\n" +
          ForRoff(command.description) + ".\n";
  for (const OptionEntry& positional : command.positionals) page += Entry(positional);
  for (const OptionEntry& option : command.options) page += Entry(option);
  if (!command.footer.empty()) page += ".PP\n.nf\n" + ForRoff(command.footer) + "\n.fi\n";
  for (const CommandEntry& child : command.commands) AppendCommand(child, page);
}

}  // namespace

std::string ManPage(const CommandEntry& program, std::string_view version) {
  std::string page = fmt::format(
      ".TH PARALLAX 1 \"\" \"parallax {}\" \"User Commands\"\n.SH NAME\n{}\n.SH SYNOPSIS\n{}\n.SH COMMANDS\n",
      version, "parallax \\- stereo pairs to depth and point clouds, on a CPU or a GPU, with a score",
      "\\fBparallax\\fR \\fIcommand\\fR [\\fIoptions\\fR]");
  for (const CommandEntry& command : program.commands) AppendCommand(command, page);
  page += ".SH OPTIONS\n";
  for (const OptionEntry& option : program.options) page += Entry(option);
  return page +
         ".SH EXIT STATUS\n0: everything succeeded. 1: something failed; one line on standard error "
         "says what.\n2: wrong usage or parameters.\n.SH SEE ALSO\nThe pages in the folder docs of the "
         "program's documentation; \\fBparallax info \\-\\-parameters\\fR for every parameter.\n";
}

}  // namespace parallax::app
