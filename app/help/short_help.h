// --help of a command with many options shows those that most users need; --help-all shows all.
#pragma once

namespace CLI {
class App;
}

namespace parallax::app {

// Called after all commands are declared.
void ShortenHelp(CLI::App& app);

}  // namespace parallax::app
