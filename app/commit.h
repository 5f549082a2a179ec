// The commit that the program was built from.
#pragma once

#include <string_view>

namespace parallax::app {

// "88dc6bb0a1f2", with "-dirty" behind it where the sources were changed since; empty where git does not
// tell. Of the program alone: cmake/ParallaxCommit.cmake makes it at every build.
std::string_view CommitOfSources();

}  // namespace parallax::app
