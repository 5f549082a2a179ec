// The processor's own name.
#pragma once

#include <string>

namespace parallax::app {

// "unknown" where neither file says. ARM's boards have their name in the device tree, some in cpuinfo as well.
std::string ProcessorName(const std::string& cpuinfo = "/proc/cpuinfo",
                          const std::string& device_tree = "/proc/device-tree/model");

}  // namespace parallax::app
