// Names for what the window saves: never those of files that are there.
#pragma once

#include <filesystem>
#include <string>

namespace parallax::app {

// "FOLDER/STEM.yaml", or "FOLDER/STEM-2.yaml" and so on: the first that is not there. ending: with its dot;
// empty for a folder.
std::filesystem::path NewName(const std::filesystem::path& folder, const std::string& stem,
                              const std::string& ending);

}  // namespace parallax::app
