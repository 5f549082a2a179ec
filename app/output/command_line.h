// The command as it was given, for what tells how a result was made.
#pragma once

#include <string>

namespace parallax::app {

// Called once, by main.
void SetCommandLine(int argc, char** argv);

// The program's arguments after "parallax", quoted as a shell reads them; empty where main did not say.
const std::string& CommandLine();

}  // namespace parallax::app
