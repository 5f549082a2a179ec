// Completion of the command line in bash, made from the commands themselves.
#pragma once

#include <string>

#include "app/help/command_tree.h"

namespace parallax::app {

// A script to be sourced by bash, or put where it looks for such scripts.
std::string CompletionScript(const CommandEntry& program);

}  // namespace parallax::app
