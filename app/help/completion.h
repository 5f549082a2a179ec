// Completion of the command line in shells, made from the commands themselves.
#pragma once

#include <string>
#include <string_view>

#include "app/help/command_tree.h"

namespace parallax::app {

// A script for the shell "bash", "zsh" or "fish", to be sourced by it or put where it looks for such scripts.
// Throws InvalidArgument for another one.
std::string CompletionScript(std::string_view shell, const CommandEntry& program);

}  // namespace parallax::app
