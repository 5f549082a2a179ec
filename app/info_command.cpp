#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/commands.h"

namespace parallax::app {

void AddInfoCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("info", "Back ends, devices, instruction sets, versions");
  command->callback([] { std::printf("parallax\n"); });
}

}  // namespace parallax::app
