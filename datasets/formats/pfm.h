// PFM, the portable float map: one float channel, bottom row first (Debevec's format, as Middlebury and
// ETH3D use it for disparities). NaN in memory is +inf in the file.
#pragma once

#include <filesystem>

#include "parallax/image.h"

namespace parallax {

// Reads a "Pf" file. Only the sign of its scale counts: negative = little endian, positive = big endian.
// Values that are not finite become NaN. Throws Error on a file that is not a PFM, has three channels ("PF"),
// or is shorter than its header says.
HostImage<float> ReadPfm(const std::filesystem::path& path);

// Writes a little-endian file of scale -1, atomically. Throws Error.
void WritePfm(const std::filesystem::path& path, HostImageView<const float> image);

}  // namespace parallax
