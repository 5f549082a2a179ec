// The command line, for outputs that state how a result was made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parallax::app {

// The argument with quotes where a shell needs them.
std::string Quoted(std::string_view argument);

// Called once, by main.
void SetCommandLine(int argc, char** argv);

// The program's arguments after "parallax"; empty if main did not set them.
const std::vector<std::string>& CommandArguments();

// "parallax" and those arguments, quoted for a shell; empty if main did not set them.
std::string CommandLine();

}  // namespace parallax::app
