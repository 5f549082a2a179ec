// The commands of `parallax cloud`. Each function declares a command's options and its action.
#pragma once

namespace CLI {
class App;
}

namespace parallax::app {

void AddCloudDensityCommand(CLI::App& cloud);
void AddCloudCleanCommand(CLI::App& cloud);
void AddCloudCompareCommand(CLI::App& cloud);
void AddCloudEmdCommand(CLI::App& cloud);
void AddCloudDistancesCommand(CLI::App& cloud);
void AddCloudGeodesicCommand(CLI::App& cloud);

}  // namespace parallax::app
