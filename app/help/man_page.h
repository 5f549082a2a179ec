// The program's manual page.
#pragma once

#include <string>
#include <string_view>

#include "app/help/command_tree.h"

namespace parallax::app {

// The page in the format of man(7): every command with its options.
std::string ManPage(const CommandEntry& program, std::string_view version);

}  // namespace parallax::app
