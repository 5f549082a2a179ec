#include "datasets/formats/point_writer.h"

#include <charconv>
#include <cstdint>
#include <string>

#include "parallax/error.h"

namespace parallax {
namespace {

template <typename T>
void AppendBytes(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <typename T>
void AppendWord(std::string& out, T value) {
  char word[32];
  out.append(word, std::to_chars(word, word + sizeof(word), value).ptr);
  out += ' ';
}

std::uint32_t Pack(Rgb8 color) {
  return static_cast<std::uint32_t>(color.r) << 16 | static_cast<std::uint32_t>(color.g) << 8 | color.b;
}

void AppendBinary(std::string& out, const PointCloudView& cloud, std::size_t i,
                  ColorEncoding color_encoding) {
  AppendBytes(out, cloud.points[i]);
  if (cloud.colors.empty()) return;
  if (color_encoding == ColorEncoding::kThreeBytes) {
    AppendBytes(out, cloud.colors[i]);
  } else {
    AppendBytes(out, Pack(cloud.colors[i]));
  }
}

void AppendText(std::string& out, const PointCloudView& cloud, std::size_t i, ColorEncoding color_encoding) {
  const Point3f& p = cloud.points[i];
  for (const float coordinate : {p.x, p.y, p.z}) AppendWord(out, coordinate);
  if (!cloud.colors.empty()) {
    const Rgb8 c = cloud.colors[i];
    if (color_encoding == ColorEncoding::kThreeBytes) {
      for (const unsigned channel : {c.r, c.g, c.b}) AppendWord(out, channel);
    } else {
      AppendWord(out, Pack(c));
    }
  }
}

}  // namespace

void CheckFields(const PointCloudView& cloud, const ScalarField& scalars) {
  if (!cloud.colors.empty() && cloud.colors.size() != cloud.points.size()) {
    throw InvalidArgument("a cloud of " + std::to_string(cloud.points.size()) + " points has " +
                          std::to_string(cloud.colors.size()) + " colours; it needs one per point or none");
  }
  if (!scalars.meaning.empty() && scalars.values.size() != cloud.points.size()) {
    throw InvalidArgument("a cloud of " + std::to_string(cloud.points.size()) + " points has " +
                          std::to_string(scalars.values.size()) + " values (" + scalars.meaning +
                          "); it needs one per point");
  }
}

void WritePoints(std::ostream& stream, const PointCloudView& cloud, CloudEncoding encoding,
                 ColorEncoding color_encoding, const ScalarField& scalars) {
  static_assert(sizeof(Point3f) == 12 && sizeof(Rgb8) == 3);
  constexpr std::size_t kFlushAt_bytes = 1 << 18;
  std::string buffer;
  buffer.reserve(kFlushAt_bytes + 128);
  for (std::size_t i = 0; i < cloud.points.size(); ++i) {
    if (encoding == CloudEncoding::kBinary) {
      AppendBinary(buffer, cloud, i, color_encoding);
      if (!scalars.meaning.empty()) AppendBytes(buffer, scalars.values[i]);
    } else {
      AppendText(buffer, cloud, i, color_encoding);
      if (!scalars.meaning.empty()) AppendWord(buffer, scalars.values[i]);
      buffer.back() = '\n';
    }
    if (buffer.size() >= kFlushAt_bytes) {
      stream.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
      buffer.clear();
    }
  }
  stream.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
}

}  // namespace parallax
