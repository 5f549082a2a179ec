// Options that several commands have, each declared once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace parallax::app {

// The variables must outlive the parsing.
void AddKindOption(CLI::App& command, std::string& kind);
void AddMaxFramesOption(CLI::App& command, std::optional<std::size_t>& max_frames);
void AddThreadsOption(CLI::App& command, int& num_threads);
void AddDeviceOption(CLI::App& command, int& device);
// Of benchmarks.
void AddRepeatOption(CLI::App& command, int& repeat);
// content: what is written there, as "every figure".
void AddJsonOption(CLI::App& command, std::string& file, const std::string& content);

}  // namespace parallax::app
