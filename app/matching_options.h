// Options of every command that matches: --config, --set, --backend, --threads, --device.
#pragma once

#include <string>
#include <vector>

#include "config/parameters_yaml.h"

namespace CLI {
class App;
}

namespace parallax::app {

struct MatchingOptions {
  std::string config = "default";        // a preset or a file
  std::vector<std::string> assignments;  // "key=value"
  std::string backend = "auto";
  int num_threads = 0;  // 0 = all cores
  int device = 0;       // of the CUDA back end

  // The parameters they name. Throws as LoadChosenParameters.
  ChosenParameters Load() const { return LoadChosenParameters(config, assignments); }
};

// Declares the options. options must outlive the parsing.
void AddMatchingOptions(CLI::App& command, MatchingOptions& options);

}  // namespace parallax::app
