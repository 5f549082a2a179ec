// How many devices a back end has.
#pragma once

#include <string_view>

namespace parallax {

// What MatcherOptions::device may number on that back end ("auto": what it means here): at least 1.
int NumDevices(std::string_view backend);

}  // namespace parallax
