// The program's commands. Each Add...Command declares a command's options and its action.
#pragma once

namespace CLI {
class App;
}

namespace parallax::app {

void AddInfoCommand(CLI::App& app);
void AddHelpCommands(CLI::App& app);  // completion, manual
void AddSynthCommand(CLI::App& app);
void AddEvalCommand(CLI::App& app);
void AddCompareCommand(CLI::App& app);
void AddViewCommand(CLI::App& app);
void AddRunCommand(CLI::App& app);
void AddVerifyCommand(CLI::App& app);
void AddCalibrateCommand(CLI::App& app);
void AddRectifyCommand(CLI::App& app);
void AddRigCommand(CLI::App& app);
void AddDoctorCommand(CLI::App& app);
void AddQualityCommand(CLI::App& app);
void AddBenchCommand(CLI::App& app);
void AddBenchCloudCommand(CLI::App& bench);
void AddCloudCommand(CLI::App& app);

}  // namespace parallax::app
