// Files that commands write: what can be checked before the work, and texts.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::app {

// Throws Error where a file could not be made in the folder of `file` (empty: none asked for); called before
// long work.
void CheckFolder(const std::string& file);

// The same, and InvalidArgument where the name does not end as what is written: content "pictures", ending
// ".png".
void CheckOutputName(const std::string& file, std::string_view content, std::string_view ending);

// Before anything is written: throws InvalidArgument where two of the files that a command writes are one and
// the same, or where one is a file that it reads, by whatever names. Empty names stand for nothing.
void CheckFilesApart(const std::vector<std::string>& read, const std::vector<std::string>& written);

// The same for folders in which a command chooses the names: throws where a file that it reads lies there.
void CheckFoldersApart(const std::vector<std::string>& read,
                       const std::vector<std::filesystem::path>& written_into);

// Replaces the file when all is written. Throws Error on a file that cannot be written.
void WriteTextFile(const std::filesystem::path& file, std::string_view text);

}  // namespace parallax::app
