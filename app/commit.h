// The commit that the program was built from.
#pragma once

#include <string_view>

namespace parallax::app {

// "88dc6bb0a1f2", with "-dirty" after it where the sources have changes; empty without git. Only the program
// has it: cmake/ParallaxCommit.cmake updates it at every build.
std::string_view CommitOfSources();

}  // namespace parallax::app
