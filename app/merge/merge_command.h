// parallax merge; app/commands.h declares the other commands.
#pragma once

namespace CLI {
class App;
}

namespace parallax::app {

void AddMergeCommand(CLI::App& app);

}  // namespace parallax::app
