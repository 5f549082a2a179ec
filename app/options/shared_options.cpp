#include "app/options/shared_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <sstream>
#include <system_error>

#include "parallax/error.h"

namespace parallax::app {
namespace {

constexpr int kMaxDevice = 1023;

}  // namespace

void AddKindOption(CLI::App& command, std::string& kind) {
  command.add_option("--kind", kind, "Layout of the folder, if it is not recognised (kitti2012, ...)");
}

void AddMaxFramesOption(CLI::App& command, std::optional<std::size_t>& max_frames) {
  command.add_option("--max-frames", max_frames, "Stop after this many frames")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()))
      ->type_name("N");
}

void AddCheckOption(CLI::App& command, bool& check) {
  command.add_flag("!--no-check", check,
                   "Do not look at the first frames for exchanged images, rows that differ, a "
                   "calibration for another image size or a range that is too small");
}

void AddShowFilledOption(CLI::App& command, bool& show_filled) {
  command.add_flag("--show-filled", show_filled,
                   "Show pixels that were filled, not measured, like the others: not paler in pictures, and "
                   "not left out of clouds");
}

void AddThreadsOption(CLI::App& command, int& num_threads) {
  command.add_option("--threads", num_threads, "Threads of the CPU back ends; 0 = one per core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}

void AddDeviceOption(CLI::App& command, int& device) {
  command.add_option("--device", device, "CUDA device, as `parallax info` numbers them")
      ->check(CLI::Range(0, kMaxDevice))
      ->capture_default_str();
}

DeviceChoice ParseDevices(const std::string& text) {
  if (text == "all") return {.numbers = {}, .all = true};
  const auto fail = [&](const std::string& why) {
    throw InvalidArgument("--device " + text + ": " + why + ": name a device, several as 0,1,2, or all");
  };
  DeviceChoice choice{.numbers = {}};
  std::istringstream parts(text + ',');
  parts.exceptions(std::ios::badbit);  // of refused memory
  for (std::string part; std::getline(parts, part, ',');) {
    int number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc() || end != part.data() + part.size() || number < 0 || number > kMaxDevice)
      fail("'" + part + "' is not a device number (0 .. " + std::to_string(kMaxDevice) + ")");
    if (std::find(choice.numbers.begin(), choice.numbers.end(), number) != choice.numbers.end())
      fail(part + " is named twice");
    choice.numbers.push_back(number);
  }
  return choice;
}

void AddDevicesOption(CLI::App& command, DeviceChoice& devices, int& device) {
  command
      .add_option_function<std::string>(
          "--device",
          [&devices, &device](const std::string& text) {
            devices = ParseDevices(text);
            device = devices.all ? 0 : devices.numbers.front();
          },
          "CUDA device, as `parallax info` numbers them; several (0,1,2) or all of them share the frames")
      ->type_name("N,...|all")
      ->default_str("0");
}

void AddRepeatOption(CLI::App& command, int& repeat) {
  command.add_option("--repeat", repeat, "Runs of each measurement, after one warm-up run")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
}

void AddJsonOption(CLI::App& command, std::string& file, const std::string& content) {
  command.add_option("--json", file, "Write " + content + " as JSON")->type_name("FILE");
}

}  // namespace parallax::app
