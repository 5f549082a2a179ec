// Point clouds in files: PLY (Turk 1994) and PCD (PCL, version 0.7), x y z in metres and colours.
#pragma once

#include <filesystem>

#include "pipeline/cloud.h"

namespace parallax {

enum class CloudEncoding { kBinary, kAscii };

// All throw Error; writers are atomic. Readers take any further fields of a point and pass over them, and
// refuse files shorter than their header says before they allocate anything.

// PLY: ascii or binary_little_endian; x, y, z of any scalar type; red, green, blue as 8- or 16-bit integers
// or floats of 0..1.
PointCloud ReadPly(const std::filesystem::path& path);
void WritePly(const std::filesystem::path& path, const PointCloud& cloud,
              CloudEncoding encoding = CloudEncoding::kBinary);

// PCD: DATA ascii or binary; colours in a packed field rgb or rgba. binary_compressed is refused.
PointCloud ReadPcd(const std::filesystem::path& path);
void WritePcd(const std::filesystem::path& path, const PointCloud& cloud,
              CloudEncoding encoding = CloudEncoding::kBinary);

// One of the two, by the ending of the name (.ply, .pcd).
PointCloud ReadCloud(const std::filesystem::path& path);
void WriteCloud(const std::filesystem::path& path, const PointCloud& cloud,
                CloudEncoding encoding = CloudEncoding::kBinary);

}  // namespace parallax
