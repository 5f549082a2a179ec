// Options of every command that matches: --config, --set, --backend, --threads, --device,
// --memory-limit, --verbose, --log-file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/parameters_yaml.h"

namespace CLI {
class App;
}

namespace parallax {
class FrameSource;
}

namespace parallax::app {

struct MatchingOptions {
  std::string config = "default";        // a preset or a file
  std::vector<std::string> assignments;  // "key=value"
  std::string backend = "auto";
  int num_threads = 0;      // 0 = all cores
  int device = 0;           // of the CUDA back end
  int memory_limit_mb = 0;  // working memory of the cpu back end; 0 = what it takes by itself

  // The parameters they name. Throws as LoadChosenParameters.
  ChosenParameters Load() const { return LoadChosenParameters(config, assignments); }

  // Bytes of memory_limit_mb. Throws InvalidArgument when there is a limit and another back end than cpu.
  std::size_t MemoryLimitBytes(std::string_view used_backend) const;

  // Logs which source is matched, with which parameters, by which back end.
  void LogWhatIsMatched(const std::vector<std::string>& source, const FrameSource& opened,
                        const ChosenParameters& chosen, std::string_view used_backend) const;
};

// Declares the options. options must outlive the parsing. For a command that matches with several back ends:
// --config and --set alone, and --threads, --device and --memory-limit alone.
void AddParameterOptions(CLI::App& command, MatchingOptions& options);
void AddMachineOptions(CLI::App& command, MatchingOptions& options);
void AddMatchingOptions(CLI::App& command, MatchingOptions& options);

}  // namespace parallax::app
