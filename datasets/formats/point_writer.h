// Writes the points of a cloud after the header of a PLY or PCD file.
#pragma once

#include <ostream>

#include "datasets/formats/cloud_file.h"

namespace parallax {

// How a colour follows the coordinates.
enum class ColorEncoding {
  kThreeBytes,    // r g b (PLY)
  kPackedUint32,  // 0x00RRGGBB (PCD)
};

// Throws InvalidArgument when the cloud has colours, but not one per point.
void CheckColors(const PointCloud& cloud);

// x, y, z as 32-bit floats and the colour, if the cloud has colours; in text, floats with as many digits as
// give the same bits back.
void WritePoints(std::ostream& stream, const PointCloud& cloud, CloudEncoding encoding,
                 ColorEncoding color_encoding);

}  // namespace parallax
