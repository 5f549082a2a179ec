#include "app/matching_options.h"

#include <CLI/CLI.hpp>

#include "config/presets.h"

namespace parallax::app {

void AddMatchingOptions(CLI::App& command, MatchingOptions& options) {
  const std::string presets(PresetNames());
  command.add_option("--config", options.config, "Parameters: a preset (" + presets + ") or a YAML file")
      ->type_name("FILE|PRESET")
      ->capture_default_str();
  command
      .add_option("--set", options.assignments,
                  "One parameter, after --config: --set aggregation.p1=12; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--backend", options.backend, "auto, cuda, cpu or reference")->capture_default_str();
  command.add_option("--threads", options.num_threads, "Threads of the CPU back ends; 0 = one per core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command.add_option("--device", options.device, "CUDA device, as `parallax info` numbers them")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

}  // namespace parallax::app
