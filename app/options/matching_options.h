// Options of every command that matches: --config, --set, --backend, --threads, --device,
// --memory-limit, --verbose, --log-file.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/shared_options.h"
#include "config/parameters_yaml.h"
#include "pipeline/matchers/device_pool.h"

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
  int num_threads = 0;  // 0 = all cores
  int device = 0;       // of the CUDA back end; the first one where several share the frames
  // All chosen devices, for a command that several devices may share.
  DeviceChoice devices{};
  int memory_limit_mb = 0;  // working memory of the cpu back end; 0 = its default

  // The parameters they name. Throws what LoadChosenParameters throws.
  ChosenParameters Load(AutoRange auto_range = AutoRange::kRefused) const {
    return LoadChosenParameters(config, assignments, auto_range);
  }

  // The chosen devices of a back end ("auto", ...).
  std::vector<int> DeviceNumbers(std::string_view of_backend) const;
  // Makes the pool of devices that share the frames; null for another back end than cuda, or for one device
  // unless of_one_too. tell: called with a line for each device that is left out. Throws Error if a device
  // does not exist.
  std::unique_ptr<DevicePool> PoolOfDevices(std::string_view used_backend,
                                            std::function<void(const std::string& line)> tell,
                                            bool of_one_too = false) const;

  // memory_limit_mb in bytes. Throws InvalidArgument for a limit with another back end than cpu.
  std::size_t MemoryLimitBytes(std::string_view used_backend) const;

  // Logs which source is matched, with which parameters, by which back end.
  void LogMatching(const std::vector<std::string>& source, const FrameSource& opened,
                   const ChosenParameters& chosen, std::string_view used_backend) const;
};

// Whether a command takes several devices.
enum class Devices { kOne, kSeveral };

// Declare --config and --set; --threads, --device and --memory-limit; and all of these with --backend and the
// log's options. The first two serve commands that match with several back ends. options must outlive the
// parsing.
void AddParameterOptions(CLI::App& command, MatchingOptions& options);
void AddMachineOptions(CLI::App& command, MatchingOptions& options, Devices devices = Devices::kOne);
void AddMatchingOptions(CLI::App& command, MatchingOptions& options, Devices devices = Devices::kOne);

}  // namespace parallax::app
