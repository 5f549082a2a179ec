// Small parts of HTML.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace parallax::app {

// Text, escaped for use between tags and in quoted attributes.
std::string Escaped(std::string_view text);

// A file's bytes as a "data:" address. type: "image/png".
std::string DataUri(std::string_view type, std::span<const std::uint8_t> bytes);

}  // namespace parallax::app
