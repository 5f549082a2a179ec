// The command line, for outputs that state how a result was made.
#pragma once

#include <string>
#include <string_view>

namespace parallax::app {

// The argument with quotes where a shell needs them.
std::string Quoted(std::string_view argument);

// Called once, by main.
void SetCommandLine(int argc, char** argv);

// The program's arguments after "parallax", quoted for a shell; empty where main did not set them.
const std::string& CommandLine();

}  // namespace parallax::app
