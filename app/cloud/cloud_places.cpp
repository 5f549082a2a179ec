#include "app/cloud/cloud_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "datasets/formats/file_bytes.h"
#include "parallax/error.h"

namespace parallax::app {

std::string Place::Name() const {
  return away_m ? fmt::format("{} (point {}, {:.3g} m away)", asked, index, *away_m) : asked;
}

std::size_t WidthOf(const std::vector<Place>& places) {
  std::size_t width = 8;
  for (const Place& place : places) width = std::max(width, place.Name().size());
  return width + 2;
}

float DistanceBetween(const Point3f& a, const Point3f& b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

PlaceFinder::PlaceFinder(const InputCloud& input, float snap_m) : input_(input), snap_m_(snap_m) {
  Point3f low = Points().front(), high = low;
  for (const Point3f& p : Points()) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  if (snap_m_ == 0) snap_m_ = 0.1F * DistanceBetween(low, high);
}

Place PlaceFinder::Find(const std::string& asked) const {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= asked.size();) {
    const std::size_t end = std::min(asked.find(',', begin), asked.size());
    const std::optional<double> number = ParseNumber(std::string_view(asked).substr(begin, end - begin));
    if (!number || !std::isfinite(*number)) break;
    numbers.push_back(*number);
    begin = end + 1;
    if (end != asked.size()) continue;
    if (numbers.size() == 1 && numbers[0] == std::floor(numbers[0])) return AtIndex(asked, numbers[0]);
    if (numbers.size() == 3) return AtPosition(asked, numbers);
  }
  throw InvalidArgument("'" + asked + "' is neither a point's number nor x,y,z in metres");
}

Place PlaceFinder::AtIndex(const std::string& asked, double index) const {
  if (index < 0 || index >= static_cast<double>(input_.num_in_file)) {
    throw InvalidArgument(fmt::format("there is no point {}: {} has points 0 to {}", asked, input_.file,
                                      input_.num_in_file - 1));
  }
  const auto wanted = static_cast<std::int32_t>(index);
  if (input_.index_in_file.empty()) return {asked, static_cast<std::size_t>(wanted), wanted, std::nullopt};
  const auto& indices = input_.index_in_file;
  const auto found = std::lower_bound(indices.begin(), indices.end(), wanted);
  if (found == indices.end() || *found != wanted) {
    throw InvalidArgument(
        fmt::format("point {} of {} is not finite, so no path leads there", asked, input_.file));
  }
  return {asked, static_cast<std::size_t>(found - indices.begin()), wanted, std::nullopt};
}

Place PlaceFinder::AtPosition(const std::string& asked, const std::vector<double>& xyz) const {
  const Point3f at{static_cast<float>(xyz[0]), static_cast<float>(xyz[1]), static_cast<float>(xyz[2])};
  const auto nearest = std::min_element(
      Points().begin(), Points().end(),
      [&](const Point3f& p, const Point3f& q) { return DistanceBetween(p, at) < DistanceBetween(q, at); });
  const float away_m = DistanceBetween(*nearest, at);
  if (!(away_m <= snap_m_)) {
    throw InvalidArgument(
        fmt::format("{} is outside the cloud: its nearest point is {:.4g} m away, more than {:.4g} "
                    "m (--snap)",
                    asked, away_m, snap_m_));
  }
  const auto point = static_cast<std::size_t>(nearest - Points().begin());
  return {asked, point, input_.IndexInFile(point), away_m};
}

}  // namespace parallax::app
