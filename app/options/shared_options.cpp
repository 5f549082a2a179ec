#include "app/options/shared_options.h"

#include <CLI/CLI.hpp>
#include <limits>

namespace parallax::app {

void AddKindOption(CLI::App& command, std::string& kind) {
  command.add_option("--kind", kind, "Layout of the folder, where it is not recognised (kitti2012, ...)");
}

void AddMaxFramesOption(CLI::App& command, std::optional<std::size_t>& max_frames) {
  command.add_option("--max-frames", max_frames, "Stop after this many frames")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()))
      ->type_name("N");
}

void AddThreadsOption(CLI::App& command, int& num_threads) {
  command.add_option("--threads", num_threads, "Threads of the CPU back ends; 0 = one per core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}

void AddDeviceOption(CLI::App& command, int& device) {
  command.add_option("--device", device, "CUDA device, as `parallax info` numbers them")
      ->check(CLI::Range(0, 1023))
      ->capture_default_str();
}

void AddRepeatOption(CLI::App& command, int& repeat) {
  command.add_option("--repeat", repeat, "Runs of each, after one that does not count")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
}

void AddJsonOption(CLI::App& command, std::string& file, const std::string& content) {
  command.add_option("--json", file, "Write " + content + " as JSON")->type_name("FILE");
}

}  // namespace parallax::app
