#include "app/output/output_files.h"

#include "datasets/atomic_file.h"
#include "pipeline/error.h"

namespace parallax::app {

void CheckFolder(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {
    throw Error(file + ": the folder " + folder.string() + " is not there: make it first");
  }
}

void CheckOutputName(const std::string& file, std::string_view content, std::string_view ending) {
  if (file.empty()) return;
  if (!file.ends_with(ending)) {
    throw InvalidArgument(file + ": " + std::string(content) + " are written as " + std::string(ending) +
                          " files");
  }
  CheckFolder(file);
}

void WriteTextFile(const std::filesystem::path& file, std::string_view text) {
  WriteFileAtomically(file, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

}  // namespace parallax::app
