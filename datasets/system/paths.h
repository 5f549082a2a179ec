// Names of files and folders: listing, natural order, and what they say.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

// "2.png" before "10.png": runs of digits compare as numbers.
bool NaturalLess(std::string_view a, std::string_view b);

// What a folder holds, in no order, without "." and "..".
struct FolderEntry {
  std::filesystem::path path;
  // As the folder tells it, without a look at what it names; links are followed.
  bool IsFolder() const { return Is(std::filesystem::file_type::directory); }
  bool IsFile() const { return Is(std::filesystem::file_type::regular); }

  bool Is(std::filesystem::file_type wanted) const;
  std::filesystem::file_type told = std::filesystem::file_type::none;  // none: not told
};
// Empty where there is no such folder, or none that may be read. Throws Error where it cannot be read to its end.
// (std::filesystem::directory_iterator ends the program where memory is refused.)
std::vector<FolderEntry> ReadFolder(const std::filesystem::path& folder);

// Sub-folders and image files of a folder in natural order. As ReadFolder.
std::vector<std::filesystem::path> ListFolders(const std::filesystem::path& folder);
std::vector<std::filesystem::path> ListImages(const std::filesystem::path& folder);

// The ending of the name in lower case, with its dot: ".ply" of "A.PLY".
std::string EndingOf(const std::filesystem::path& path);

// By the ending of the name only.
bool IsImageName(const std::filesystem::path& path);
bool IsVideoName(const std::filesystem::path& path);

// The image `stem`.EXT of a folder, whatever its ending; nullopt when there is none.
std::optional<std::filesystem::path> FindImage(const std::filesystem::path& folder, const std::string& stem);

// The own name of a folder, also for "." and "folder/".
std::string NameOfFolder(const std::filesystem::path& folder);

// The digits at the end of a stem as a number: "0000000013" is 13. nullopt without digits.
std::optional<std::size_t> FrameNumber(std::string_view stem);

// The same name with everything that could trouble a file system replaced by '_'.
std::string FileNameSafe(std::string_view name);

// Folders at most `depth` levels below `folder` (which is itself level 0) that pass the test, in natural
// order; nothing is looked for inside a folder that passes.
template <typename Test>
std::vector<std::filesystem::path> FindFolders(const std::filesystem::path& folder, int depth,
                                               const Test& test) {
  if (test(folder)) return {folder};
  std::vector<std::filesystem::path> found;
  if (depth == 0) return found;
  for (const std::filesystem::path& below : ListFolders(folder)) {
    for (std::filesystem::path& hit : FindFolders(below, depth - 1, test)) found.push_back(std::move(hit));
  }
  return found;
}

}  // namespace parallax
