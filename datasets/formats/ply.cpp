// PLY: a text header that lists elements and their properties, then the elements one after the other.
#include <array>
#include <optional>
#include <utility>

#include "datasets/formats/cloud_file.h"
#include "datasets/formats/cloud_record.h"
#include "datasets/formats/file_bytes.h"
#include "datasets/formats/point_writer.h"
#include "datasets/system/atomic_file.h"
#include "parallax/error.h"

namespace parallax {
namespace {

struct PlyHeader {
  std::optional<CloudEncoding> encoding;
  std::vector<RecordField> fields;  // of a vertex
  std::optional<std::uint64_t> num_points;
  bool has_more_elements = false;  // behind the vertices
  std::size_t size_bytes = 0;
};

std::optional<ScalarType> ScalarTypeOf(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, ScalarType>, 16> kNames{
      {{"char", ScalarType::kInt8},
       {"uchar", ScalarType::kUint8},
       {"short", ScalarType::kInt16},
       {"ushort", ScalarType::kUint16},
       {"int", ScalarType::kInt32},
       {"uint", ScalarType::kUint32},
       {"float", ScalarType::kFloat32},
       {"double", ScalarType::kFloat64},
       {"int8", ScalarType::kInt8},
       {"uint8", ScalarType::kUint8},
       {"int16", ScalarType::kInt16},
       {"uint16", ScalarType::kUint16},
       {"int32", ScalarType::kInt32},
       {"uint32", ScalarType::kUint32},
       {"float32", ScalarType::kFloat32},
       {"float64", ScalarType::kFloat64}}};
  for (const auto& [known, type] : kNames) {
    if (known == name) return type;
  }
  return std::nullopt;
}

void ParseFormat(WordReader& words, const std::string& file, PlyHeader& header) {
  const std::string_view format = words.Next();
  if (format == "ascii") {
    header.encoding = CloudEncoding::kAscii;
  } else if (format == "binary_little_endian") {
    header.encoding = CloudEncoding::kBinary;
  } else {
    throw Error(file + ": PLY format '" + Printable(format) +
                "' is not supported; write it as ascii or binary_little_endian");
  }
}

void ParseProperty(WordReader& words, const std::string& file, PlyHeader& header) {
  const std::string_view type_name = words.Next();
  const auto type = ScalarTypeOf(type_name);
  const std::string_view name = words.Next();
  if (!type || name.empty()) {
    throw Error(file + ": vertex property of type '" + Printable(type_name) +
                "' is not supported: "
                "write scalars only");
  }
  header.fields.push_back({std::string(name), *type, 1});
}

PlyHeader ParsePlyHeader(const FileBytes& bytes, const std::string& file) {
  constexpr std::size_t kMaxHeader_bytes = 1 << 16;
  const std::string_view text = AsText(bytes).substr(0, kMaxHeader_bytes);
  if (!text.starts_with("ply\n") && !text.starts_with("ply\r\n")) {
    throw Error(file + ": is not a PLY file: it does not begin with a line 'ply'");
  }
  PlyHeader header;
  bool in_vertex = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) break;
    WordReader words(text.substr(begin, end - begin));
    begin = end + 1;
    const std::string_view keyword = words.Next();
    if (keyword == "format") {
      ParseFormat(words, file, header);
    } else if (keyword == "element") {
      in_vertex = words.Next() == "vertex";
      if (in_vertex) {
        header.num_points = ParseCount(words.Next());
        if (!header.num_points) throw Error(file + ": its PLY header has no valid number of vertices");
      } else if (!header.num_points) {
        throw Error(file + ": has another element before its vertices, which is not supported");
      } else {
        header.has_more_elements = true;
      }
    } else if (keyword == "property" && in_vertex) {
      ParseProperty(words, file, header);
    } else if (keyword == "end_header") {
      header.size_bytes = begin;
      break;
    }
  }
  if (header.size_bytes == 0) throw Error(file + ": its PLY header does not end (no line end_header)");
  if (!header.encoding) throw Error(file + ": its PLY header has no line format");
  if (!header.num_points) throw Error(file + ": its PLY header has no element vertex");
  return header;
}

// The header up to the vertices' last property.
void WriteVertexHeader(std::ostream& out, const PointCloudView& cloud, CloudEncoding encoding,
                       const ScalarField& scalars) {
  out << "ply\nformat " << (encoding == CloudEncoding::kBinary ? "binary_little_endian" : "ascii") << " 1.0\n"
      << "comment parallax: metres, x right, y down, z forward\n";
  if (!scalars.meaning.empty()) out << "comment " << scalars.name << ": " << scalars.meaning << "\n";
  out << "element vertex " << cloud.points.size() << "\n"
      << "property float x\nproperty float y\nproperty float z\n";
  if (!cloud.colors.empty()) out << "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  if (!scalars.meaning.empty()) out << "property float " << scalars.name << "\n";
}

}  // namespace

PointCloud ReadPly(const std::filesystem::path& path) {
  const FileBytes bytes = ReadFileBytes(path);
  PlyHeader header = ParsePlyHeader(bytes, path.string());
  const PointRecord record(std::move(header.fields), path.string());
  const auto data = std::span(bytes).subspan(header.size_bytes);
  const auto rest = header.has_more_elements ? PointRecord::Rest::kAnything : PointRecord::Rest::kPadding;
  return header.encoding == CloudEncoding::kBinary
             ? record.ParseBinary(data, *header.num_points, rest)
             : record.ParseAscii(AsText(data), *header.num_points, rest);
}

void WritePly(const std::filesystem::path& path, const PointCloudView& cloud, CloudEncoding encoding,
              const ScalarField& scalars) {
  CheckFields(cloud, scalars);
  AtomicFile file(path);
  std::ostream& out = file.stream();
  WriteVertexHeader(out, cloud, encoding, scalars);
  out << "end_header\n";
  WritePoints(out, cloud, encoding, ColorEncoding::kThreeBytes, scalars);
  file.Commit();
}

void WritePlyLines(const std::filesystem::path& path, const PointCloudView& cloud,
                   std::span<const CloudEdge> edges, CloudEncoding encoding) {
  CheckFields(cloud);
  for (const CloudEdge& edge : edges) {
    for (const std::int32_t end : edge) {
      if (end >= 0 && static_cast<std::size_t>(end) < cloud.size()) continue;
      throw InvalidArgument("a line ends at point " + std::to_string(end) + " of " +
                            std::to_string(cloud.size()));
    }
  }
  AtomicFile file(path);
  std::ostream& out = file.stream();
  WriteVertexHeader(out, cloud, encoding, {});
  out << "element edge " << edges.size() << "\nproperty int vertex1\nproperty int vertex2\nend_header\n";
  WritePoints(out, cloud, encoding, ColorEncoding::kThreeBytes);
  for (const CloudEdge& edge : edges) {
    if (encoding == CloudEncoding::kBinary) {
      out.write(reinterpret_cast<const char*>(edge.data()), sizeof(edge));
    } else {
      out << edge[0] << ' ' << edge[1] << '\n';
    }
  }
  file.Commit();
}

}  // namespace parallax
