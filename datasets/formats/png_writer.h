// PNG files (ISO/IEC 15948) in a fifth of libpng's time, about as small as with its fastest setting.
#pragma once

#include <cstdint>

#include "datasets/formats/file_bytes.h"
#include "parallax/image.h"

namespace parallax {

// The pixels as a PNG file of 8- or 16-bit gray or 8-bit RGB; the same pixels give the same bytes. The image
// has at least one pixel.
FileBytes EncodePng(HostImageView<const std::uint8_t> image);
FileBytes EncodePng(HostImageView<const std::uint16_t> image);
FileBytes EncodePng(HostImageView<const Rgb8> image);

}  // namespace parallax
