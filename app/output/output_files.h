// Checks of output files before the work starts, and writing of text files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::app {

// Throws Error if the folder of `file` does not exist. Called before long work. An empty name is ignored.
void CheckFolder(const std::string& file);

// Throws the same, and InvalidArgument if the name does not have the content's ending: content "pictures",
// ending ".png".
void CheckOutputName(const std::string& file, std::string_view content, std::string_view ending);

// Called before anything is written. Throws InvalidArgument if two of a command's output files, or an
// output and an input file, are the same file, even under different names. Empty names are ignored.
void CheckFilesApart(const std::vector<std::string>& read, const std::vector<std::string>& written);

// Does the same for folders in which a command chooses the names: throws if an input file lies there.
void CheckFoldersApart(const std::vector<std::string>& read,
                       const std::vector<std::filesystem::path>& written_into);

// Replaces the file when everything is written. Throws Error if that fails.
void WriteTextFile(const std::filesystem::path& file, std::string_view text);

}  // namespace parallax::app
