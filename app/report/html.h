// Small parts of HTML.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace parallax::app {

// Text, escaped for use between tags and in quoted attributes.
std::string Escaped(std::string_view text);

// A PNG file's bytes as a "data:" address.
std::string PngDataUri(std::span<const std::uint8_t> bytes);

}  // namespace parallax::app
