// The processor's name as the system reports it, for `info` and reports of measurements.
#pragma once

#include <string>

namespace parallax::app {

// The "model name" of cpuinfo; without one, as on ARM, the name of the board in the device tree, else "unknown".
std::string ProcessorName(const std::string& cpuinfo = "/proc/cpuinfo",
                          const std::string& device_tree = "/proc/device-tree/model");

}  // namespace parallax::app
