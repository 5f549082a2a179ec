// The commands of `parallax cloud`. Each declares its options and what runs when it is chosen.
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
