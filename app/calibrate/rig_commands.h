// The commands of `parallax rig`.
#pragma once

namespace CLI {
class App;
}

namespace parallax::app {

void AddRigShowCommand(CLI::App& rig);
void AddRigConvertCommand(CLI::App& rig);
void AddRigCheckCommand(CLI::App& rig);
void AddRigRefineCommand(CLI::App& rig);

}  // namespace parallax::app
