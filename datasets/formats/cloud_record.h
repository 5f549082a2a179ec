// Shared by PLY and PCD: points as records of named scalar fields, in binary or as words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parallax/cloud.h"

namespace parallax {

enum class ScalarType {
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat32,
  kFloat64
};
std::size_t SizeOf(ScalarType type);  // bytes

struct RecordField {
  std::string name;
  ScalarType type = ScalarType::kFloat32;
  std::size_t count = 1;  // number of elements; only the first is used
};

// The layout of a point, with the places of coordinates and colours.
class PointRecord {
 public:
  // Throws Error, naming the file, when x, y or z is missing.
  PointRecord(std::vector<RecordField> fields, const std::string& file);

  std::size_t size_bytes() const { return size_bytes_; }  // of a binary record
  std::size_t num_words() const { return num_words_; }    // of a text record

  // What may follow the points: other elements of a PLY file, or only white space (text) or zeros (binary).
  enum class Rest { kAnything, kPadding };

  // Reads num_points records from the beginning of `data`. Throws Error when there are fewer, or more because
  // the header is wrong.
  PointCloud ParseBinary(std::span<const std::uint8_t> data, std::uint64_t num_points, Rest rest) const;
  PointCloud ParseAscii(std::string_view text, std::uint64_t num_points, Rest rest) const;

 private:
  struct Place {
    std::size_t offset_bytes = 0;
    std::size_t word = 0;
    ScalarType type = ScalarType::kFloat32;
  };
  const Place* Find(std::string_view name) const;
  PointCloud Allocate(std::uint64_t num_points, std::uint64_t available_bytes,
                      std::uint64_t record_bytes) const;
  [[noreturn]] void ThrowTooLong(std::uint64_t num_points) const;

  std::string file_;
  std::vector<std::pair<std::string, Place>> places_;
  std::size_t size_bytes_ = 0, num_words_ = 0;
  Place xyz_[3];
  Place rgb_[3];
  enum class ColorLayout { kNone, kChannels, kPacked } color_layout_ = ColorLayout::kNone;
};

}  // namespace parallax
