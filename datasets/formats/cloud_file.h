// Point clouds in files: PLY (Turk 1994) and PCD (PCL, version 0.7), x y z in metres and colours.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "parallax/cloud.h"

namespace parallax {

enum class CloudEncoding { kBinary, kAscii };

// A number for each point, such as its density. Files keep it in the field `quality`, which MeshLab and
// CloudCompare show in colours, or in one of another name; a comment of the header states its meaning.
struct ScalarField {
  std::string meaning;            // one line, with the unit; empty = no such field
  std::span<const float> values;  // one per point
  std::string name = "quality";   // a word
};

// Two indices of points.
using CloudEdge = std::array<std::int32_t, 2>;

// All throw Error; writers are atomic. Readers ignore further fields of a point, and refuse files shorter
// than their header says before they allocate anything.

// PLY: ascii or binary_little_endian; x, y, z of any scalar type; red, green, blue as 8- or 16-bit integers
// or floats of 0..1.
PointCloud ReadPly(const std::filesystem::path& path);
void WritePly(const std::filesystem::path& path, const PointCloudView& cloud,
              CloudEncoding encoding = CloudEncoding::kBinary, const ScalarField& scalars = {});
// Lines between points: an element `edge` of vertex1 and vertex2 follows the vertices.
void WritePlyLines(const std::filesystem::path& path, const PointCloudView& cloud,
                   std::span<const CloudEdge> edges, CloudEncoding encoding = CloudEncoding::kBinary);

// PCD: DATA ascii or binary; colours in a packed field rgb or rgba. binary_compressed is refused.
PointCloud ReadPcd(const std::filesystem::path& path);
void WritePcd(const std::filesystem::path& path, const PointCloudView& cloud,
              CloudEncoding encoding = CloudEncoding::kBinary, const ScalarField& scalars = {});

// Read and write one of the two formats, by the extension of the name (.ply, .pcd).
PointCloud ReadCloud(const std::filesystem::path& path);
void WriteCloud(const std::filesystem::path& path, const PointCloudView& cloud,
                CloudEncoding encoding = CloudEncoding::kBinary, const ScalarField& scalars = {});
// Throws what ReadCloud and WriteCloud throw for a name with neither extension.
void CheckCloudName(const std::filesystem::path& path);

}  // namespace parallax
