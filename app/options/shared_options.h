// Options that several commands have, each declared once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace parallax::app {

// Devices of the CUDA back end, as `parallax info` numbers them.
struct DeviceChoice {
  std::vector<int> numbers = {0};
  bool all = false;  // all devices
};
// "2", "0,1,3" or "all". Throws InvalidArgument.
DeviceChoice ParseDevices(const std::string& text);

// Each of these functions declares one option. The variables must outlive the parsing.
void AddKindOption(CLI::App& command, std::string& kind);
void AddMaxFramesOption(CLI::App& command, std::optional<std::size_t>& max_frames);
// Declares --no-check, which sets check to false.
void AddCheckOption(CLI::App& command, bool& check);
// Declares --show-filled.
void AddShowFilledOption(CLI::App& command, bool& show_filled);
void AddThreadsOption(CLI::App& command, int& num_threads);
void AddDeviceOption(CLI::App& command, int& device);
// Declares --device for a command in which several devices may share the frames. device: the first of them.
void AddDevicesOption(CLI::App& command, DeviceChoice& devices, int& device);
// Declares --repeat, for benchmarks.
void AddRepeatOption(CLI::App& command, int& repeat);
// Declares --json. content: what the file holds, as in "every figure".
void AddJsonOption(CLI::App& command, std::string& file, const std::string& content);

}  // namespace parallax::app
