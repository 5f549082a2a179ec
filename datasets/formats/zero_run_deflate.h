// Deflate (RFC 1951) for filtered image rows, where bytes are noise around zero and runs of zeros: one
// Huffman code for all of them, and runs of zeros as matches. Searching for other matches costs ten times
// the time and saves nothing there.
#pragma once

#include <cstdint>
#include <span>

#include "datasets/formats/file_bytes.h"

namespace parallax {

// The bytes as a zlib stream (RFC 1950). The same bytes give the same stream.
FileBytes ZlibStreamOf(std::span<const std::uint8_t> bytes);

}  // namespace parallax
