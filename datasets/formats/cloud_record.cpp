#include "datasets/formats/cloud_record.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "datasets/formats/file_bytes.h"
#include "parallax/error.h"

namespace parallax {
namespace {

double LoadScalar(const std::uint8_t* bytes, ScalarType type) {
  switch (type) {
    case ScalarType::kInt8:
      return LoadAs<std::int8_t>(bytes);
    case ScalarType::kUint8:
      return LoadAs<std::uint8_t>(bytes);
    case ScalarType::kInt16:
      return LoadAs<std::int16_t>(bytes);
    case ScalarType::kUint16:
      return LoadAs<std::uint16_t>(bytes);
    case ScalarType::kInt32:
      return LoadAs<std::int32_t>(bytes);
    case ScalarType::kUint32:
      return LoadAs<std::uint32_t>(bytes);
    case ScalarType::kInt64:
      return static_cast<double>(LoadAs<std::int64_t>(bytes));
    case ScalarType::kUint64:
      return static_cast<double>(LoadAs<std::uint64_t>(bytes));
    case ScalarType::kFloat32:
      return LoadAs<float>(bytes);
    case ScalarType::kFloat64:
      return LoadAs<double>(bytes);
  }
  return 0;
}

// A colour channel of any type as 0..255.
std::uint8_t ChannelOf(double value, ScalarType type) {
  if (type == ScalarType::kFloat32 || type == ScalarType::kFloat64) value = std::round(value * 255.0);
  if (type == ScalarType::kUint16) value = std::floor(value / 256.0);
  return value > 0 ? static_cast<std::uint8_t>(std::min(value, 255.0)) : std::uint8_t{0};  // NaN: 0
}

// The packed colour of PCL: the bits of a 32-bit field are 0x__RRGGBB, whatever its declared type is.
Rgb8 UnpackColor(std::uint32_t bits) {
  return {static_cast<std::uint8_t>(bits >> 16), static_cast<std::uint8_t>(bits >> 8),
          static_cast<std::uint8_t>(bits)};
}

float Narrow(double value) { return static_cast<float>(value); }

}  // namespace

std::size_t SizeOf(ScalarType type) {
  switch (type) {
    case ScalarType::kInt8:
    case ScalarType::kUint8:
      return 1;
    case ScalarType::kInt16:
    case ScalarType::kUint16:
      return 2;
    case ScalarType::kInt32:
    case ScalarType::kUint32:
    case ScalarType::kFloat32:
      return 4;
    case ScalarType::kInt64:
    case ScalarType::kUint64:
    case ScalarType::kFloat64:
      return 8;
  }
  return 0;
}

PointRecord::PointRecord(std::vector<RecordField> fields, const std::string& file) : file_(file) {
  for (RecordField& field : fields) {
    places_.emplace_back(std::move(field.name), Place{size_bytes_, num_words_, field.type});
    size_bytes_ += SizeOf(field.type) * field.count;
    num_words_ += field.count;
  }
  const auto find_all = [this](std::initializer_list<std::string_view> names, Place* found) {
    return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
      const Place* place = Find(name);
      if (place != nullptr) *found++ = *place;
      return place != nullptr;
    });
  };
  if (!find_all({"x", "y", "z"}, xyz_)) throw Error(file_ + ": its points lack a field x, y or z");
  if (find_all({"red", "green", "blue"}, rgb_)) {
    color_layout_ = ColorLayout::kChannels;
  } else if (find_all({"rgb"}, rgb_) || find_all({"rgba"}, rgb_)) {
    if (SizeOf(rgb_[0].type) == 4) color_layout_ = ColorLayout::kPacked;
  }
}

const PointRecord::Place* PointRecord::Find(std::string_view name) const {
  for (const auto& [field, place] : places_) {
    if (field == name) return &place;
  }
  return nullptr;
}

// Compares the header with the size of the file before allocating.
PointCloud PointRecord::Allocate(std::uint64_t num_points, std::uint64_t available_bytes,
                                 std::uint64_t record_bytes) const {
  if (num_points > available_bytes / record_bytes) {
    throw Error(file_ + ": its header says " + std::to_string(num_points) +
                " points, but the file has only " + std::to_string(available_bytes) +
                " bytes of them; it is truncated or its header is wrong");
  }
  PointCloud cloud;
  cloud.points.resize(num_points);
  if (color_layout_ != ColorLayout::kNone) cloud.colors.resize(num_points);
  return cloud;
}

void PointRecord::ThrowTooLong(std::uint64_t num_points) const {
  throw Error(file_ + ": its header says " + std::to_string(num_points) + " points of " +
              std::to_string(num_words_) + " values, but more follow: its header is wrong");
}

PointCloud PointRecord::ParseBinary(std::span<const std::uint8_t> data, std::uint64_t num_points,
                                    Rest rest) const {
  PointCloud cloud = Allocate(num_points, data.size(), size_bytes_);
  const auto behind = data.subspan(num_points * size_bytes_);
  const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
  if (rest == Rest::kPadding && behind.size() >= size_bytes_ && !std::ranges::all_of(behind, is_zero)) {
    ThrowTooLong(num_points);
  }
  const auto load = [](const std::uint8_t* record, const Place& place) {
    return LoadScalar(record + place.offset_bytes, place.type);
  };
  for (std::size_t i = 0; i < num_points; ++i) {
    const std::uint8_t* record = data.data() + i * size_bytes_;
    cloud.points[i] = {Narrow(load(record, xyz_[0])), Narrow(load(record, xyz_[1])),
                       Narrow(load(record, xyz_[2]))};
    if (color_layout_ == ColorLayout::kChannels) {
      cloud.colors[i] = {ChannelOf(load(record, rgb_[0]), rgb_[0].type),
                         ChannelOf(load(record, rgb_[1]), rgb_[1].type),
                         ChannelOf(load(record, rgb_[2]), rgb_[2].type)};
    } else if (color_layout_ == ColorLayout::kPacked) {
      cloud.colors[i] = UnpackColor(LoadAs<std::uint32_t>(record + rgb_[0].offset_bytes));
    }
  }
  return cloud;
}

PointCloud PointRecord::ParseAscii(std::string_view text, std::uint64_t num_points, Rest rest) const {
  // The shortest word and its separator take two characters; the last separator may be missing.
  PointCloud cloud = Allocate(num_points, text.size() + 1, 2 * num_words_);
  WordReader words(text);
  std::vector<std::string_view> record(num_words_);
  for (std::size_t i = 0; i < num_points; ++i) {
    for (std::string_view& word : record) word = words.Next();
    const auto number = [&](const Place& place) {
      const std::string_view word = record[place.word];
      const std::optional<double> value = ParseNumber(word);
      if (!value) {
        throw Error(file_ + ": point " + std::to_string(i) + " of " + std::to_string(num_points) +
                    (word.empty() ? " is missing; the file is truncated"
                                  : " has '" + Printable(word) + "' where a number should be"));
      }
      return *value;
    };
    cloud.points[i] = {Narrow(number(xyz_[0])), Narrow(number(xyz_[1])), Narrow(number(xyz_[2]))};
    if (color_layout_ == ColorLayout::kChannels) {
      cloud.colors[i] = {ChannelOf(number(rgb_[0]), rgb_[0].type), ChannelOf(number(rgb_[1]), rgb_[1].type),
                         ChannelOf(number(rgb_[2]), rgb_[2].type)};
    } else if (color_layout_ == ColorLayout::kPacked) {
      const double value = number(rgb_[0]);
      const bool as_float = rgb_[0].type == ScalarType::kFloat32;  // the float of which these are the bits
      cloud.colors[i] =
          UnpackColor(as_float ? std::bit_cast<std::uint32_t>(Narrow(value))
                               : static_cast<std::uint32_t>(std::clamp(value, 0.0, 4294967295.0)));
    }
    if (record.back().empty()) {
      throw Error(file_ + ": ends within point " + std::to_string(i) + " of " + std::to_string(num_points) +
                  "; the file is truncated");
    }
  }
  if (rest == Rest::kPadding && !words.Next().empty()) ThrowTooLong(num_points);
  return cloud;
}

}  // namespace parallax
