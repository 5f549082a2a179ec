// Names of files and folders: listing, natural order, and the information in them.
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

// The content of a folder, in no order, without "." and "..".
struct FolderEntry {
  std::filesystem::path path;
  // The type in the folder's entry, without opening the file; links are followed.
  bool IsFolder() const { return Is(std::filesystem::file_type::directory); }
  bool IsFile() const { return Is(std::filesystem::file_type::regular); }

  bool Is(std::filesystem::file_type wanted) const;
  // none: unknown
  std::filesystem::file_type told = std::filesystem::file_type::none;
};
// Empty if there is no such folder, or access is denied. Throws Error if it cannot be read to its end.
// (std::filesystem::directory_iterator ends the program if memory is refused.)
std::vector<FolderEntry> ReadFolder(const std::filesystem::path& folder);

// Sub-folders and image files of a folder in natural order. Throws what ReadFolder throws.
std::vector<std::filesystem::path> ListFolders(const std::filesystem::path& folder);
std::vector<std::filesystem::path> ListImages(const std::filesystem::path& folder);

// The extension of the name in lower case, with its dot: ".ply" of "A.PLY".
std::string EndingOf(const std::filesystem::path& path);

// These look at the extension only.
bool IsImageName(const std::filesystem::path& path);
bool IsVideoName(const std::filesystem::path& path);

// The image `stem`.EXT of a folder, with any extension; nullopt if there is none.
std::optional<std::filesystem::path> FindImage(const std::filesystem::path& folder, const std::string& stem);

// The last component of a folder's path, also for "." and "folder/".
std::string NameOfFolder(const std::filesystem::path& folder);

// The digits at the end of a stem as a number: "0000000013" is 13. nullopt without digits.
std::optional<std::size_t> FrameNumber(std::string_view stem);

// The same name, with '_' for every character that could be a problem for a file system.
std::string FileNameSafe(std::string_view name);

// Folders at most `depth` levels below `folder` (level 0) that pass the test, in natural order; does not look
// inside a folder that passes.
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
