// PCD: a text header of FIELDS, SIZE, TYPE, COUNT, POINTS and DATA, then the points.
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

struct PcdHeader {
  std::vector<std::string_view> fields, sizes, types, counts;
  std::optional<std::uint64_t> num_points, width, height;
  std::string_view data;  // ascii, binary, binary_compressed
  std::size_t size_bytes = 0;
};

std::optional<ScalarType> ScalarTypeOf(std::string_view type, std::string_view size) {
  const std::string key = std::string(type) + std::string(size);
  if (key == "F4") return ScalarType::kFloat32;
  if (key == "F8") return ScalarType::kFloat64;
  if (key == "I1") return ScalarType::kInt8;
  if (key == "I2") return ScalarType::kInt16;
  if (key == "I4") return ScalarType::kInt32;
  if (key == "I8") return ScalarType::kInt64;
  if (key == "U1") return ScalarType::kUint8;
  if (key == "U2") return ScalarType::kUint16;
  if (key == "U4") return ScalarType::kUint32;
  if (key == "U8") return ScalarType::kUint64;
  return std::nullopt;
}

PcdHeader ParsePcdHeader(const FileBytes& bytes, const std::string& file) {
  constexpr std::size_t kMaxHeader_bytes = 1 << 16;
  const std::string_view text = AsText(bytes).substr(0, kMaxHeader_bytes);
  PcdHeader header;
  const auto rest = [](WordReader& words) {
    std::vector<std::string_view> list;
    for (std::string_view word = words.Next(); !word.empty(); word = words.Next()) list.push_back(word);
    return list;
  };
  for (std::size_t begin = 0; begin < text.size() && header.size_bytes == 0;) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) break;
    WordReader words(text.substr(begin, end - begin), '#');
    begin = end + 1;
    const std::string_view keyword = words.Next();
    if (keyword == "FIELDS") header.fields = rest(words);
    if (keyword == "SIZE") header.sizes = rest(words);
    if (keyword == "TYPE") header.types = rest(words);
    if (keyword == "COUNT") header.counts = rest(words);
    if (keyword == "WIDTH") header.width = ParseCount(words.Next());
    if (keyword == "HEIGHT") header.height = ParseCount(words.Next());
    if (keyword == "POINTS") header.num_points = ParseCount(words.Next());
    if (keyword == "DATA") {
      header.data = words.Next();
      header.size_bytes = begin;
    }
  }
  if (header.size_bytes == 0 || header.fields.empty()) {
    throw Error(file + ": is not a PCD file, or its header is cut short (FIELDS ... DATA)");
  }
  if (!header.num_points) throw Error(file + ": its PCD header has no valid line POINTS");
  if (header.width && header.height && *header.width * *header.height != *header.num_points) {
    throw Error(file + ": its PCD header says WIDTH " + std::to_string(*header.width) + ", HEIGHT " +
                std::to_string(*header.height) + " and POINTS " + std::to_string(*header.num_points) +
                ", which do not agree: it is wrong");
  }
  return header;
}

std::vector<RecordField> FieldsOf(const PcdHeader& header, const std::string& file) {
  const std::size_t n = header.fields.size();
  if (header.sizes.size() != n || header.types.size() != n ||
      (!header.counts.empty() && header.counts.size() != n)) {
    throw Error(file + ": FIELDS, SIZE, TYPE and COUNT of its PCD header differ in length");
  }
  constexpr std::uint64_t kMaxCount = 1 << 16;  // e.g. a histogram of a few hundred bins
  std::vector<RecordField> fields;
  for (std::size_t i = 0; i < n; ++i) {
    const auto type = ScalarTypeOf(header.types[i], header.sizes[i]);
    const auto count = header.counts.empty() ? std::optional<std::uint64_t>(1) : ParseCount(header.counts[i]);
    if (!type || !count || *count == 0 || *count > kMaxCount) {
      throw Error(file + ": field '" + Printable(header.fields[i]) +
                  "' is not supported; write it as ascii or binary");
    }
    fields.push_back({std::string(header.fields[i]), *type, static_cast<std::size_t>(*count)});
  }
  return fields;
}

}  // namespace

PointCloud ReadPcd(const std::filesystem::path& path) {
  const FileBytes bytes = ReadFileBytes(path);
  const PcdHeader header = ParsePcdHeader(bytes, path.string());
  const PointRecord record(FieldsOf(header, path.string()), path.string());
  const auto data = std::span(bytes).subspan(header.size_bytes);
  constexpr auto kRest = PointRecord::Rest::kPadding;
  if (header.data == "binary") return record.ParseBinary(data, *header.num_points, kRest);
  if (header.data == "ascii") return record.ParseAscii(AsText(data), *header.num_points, kRest);
  throw Error(path.string() + ": PCD data '" + Printable(header.data) +
              "' is not read; write it as ascii or binary");
}

void WritePcd(const std::filesystem::path& path, const PointCloudView& cloud, CloudEncoding encoding,
              const ScalarField& scalars) {
  CheckFields(cloud, scalars);
  const bool colored = !cloud.colors.empty(), has_scalars = !scalars.meaning.empty();
  AtomicFile file(path);
  std::ostream& out = file.stream();
  const auto line = [&](std::string_view name, std::string_view xyz, std::string_view color,
                        std::string_view scalar) {
    out << name << ' ' << xyz;
    if (colored) out << ' ' << color;
    if (has_scalars) out << ' ' << scalar;
    out << '\n';
  };
  out << "# .PCD v0.7 - Point Cloud Data file format\n";
  if (has_scalars) out << "# " << scalars.name << ": " << scalars.meaning << '\n';
  out << "VERSION 0.7\n";
  line("FIELDS", "x y z", "rgb", scalars.name);
  line("SIZE", "4 4 4", "4", "4");
  line("TYPE", "F F F", "U", "F");
  line("COUNT", "1 1 1", "1", "1");
  out << "WIDTH " << cloud.points.size() << "\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS "
      << cloud.points.size() << "\nDATA " << (encoding == CloudEncoding::kBinary ? "binary" : "ascii")
      << '\n';
  WritePoints(out, cloud, encoding, ColorEncoding::kPackedUint32, scalars);
  file.Commit();
}

}  // namespace parallax
