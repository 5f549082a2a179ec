// Writes the points of a cloud after the header of a PLY or PCD file.
#pragma once

#include <ostream>

#include "datasets/formats/cloud_file.h"

namespace parallax {

// The form of a colour after the coordinates.
enum class ColorEncoding {
  kThreeBytes,    // r g b (PLY)
  kPackedUint32,  // 0x00RRGGBB (PCD)
};

// Throws InvalidArgument when the cloud has colours or scalars, but not one per point.
void CheckFields(const PointCloudView& cloud, const ScalarField& scalars = {});

// Writes x, y, z as 32-bit floats, then the colour and the scalar, if the cloud has them. In text, floats
// have enough digits to keep their bits.
void WritePoints(std::ostream& stream, const PointCloudView& cloud, CloudEncoding encoding,
                 ColorEncoding color_encoding, const ScalarField& scalars = {});

}  // namespace parallax
