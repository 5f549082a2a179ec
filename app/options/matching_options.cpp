#include "app/options/matching_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <numeric>
#include <utility>

#include "app/options/logging.h"
#include "app/options/shared_options.h"
#include "config/backends.h"
#include "config/devices.h"
#include "config/parameter_text.h"
#include "config/presets.h"
#include "datasets/source.h"
#include "parallax/error.h"

namespace parallax::app {

void AddParameterOptions(CLI::App& command, MatchingOptions& options) {
  const std::string presets(PresetNames());
  command.add_option("--config", options.config, "Parameters: a preset (" + presets + ") or a YAML file")
      ->type_name("FILE|PRESET")
      ->capture_default_str();
  command
      .add_option("--set", options.assignments,
                  "One parameter, after --config: --set aggregation.p1=12; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void AddMachineOptions(CLI::App& command, MatchingOptions& options, Devices devices) {
  AddThreadsOption(command, options.num_threads);
  if (devices == Devices::kOne) {
    AddDeviceOption(command, options.device);
  } else {
    AddDevicesOption(command, options.devices, options.device);
  }
  command
      .add_option("--memory-limit", options.memory_limit_mb,
                  "Working memory of the cpu back end, MB; frames that need more are matched in bands, with "
                  "the same result; 0 = 64 MB + 2.5 bytes for each pixel and disparity")
      ->type_name("MB")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
}

void AddMatchingOptions(CLI::App& command, MatchingOptions& options, Devices devices) {
  AddParameterOptions(command, options);
  command.add_option("--backend", options.backend, "auto, cuda, cpu or reference")->capture_default_str();
  AddMachineOptions(command, options, devices);
  AddLogOptions(command);
}

void MatchingOptions::LogMatching(const std::vector<std::string>& source, const FrameSource& opened,
                                  const ChosenParameters& chosen, std::string_view used_backend) const {
  std::vector<std::string> read = opened.InputFiles();
  read.push_back(config);
  OpenLogFile(std::move(read));
  if (!IsLogging()) return;
  const std::optional<std::size_t> total = opened.num_frames();
  Log(fmt::format(
      "source: {} ({}, {})", fmt::join(source, " "), NameOf(opened.kind()),
      total ? fmt::format("{} frame{}", *total, *total == 1 ? "" : "s") : "as many frames as arrive"));
  std::string keys;
  for (const std::string& key : ParameterKeys()) {
    if (ParameterText(chosen.parameters, key) == ParameterText({}, key)) continue;
    keys += ' ' + key + '=' + ParameterText(chosen.parameters, key);
  }
  Log(fmt::format("parameters: {}{}", config, keys.empty() ? ", the defaults" : "," + keys));
  for (const BackendState& state : Backends()) {
    if (state.name == used_backend) Log(fmt::format("back end: {}, {}", state.name, state.note));
  }
}

std::vector<int> MatchingOptions::DeviceNumbers(std::string_view of_backend) const {
  if (!devices.all) return devices.numbers;
  std::vector<int> numbers(static_cast<std::size_t>(NumDevices(of_backend)));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::unique_ptr<DevicePool> MatchingOptions::PoolOfDevices(std::string_view used_backend,
                                                           std::function<void(const std::string& line)> tell,
                                                           bool of_one_too) const {
  if (used_backend != "cuda") return nullptr;
  const std::vector<int> numbers = DeviceNumbers(used_backend);
  return of_one_too || numbers.size() > 1 ? MakeDevicePool(numbers, std::move(tell)) : nullptr;
}

std::size_t MatchingOptions::MemoryLimitBytes(std::string_view used_backend) const {
  if (memory_limit_mb > 0 && used_backend != "cpu") {
    throw InvalidArgument("--memory-limit applies to the cpu back end, not to " + std::string(used_backend) +
                          ": leave it out, or use --backend cpu");
  }
  return static_cast<std::size_t>(memory_limit_mb) * 1'000'000;
}

}  // namespace parallax::app
