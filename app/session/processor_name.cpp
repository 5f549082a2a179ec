#include "app/session/processor_name.h"

#include <fstream>

namespace parallax::app {

std::string ProcessorName(const std::string& cpuinfo, const std::string& device_tree) {
  std::ifstream file(cpuinfo);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  std::string name;
  std::getline(std::ifstream(device_tree), name, '\0');
  return name.empty() ? "unknown" : name;
}

}  // namespace parallax::app
