#include "app/output/output_files.h"

#include <set>
#include <system_error>

#include "datasets/atomic_file.h"
#include "datasets/file_identity.h"
#include "datasets/paths.h"
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
  if (EndingOf(file) != ending) {
    throw InvalidArgument(file + ": " + std::string(content) + " are written as " + std::string(ending) +
                          " files");
  }
  CheckFolder(file);
}

void CheckFilesApart(const std::vector<std::string>& read, const std::vector<std::string>& written) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    const std::string& file = written[i];
    if (file.empty()) continue;
    for (const std::string& other : read) {
      if (other.empty() || !IsSameFile(file, other)) continue;
      throw InvalidArgument(file + ": is read" + (file == other ? "" : " as " + other) +
                            " and would be written over: name another file for the result");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (written[j].empty() || !IsSameFile(file, written[j])) continue;
      throw InvalidArgument(file + ": two results would be written there" +
                            (file == written[j] ? "" : ", one as " + written[j]) + ": name two files");
    }
  }
}

void CheckFoldersApart(const std::vector<std::string>& read,
                       const std::vector<std::filesystem::path>& written_into) {
  std::set<std::filesystem::path> folders_read;  // once each: thousands of frames lie in a few
  for (const std::string& file : read) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    if (!folders_read.insert(folder).second) continue;
    for (const std::filesystem::path& into : written_into) {
      std::error_code error;
      if (!std::filesystem::is_directory(into, error) || !IsSameFile(into, folder.empty() ? "." : folder))
        continue;
      throw InvalidArgument(file + ": is read, and results would be written beside or over it, into " +
                            into.string() + ": name another --output");
    }
  }
}

void WriteTextFile(const std::filesystem::path& file, std::string_view text) {
  WriteFileAtomically(file, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

}  // namespace parallax::app
