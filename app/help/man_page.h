// The program's manual page.
#pragma once

#include <string>
#include <string_view>

#include "app/help/command_tree.h"

namespace parallax::app {

// In the language of man(7): every command with its options.
std::string ManPage(const CommandEntry& program, std::string_view version);

}  // namespace parallax::app
