#include "app/view/controls/new_file.h"

#include <system_error>

namespace parallax::app {

std::filesystem::path NewName(const std::filesystem::path& folder, const std::string& stem,
                              const std::string& ending) {
  for (int i = 1;; ++i) {
    const std::filesystem::path path = folder / (stem + (i == 1 ? "" : "-" + std::to_string(i)) + ending);
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return path;
  }
}

}  // namespace parallax::app
