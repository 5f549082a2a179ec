// The command line, for outputs that state how a result was made.
#pragma once

#include <string>

namespace parallax::app {

// Called once, by main.
void SetCommandLine(int argc, char** argv);

// The program's arguments after "parallax", quoted for a shell; empty where main did not set them.
const std::string& CommandLine();

}  // namespace parallax::app
