// parallax completion, parallax manual: what a shell and man(1) need to know of the program, made from its
// own commands.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/build_info.h"
#include "app/commands.h"
#include "app/help/command_tree.h"
#include "app/help/completion.h"
#include "app/help/man_page.h"

namespace parallax::app {

void AddHelpCommands(CLI::App& app) {
  CLI::App* completion =
      app.add_subcommand("completion", "Print the command-line completion script for bash");
  completion->callback([&app] { std::fputs(CompletionScript(DescribeCommands(app)).c_str(), stdout); });
  completion->footer("example: source <(parallax completion)");

  CLI::App* manual = app.add_subcommand("manual", "Print the manual page, for man(1)");
  manual->callback(
      [&app] { std::fputs(ManPage(DescribeCommands(app), ThisBuild().version).c_str(), stdout); });
  manual->footer("example: parallax manual | man -l -");
}

}  // namespace parallax::app
