// Names for files that the window saves; they never name existing files.
#pragma once

#include <filesystem>
#include <string>

namespace parallax::app {

// "FOLDER/STEM.yaml", or "FOLDER/STEM-2.yaml" and so on: the first that does not exist. ending: with its dot;
// empty for a folder.
std::filesystem::path NewName(const std::filesystem::path& folder, const std::string& stem,
                              const std::string& ending);

}  // namespace parallax::app
