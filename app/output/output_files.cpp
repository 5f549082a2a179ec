#include "app/output/output_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>

#include "datasets/system/atomic_file.h"
#include "datasets/system/file_identity.h"
#include "datasets/system/paths.h"
#include "parallax/error.h"

namespace parallax::app {

void CheckFolder(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {
    throw Error(file + ": the folder " + folder.string() + " does not exist: make it first");
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

namespace {

// What IsSameFile compares; looked up only once, because a command may read millions of files.
struct Identity {
  explicit Identity(const std::string& file) : name(std::filesystem::path(file).filename().string()) {
    struct stat status {};
    exists = stat(file.c_str(), &status) == 0;
    is_file = exists && !S_ISCHR(status.st_mode) && !S_ISFIFO(status.st_mode);
    device = status.st_dev;
    number = status.st_ino;
  }
  std::string name;  // without folders
  bool exists = false, is_file = false;
  dev_t device = 0;
  ino_t number = 0;
};

}  // namespace

void CheckFilesApart(const std::vector<std::string>& read, const std::vector<std::string>& written) {
  std::vector<Identity> places;
  for (const std::string& file : written) places.emplace_back(file);
  const bool any_exists =
      std::any_of(places.begin(), places.end(), [](const Identity& place) { return place.exists; });
  for (const std::string& other : read) {
    if (other.empty()) continue;
    const std::optional<Identity> input = any_exists ? std::optional<Identity>(other) : std::nullopt;
    for (std::size_t i = 0; i < written.size(); ++i) {
      const std::string& file = written[i];
      if (file.empty()) continue;
      // Files that do not exist yet can only be compared by name.
      const Identity& place = places[i];
      const bool is_same = place.exists ? place.is_file && input->is_file && place.device == input->device &&
                                              place.number == input->number
                                        : other.ends_with(place.name) && IsSameFile(file, other);
      if (!is_same) continue;
      throw InvalidArgument(file + ": is read" + (file == other ? "" : " as " + other) +
                            " and would be overwritten: name another file for the result");
    }
  }
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (written[i].empty() || written[j].empty() || !IsSameFile(written[i], written[j])) continue;
      throw InvalidArgument(written[i] + ": two results would be written there" +
                            (written[i] == written[j] ? "" : ", one as " + written[j]) + ": name two files");
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
      throw InvalidArgument(file +
                            ": is an input, and results would be written next to it or over it, "
                            "into " +
                            into.string() + ": name another --output");
    }
  }
}

void WriteTextFile(const std::filesystem::path& file, std::string_view text) {
  WriteFileAtomically(file, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

}  // namespace parallax::app
